// The hub's cache on this machine: where it is, and where a model's files are in it.
//
// The layout is the one the hub's Python client writes, so that each finds what the other downloaded:
//   CACHE/models--ORG--NAME/refs/main           the commit, 40 hex digits
//                          /snapshots/COMMIT/   the files, as links
//                          /blobs/HASH          what the links point to
// Nothing here opens a socket. Tested in tests/unit/hub/cache_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

constexpr std::string_view kDefaultRevision = "main";

// "org/name", or "name" alone as the oldest models have it.
struct HubId {
  std::string id;
  std::string revision{kDefaultRevision};
};

// "ID" or "ID@REVISION"; nothing if the text cannot be one: a path, dots for a folder's parent, other characters.
std::optional<HubId> parse_hub_id(std::string_view text);

// Whether a revision (a branch, a tag, "refs/pr/1", a commit) is safe as a path below refs/.
bool is_hub_revision(std::string_view text);
bool is_hub_commit(std::string_view text);  // 40 hex digits

// A file's name inside a model, with '/' between folders, that stays inside it and can be shown.
bool is_hub_file_name(std::string_view name);

// HF_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub, else ~/.cache/huggingface/hub; an empty variable counts as
// none. Empty when not even HOME is set.
std::filesystem::path hub_cache_folder();

std::filesystem::path hub_model_folder(const std::filesystem::path& cache, std::string_view id);

// The snapshot of a revision, as a folder that exists; nothing when the cache has none. Throws Error(kModel) for a ref that is not
// a commit.
std::optional<std::filesystem::path> find_hub_snapshot(const std::filesystem::path& cache, const HubId& wanted);

// The model of a snapshot: its folder if it has config.json, else its only .gguf file. Throws Error(kModel) for a snapshot
// that is incomplete or has several .gguf files, naming its files.
std::filesystem::path model_in_snapshot(const std::filesystem::path& snapshot, const HubId& wanted);

// The ids in the cache, sorted.
std::vector<std::string> cached_hub_ids(const std::filesystem::path& cache);

}  // namespace attnviz

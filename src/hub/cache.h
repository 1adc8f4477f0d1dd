// The hub's cache on this machine: where it is, and where a model's files are in it.
//
// The layout is that of the hub's Python client, so that each finds what the other has downloaded:
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

// "org/name", or "name" alone for the oldest models.
struct HubId {
  std::string id;
  std::string revision{kDefaultRevision};
};

// "ID" or "ID@REVISION"; none if the text cannot be one: a path, "..", characters that ids do not have.
std::optional<HubId> parse_hub_id(std::string_view text);

// Whether a revision (a branch, a tag, "refs/pr/1", a commit) is safe as a path below refs/.
bool is_hub_revision(std::string_view text);
bool is_hub_commit(std::string_view text);  // 40 hex digits

// Whether a file's name, with '/' between folders, stays inside its model and is printable.
bool is_hub_file_name(std::string_view name);

// HF_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub, else ~/.cache/huggingface/hub; an empty variable counts
// as unset. Empty if not even HOME is set.
std::filesystem::path hub_cache_folder();

std::filesystem::path hub_model_folder(const std::filesystem::path& cache, std::string_view id);

// The folder with the snapshot of a revision; none if it does not exist. Throws Error(kModel) for a ref that is not a commit.
std::optional<std::filesystem::path> find_hub_snapshot(const std::filesystem::path& cache, const HubId& wanted);

// What to open in a snapshot: its folder if it has a config.json, else its only .gguf file. Throws Error(kModel) if the snapshot is
// incomplete or has several .gguf files; the message lists its files.
std::filesystem::path model_in_snapshot(const std::filesystem::path& snapshot, const HubId& wanted);

// The ids in the cache, sorted.
std::vector<std::string> cached_hub_ids(const std::filesystem::path& cache);

}  // namespace attnviz

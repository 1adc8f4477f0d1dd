// The hub's list of the files of a model (GET /api/models/ID/revision/REV?blobs=true), and which of its files attnviz reads.
//
//   {"sha": "<commit>", "siblings": [{"rfilename": "config.json", "size": 612, "blobId": "<git's SHA-1>",
//                                     "lfs": {"sha256": "...", "size": 90868376}}, ...]}
// A listing is foreign text: names are checked before any becomes a path, and only sizes and hashes of chosen files must be there.
// Tested in tests/unit/hub/index_test.cpp, fuzzed by tests/fuzz/hub_index_fuzz.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hub/checksum.h"

namespace attnviz {

struct HubFile {
  std::string name;  // passes is_hub_file_name
  std::uint64_t size = 0;
  HashKind hash_kind = HashKind::kGitSha1;
  std::string hash{};  // empty: the listing has none
};

struct HubIndex {
  std::string commit;  // 40 hex digits
  std::vector<HubFile> files;
};

// `where` opens messages. Throws Error(kModel): not such JSON, a name that leaves the folder, a name twice, a hash of another form.
HubIndex parse_hub_index(std::string_view text, const std::string& where);

// The files attnviz reads: configuration, tokenizer and one form of the weights (safetensors before pytorch_model.bin, one file
// before shards). With `file` only that one, and where it is the first of several parts, all of them. Throws Error(kModel): no
// config.json, no weights, no such file (with the nearest), no size or hash for one that was chosen.
std::vector<HubFile> choose_hub_files(const HubIndex& index, std::string_view file, const std::string& where);

}  // namespace attnviz

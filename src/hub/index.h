// The hub's list of a model's files (GET /api/models/ID/revision/REV?blobs=true), and which of them attnviz reads.
//
//   {"sha": "<commit>", "siblings": [{"rfilename": "config.json", "size": 612, "blobId": "<git's SHA-1>",
//                                     "lfs": {"sha256": "...", "size": 90868376}}, ...]}
// The list is foreign text: all names are checked before any becomes a path. Only chosen files must have a size and a hash.
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
  std::string hash{};  // empty: the list has none
};

struct HubIndex {
  std::string commit;  // 40 hex digits
  std::vector<HubFile> files;
};

// `where` opens messages. Throws Error(kModel): other JSON, a name that leaves the folder, a duplicate name, a malformed hash.
HubIndex parse_hub_index(std::string_view text, const std::string& where);

// The files attnviz reads: configuration, tokenizer and one form of the weights (safetensors before pytorch_model.bin, one file
// before shards). With `file`: only that file, or all parts if it is the first of several. Throws Error(kModel): no config.json, no
// weights, no such file (suggesting the nearest name), no size or hash for a chosen file.
std::vector<HubFile> choose_hub_files(const HubIndex& index, std::string_view file, const std::string& where);

}  // namespace attnviz

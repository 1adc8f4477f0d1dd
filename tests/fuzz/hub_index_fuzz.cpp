// Any bytes as the hub's list of files: no accepted name leaves its folder, and every chosen file has a size and a hash.
#include <cstdint>

#include "fuzz.h"
#include "hub/cache.h"
#include "hub/index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attnviz;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  HubIndex index;
  if (!fuzz::accepts([&] { index = parse_hub_index(text, "pull a/b"); })) return 0;
  fuzz::require(is_hub_commit(index.commit), "a commit that is none");
  for (const HubFile& file : index.files) fuzz::require(is_hub_file_name(file.name), "a name that leaves the folder");
  std::vector<std::string> asked = {"", "x-00001-of-00002.gguf"};
  if (!index.files.empty()) asked.push_back(index.files.front().name);
  for (const std::string& file : asked) {
    std::vector<HubFile> chosen;
    if (!fuzz::accepts([&] { chosen = choose_hub_files(index, file, "pull a/b"); })) continue;
    fuzz::require(!chosen.empty(), "a choice of nothing");
    for (const HubFile& each : chosen) {
      fuzz::require(each.hash.size() == (each.hash_kind == HashKind::kSha256 ? 64U : 40U), "a hash of another length");
    }
  }
  return 0;
}

// See lfs_pointer.h. The format: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
#include "formats/weights/lfs_pointer.h"

#include <attnviz/error.h>

#include <algorithm>
#include <string_view>

namespace attnviz {

void refuse_lfs_pointer(std::span<const std::byte> bytes, const std::string& where) {
  constexpr std::string_view kPointer = "version https://git-lfs.github.com/spec/";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kPointer.size()));
  if (text != kPointer) return;
  throw Error(ErrorKind::kModel, where + ": is a Git LFS pointer; expected the weights themselves; get them with: git lfs pull");
}

}  // namespace attnviz

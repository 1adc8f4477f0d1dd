// The two hashes by which the hub names its files: SHA-256 for a large (LFS) file, git's SHA-1 of a blob for all others.
//
// Computed by GLib's GChecksum: GLib is in the process already (Pango needs it), so no other library has to be loaded.
// Tested in tests/unit/hub/part_file_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace attnviz {

enum class HashKind : std::uint8_t { kSha256, kGitSha1 };

class Checksum {
 public:
  // `n_byte` is the size of the whole content. Git's hash begins with it.
  Checksum(HashKind kind, std::uint64_t n_byte);
  ~Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) noexcept;

  void add(std::string_view bytes);
  std::string finish();  // lower-case hex digits; nothing may be added afterwards

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attnviz

// Files: read-only maps, small whole files, and output that appears complete or not at all.
// Tested in tests/unit/base/file_test.cpp.
#pragma once

#include <attnviz/error.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace attnviz {

// A whole file mapped read-only. Pages are read when they are first touched.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::filesystem::path& path);  // throws Error(kModel): missing, a folder or pipe, unreadable
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// The file's whole text. Throws Error(kind): missing, a folder, unreadable, larger than `limit` bytes.
std::string read_text_file(const std::filesystem::path& path, std::size_t limit, ErrorKind kind);

// Everything that can be read from a descriptor (0 is standard input). Throws Error(kInput) past `limit` bytes.
std::string read_descriptor(int descriptor, std::size_t limit);

// A file that is written in parts and gets its name at the end: a reader sees the old file or the complete new one. Until then it
// has no name, so that a killed program leaves nothing behind; if the file system does not support that, it has a temporary name in
// the same folder. A symbolic link is kept, and its target replaced. Parts for a stream or device (/dev/stdout, a pipe) are written
// immediately. Every function throws Error(kOutput). A file that is not finished leaves nothing behind.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // False when `path` is a stream whose reader has gone away.
  bool write(std::string_view bytes);

  // Gives the file its name. Call it once, at the end.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Writes a whole AtomicFile at once.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// Throws Error(kOutput) if `path` cannot be written: its folder is missing or read-only, or it is a folder itself. Call it before
// long work, so that a wrong path fails early.
void check_writable(const std::filesystem::path& path);

// Distinguishes a file from all others, and from its own earlier contents. Times are nanoseconds since 1970. Programs can set
// `modified`, but not `changed`.
struct FileIdentity {
  std::uint64_t there = 0;  // 1 if the file can be reached
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // last change of the contents (mtime)
  std::int64_t changed = 0;   // last change of contents or attributes (ctime)
};

FileIdentity identify_file(const std::filesystem::path& path);  // follows links; all 0 if the file cannot be reached
std::int64_t current_file_time();

// True for a name that stays in its folder: not empty, not "." or "..", no slash, backslash or zero byte. For names read from
// files.
bool is_plain_file_name(std::string_view name);

// Writes all bytes to a descriptor. Returns false if the reader has gone away (EPIPE); throws Error(kOutput) for other faults.
bool write_descriptor(int descriptor, std::string_view bytes);

}  // namespace attnviz

// The unfinished file of a download, with the hash of its contents so far, and the lock that keeps other processes from it.
// Tested in tests/unit/hub/part_file_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "hub/index.h"

namespace attnviz {

// An exclusive flock. The lock file is never removed: otherwise two processes could hold locks on two files of one name.
class FileLock {
 public:
  // Throws Error(kOutput) if the file cannot be created. Waits while another process holds the lock; asks `keep_waiting` every
  // 100 ms, and gives up if it returns false.
  FileLock(const std::filesystem::path& path, const std::function<bool()>& keep_waiting);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool held() const { return held_; }

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

class PartFile {
 public:
  // Opens or creates the file and hashes its contents. If they are longer than `file`, it is emptied. Throws Error(kOutput).
  PartFile(std::filesystem::path path, HubFile file);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::uint64_t size() const { return size_; }
  bool is_complete() const { return size_ == file_.size; }

  // Both are called from libcurl's callbacks, so they do not throw. They return false if the disk fails (see disk_fault()) or if
  // the data would be longer than the file (see is_too_long()).
  bool append(std::string_view bytes);
  bool clear();  // empties the file
  const std::string& disk_fault() const { return disk_fault_; }
  bool is_too_long() const { return too_long_; }

  // Whether a complete file has the expected hash. Call it once; only clear() starts a new hash.
  bool has_right_hash();
  std::string found_hash() const { return found_hash_; }

  void rename_to(const std::filesystem::path& path);
  void remove();

 private:
  void read_existing();

  std::filesystem::path path_;
  HubFile file_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  Checksum sum_;
  bool too_long_ = false;
  std::string disk_fault_{};
  std::string found_hash_{};
};

}  // namespace attnviz

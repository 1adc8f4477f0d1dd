// The unfinished file of a download, with the hash of what it holds so far, and the lock that keeps other processes away from it.
// Tested in tests/unit/hub/part_file_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "hub/index.h"

namespace attnviz {

// An exclusive flock on a file that is left behind (removing it would let two processes hold two locks of one name).
class FileLock {
 public:
  // Throws Error(kOutput) when the file cannot be made. Waits while another holds it, asking `keep_waiting` every 100 ms; false
  // ends the wait.
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
  // Opens or makes it and reads what is there, unless that is more than the file's size: then it starts empty. Throws
  // Error(kOutput).
  PartFile(std::filesystem::path path, HubFile file);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::uint64_t size() const { return size_; }
  bool is_complete() const { return size_ == file_.size; }

  // Both are called from libcurl's callbacks and so do not throw. False if writing fails (disk_fault() is the reason)
  // or if the part would be longer than the file (is_too_long()).
  bool append(std::string_view bytes);
  bool clear();  // starts again
  const std::string& disk_fault() const { return disk_fault_; }
  bool is_too_long() const { return too_long_; }

  // For a complete file: whether its hash is the right one. Once.
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

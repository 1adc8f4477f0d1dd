// See part_file.h. POSIX calls, so that messages can name a full disk.
#include "hub/part_file.h"

#include <attnviz/error.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace attnviz {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;
constexpr auto kLockPause = std::chrono::milliseconds(100);

std::string errno_text(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(const std::filesystem::path& path, const char* what, int error) {
  throw Error(ErrorKind::kOutput, fmt::format("{}: {}: {}", path.string(), what, errno_text(error)));
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, const std::function<bool()>& keep_waiting) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(path, "cannot be created", errno);
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;  // the file system has no locks; the hash check still protects the result
    if (!keep_waiting()) return;
    std::this_thread::sleep_for(kLockPause);
  }
  held_ = true;
}

FileLock::~FileLock() { ::close(descriptor_); }

PartFile::PartFile(std::filesystem::path path, HubFile file)
    : path_(std::move(path)), file_(std::move(file)), sum_(file_.hash_kind, file_.size) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(path_, "cannot be created", errno);
  try {
    read_existing();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

PartFile::~PartFile() { ::close(descriptor_); }

void PartFile::read_existing() {
  std::vector<char> buffer(kReadBytes);
  while (true) {
    const ssize_t n = ::read(descriptor_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path_, "cannot be read", errno);
    if (n == 0) return;
    size_ += static_cast<std::uint64_t>(n);
    if (size_ > file_.size) {
      if (!clear()) throw Error(ErrorKind::kOutput, disk_fault_);
      return;
    }
    sum_.add({buffer.data(), static_cast<std::size_t>(n)});
  }
}

bool PartFile::append(std::string_view bytes) {
  if (bytes.size() > file_.size - size_) {
    too_long_ = true;
    return false;
  }
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      disk_fault_ = fmt::format("{} cannot be written: {}", path_.string(), errno_text(errno));
      return false;
    }
    const std::string_view written = bytes.substr(0, static_cast<std::size_t>(n));
    sum_.add(written);
    size_ += written.size();
    bytes.remove_prefix(written.size());
  }
  return true;
}

bool PartFile::clear() {
  if (::ftruncate(descriptor_, 0) != 0) {
    disk_fault_ = fmt::format("{} cannot be emptied: {}", path_.string(), errno_text(errno));
    return false;
  }
  size_ = 0;
  sum_ = Checksum(file_.hash_kind, file_.size);
  return true;
}

bool PartFile::has_right_hash() {
  found_hash_ = sum_.finish();
  return found_hash_ == file_.hash;
}

void PartFile::rename_to(const std::filesystem::path& path) {
  std::error_code fault;
  std::filesystem::rename(path_, path, fault);
  if (fault) throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be renamed: {}", path_.string(), fault.message()));
}

void PartFile::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace attnviz

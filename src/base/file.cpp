// See file.h. POSIX calls, so that a failure keeps its errno for the message.
#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace attnviz {
namespace {

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

std::string errno_text(int error) { return std::strerror(error); }

// Opens a regular file (or a pipe, where `allow_pipe`) for reading and returns its size through `size`.
int open_for_reading(const std::filesystem::path& path, ErrorKind kind, std::size_t* size) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw Error(kind, fmt::format("{}: cannot be opened: {}", path.string(), errno_text(errno)));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0)
    throw Error(kind, fmt::format("{}: cannot be examined: {}", path.string(), errno_text(errno)));
  if (S_ISDIR(info.st_mode)) throw Error(kind, fmt::format("{}: is a folder; expected a file", path.string()));
  *size = S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) : 0;
  return file.release();
}

// Reads until end of file or until more than `limit` bytes came; returns false then.
bool read_until_end(int descriptor, std::size_t limit, std::string* out) {
  char buffer[1 << 16];
  while (true) {
    const ssize_t n = ::read(descriptor, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(ErrorKind::kInput, fmt::format("reading failed: {}", errno_text(errno)));
    if (n == 0) return true;
    out->append(buffer, static_cast<std::size_t>(n));
    if (out->size() > limit) return false;
  }
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  Descriptor file(open_for_reading(path, ErrorKind::kModel, &size_));
  if (size_ == 0) return;
  void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) {
    throw Error(ErrorKind::kModel, fmt::format("{}: cannot be mapped: {}", path.string(), errno_text(errno)));
  }
  data_ = static_cast<const std::byte*>(address);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

std::string read_text_file(const std::filesystem::path& path, std::size_t limit, ErrorKind kind) {
  std::size_t size = 0;
  Descriptor file(open_for_reading(path, kind, &size));
  std::string text;
  if (size <= limit) text.reserve(size);
  if (size > limit || !read_until_end(file.get(), limit, &text)) {
    throw Error(kind, fmt::format("{}: is larger than {} bytes; expected a smaller file", path.string(), limit));
  }
  return text;
}

std::string read_descriptor(int descriptor, std::size_t limit) {
  std::string text;
  if (!read_until_end(descriptor, limit, &text)) {
    throw Error(ErrorKind::kInput, fmt::format("standard input: is larger than {} bytes", limit));
  }
  return text;
}

bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

bool write_descriptor(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) return false;
    if (n < 0) throw Error(ErrorKind::kOutput, fmt::format("writing failed: {}", errno_text(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void check_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.empty()) throw Error(ErrorKind::kOutput, "output: the file name is empty");
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorKind::kOutput, fmt::format("{}: is a folder; expected a file name", path.string()));
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw Error(ErrorKind::kOutput, fmt::format("{}: its folder {} does not exist; make it first", path.string(), folder.string()));
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    throw Error(ErrorKind::kOutput, fmt::format("{}: its folder cannot be written to: {}", path.string(), errno_text(errno)));
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  check_writable(path);
  // A device or pipe (/dev/stdout) has no name to rename onto: it is written to directly.
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.get() < 0)
      throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be opened: {}", path.string(), errno_text(errno)));
    write_descriptor(device.get(), bytes);
    return;
  }
  std::string temporary = path.string() + ".XXXXXX";
  Descriptor file(::mkstemp(temporary.data()));
  if (file.get() < 0) throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be created: {}", path.string(), errno_text(errno)));
  try {
    write_descriptor(file.get(), bytes);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(file.get(), 0666 & ~mask);
    if (::close(file.release()) != 0) throw Error(ErrorKind::kOutput, fmt::format("closing failed: {}", errno_text(errno)));
    std::filesystem::rename(temporary, path);
  } catch (const std::exception& fault) {
    ::unlink(temporary.c_str());
    throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be written: {}", path.string(), fault.what()));
  }
}

}  // namespace attnviz

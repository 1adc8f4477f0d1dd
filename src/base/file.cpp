// See file.h. POSIX calls, so that a failure keeps its errno for the message.
#include "base/file.h"

#include <atomic>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attnviz {
namespace {

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

std::string errno_text(int error) { return std::generic_category().message(error); }

// Ignores a failed poll: the read or write that follows reports the error.
void wait_until_ready(int descriptor, short events) {
  pollfd wanted{descriptor, events, 0};
  ::poll(&wanted, 1, -1);
}

struct OpenFile {
  Descriptor descriptor;
  std::size_t size;  // 0 for a pipe
  bool is_regular;
};

// Opens a file or pipe for reading. `flags` are added to those of open(2).
OpenFile open_for_reading(const std::filesystem::path& path, ErrorKind kind, int flags) {
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (opened < 0) throw Error(kind, fmt::format("{}: cannot be opened: {}", path.string(), errno_text(errno)));
  Descriptor file(opened);
  struct stat info {};
  if (::fstat(opened, &info) != 0) {
    throw Error(kind, fmt::format("{}: cannot be examined: {}", path.string(), errno_text(errno)));
  }
  if (S_ISDIR(info.st_mode)) throw Error(kind, fmt::format("{}: is a folder; expected a file", path.string()));
  const bool is_regular = S_ISREG(info.st_mode);
  return {std::move(file), is_regular ? static_cast<std::size_t>(info.st_size) : 0, is_regular};
}

// Reads until end of file. Returns false once there are more than `limit` bytes. `where` opens a message.
bool read_until_end(int descriptor, std::size_t limit, ErrorKind kind, const std::string& where, std::string* out) {
  char buffer[1 << 16];
  while (true) {
    const ssize_t n = ::read(descriptor, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      wait_until_ready(descriptor, POLLIN);
      continue;
    }
    if (n < 0) throw Error(kind, fmt::format("{}: cannot be read: {}", where, errno_text(errno)));
    if (n == 0) return true;
    out->append(buffer, static_cast<std::size_t>(n));
    if (out->size() > limit) return false;
  }
}

// A path that names an open stream or a device (/dev/stdout, /proc/self/fd/1, a pipe): nothing can be renamed onto it. /dev/stdout
// also counts when a shell has redirected it to a regular file: that file's directory entry must not be replaced.
bool is_stream(const std::filesystem::path& path) {
  const std::string name = path.lexically_normal().string();
  if (name.starts_with("/dev/fd/") || name.starts_with("/proc/") || name == "/dev/stdout" || name == "/dev/stderr") return true;
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
}

// Appending, because a stream that goes to a file may already hold text there.
Descriptor open_stream(const std::filesystem::path& path) {
  Descriptor stream(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (stream.get() < 0) throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be opened: {}", path.string(), errno_text(errno)));
  return stream;
}

// The file to write: the target of a symbolic link, so that the link itself is kept.
std::filesystem::path resolve_link(const std::filesystem::path& path) {
  std::error_code fault;
  if (!std::filesystem::is_symlink(path, fault)) return path;
  const auto target = std::filesystem::canonical(path, fault);
  return fault ? path : target;
}

// A name in the folder of `path` that this process uses only once. It does not contain the name of `path`, which may already be as
// long as the file system allows.
std::string temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  return (path.parent_path() / fmt::format(".attnviz-{}-{}.tmp", ::getpid(), counter.fetch_add(1))).string();
}

// Calls `make` with temporary names until it succeeds, or fails for a reason other than a name that is taken.
template <typename Make>
bool with_temporary_name(const std::filesystem::path& path, std::string* name, Make make) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    *name = temporary_name(path);
    if (make(name->c_str())) return true;
    if (errno != EEXIST) return false;
  }
  return false;
}

// A new file in the folder of `path`, with the mode of any new file. It has no name (O_TMPFILE), so that nothing remains if the
// program is killed. If the file system does not support that, it has a temporary name, in *name.
Descriptor create_temporary(const std::filesystem::path& path, std::string* name) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  int created = -1;
  if (::access("/proc/self/fd", X_OK) == 0) created = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (created >= 0) return Descriptor(created);
  const auto open_new = [&](const char* free_name) {
    created = ::open(free_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return created >= 0;
  };
  if (with_temporary_name(path, name, open_new)) return Descriptor(created);
  throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be created: {}", path.string(), errno_text(errno)));
}

// Gives an unnamed file the name `target` or, if that exists, a temporary one (in *name). Returns false with errno set.
bool name_file(int descriptor, const std::filesystem::path& target, std::string* name) {
  const std::string unnamed = fmt::format("/proc/self/fd/{}", descriptor);
  const auto link_to = [&](const char* path) {
    return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
  };
  if (link_to(target.c_str())) return true;
  return errno == EEXIST && with_temporary_name(target, name, link_to);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe without a writer would wait for ever.
  const OpenFile file = open_for_reading(path, ErrorKind::kModel, O_NONBLOCK);
  if (!file.is_regular) throw Error(ErrorKind::kModel, fmt::format("{}: is a pipe or device; expected a file", path.string()));
  if (file.size == 0) return;
  void* address = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.descriptor.get(), 0);
  if (address == MAP_FAILED) {
    throw Error(ErrorKind::kModel, fmt::format("{}: cannot be mapped: {}", path.string(), errno_text(errno)));
  }
  data_ = static_cast<const std::byte*>(address);
  size_ = file.size;
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
  const OpenFile file = open_for_reading(path, kind, 0);
  std::string text;
  if (file.size <= limit) text.reserve(file.size);
  if (file.size > limit || !read_until_end(file.descriptor.get(), limit, kind, path.string(), &text)) {
    throw Error(kind, fmt::format("{}: is larger than {} bytes; expected a smaller file", path.string(), limit));
  }
  return text;
}

std::string read_descriptor(int descriptor, std::size_t limit) {
  std::string text;
  if (!read_until_end(descriptor, limit, ErrorKind::kInput, "standard input", &text)) {
    throw Error(ErrorKind::kInput, fmt::format("standard input: is larger than {} bytes; expected less", limit));
  }
  return text;
}

FileIdentity identify_file(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {
      1, info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size), nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)};
}

std::int64_t current_file_time() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now);
}

bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

bool write_descriptor(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {  // a non-blocking stream with a slow reader
      wait_until_ready(descriptor, POLLOUT);
      continue;
    }
    if (n < 0 && errno == EPIPE) return false;
    if (n < 0) throw Error(ErrorKind::kOutput, fmt::format("writing failed: {}", errno_text(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void check_writable(const std::filesystem::path& path) {
  if (path.empty()) throw Error(ErrorKind::kOutput, "output: the file name is empty; give one");
  std::error_code fault;
  const auto status = std::filesystem::status(path, fault);
  if (fault && status.type() != std::filesystem::file_type::not_found && fault != std::errc::permission_denied) {
    throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be written: {}", path.string(), fault.message()));
  }
  if (status.type() == std::filesystem::file_type::directory) {
    throw Error(ErrorKind::kOutput, fmt::format("{}: is a folder; expected a file name", path.string()));
  }
  if (std::filesystem::exists(status) && ::access(path.c_str(), W_OK) != 0) {  // a rename would ignore a read-only file's mode
    throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be written to: {}", path.string(), errno_text(errno)));
  }
  if (is_stream(path)) return;
  const std::filesystem::path target = resolve_link(path);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, fault)) {
    throw Error(ErrorKind::kOutput,
                fmt::format("{}: its folder {} does not exist; create it first", path.string(), folder.string()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(ErrorKind::kOutput, fmt::format("{}: its folder cannot be written to: {}", path.string(), errno_text(errno)));
  }
}

struct AtomicFile::State {
  std::filesystem::path path;    // as given
  std::filesystem::path target;  // behind a symbolic link
  bool stream = false;
  std::string temporary{};  // the temporary name; empty while the file has none
  Descriptor file;

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be written: {}", path.string(), reason));
  }
};

AtomicFile::AtomicFile(const std::filesystem::path& path) {
  check_writable(path);
  if (is_stream(path)) {
    state_.reset(new State{path, path, true, {}, open_stream(path)});
    return;
  }
  const std::filesystem::path target = resolve_link(path);
  std::string temporary;
  Descriptor file = create_temporary(target, &temporary);
  state_.reset(new State{path, target, false, temporary, std::move(file)});
}

AtomicFile::~AtomicFile() {
  if (!state_->temporary.empty()) ::unlink(state_->temporary.c_str());
}

bool AtomicFile::write(std::string_view bytes) {
  try {
    if (write_descriptor(state_->file.get(), bytes)) return true;
  } catch (const Error& fault) {
    if (state_->stream) throw Error(ErrorKind::kOutput, fmt::format("{}: {}", state_->path.string(), fault.what()));
    state_->fail(fault.what());
  }
  if (!state_->stream) state_->fail("the reader has gone away");
  return false;  // a stream's reader may stop early
}

void AtomicFile::finish() {
  State& state = *state_;
  if (state.stream) return;
  struct stat old {};
  if (::stat(state.target.c_str(), &old) == 0 && ::fchmod(state.file.get(), old.st_mode & 0777) != 0) state.fail(errno_text(errno));
  const bool named = !state.temporary.empty();
  if (!named && !name_file(state.file.get(), state.target, &state.temporary)) state.fail(errno_text(errno));
  if (::close(state.file.release()) != 0) state.fail(errno_text(errno));  // some file systems report a full disk only here
  if (state.temporary.empty()) return;                                    // it already has its final name
  if (::rename(state.temporary.c_str(), state.target.c_str()) != 0) state.fail(errno_text(errno));
  state.temporary.clear();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.finish();
}

}  // namespace attnviz

// Files: maps, whole reads, and output that appears complete or not at all.
#include "base/file.h"

#include <csignal>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "temporary_folder.h"

namespace attnviz {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string message_of(ErrorKind kind, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no error";
}

class File : public TemporaryFolder {};

TEST_F(File, MapsBytesAndMoves) {
  MappedFile map(write("f", "abc"));
  MappedFile moved(std::move(map));
  EXPECT_TRUE(map.bytes().empty());  // NOLINT: the moved-from state is part of the contract
  ASSERT_EQ(moved.bytes().size(), 3U);
  EXPECT_EQ(moved.bytes()[2], std::byte{'c'});
  map = std::move(moved);
  EXPECT_EQ(map.bytes().size(), 3U);
}

TEST_F(File, MapsAnEmptyFile) { EXPECT_TRUE(MappedFile(write("f", "")).bytes().empty()); }

TEST_F(File, RefusesToMapWhatIsNotAFile) {
  EXPECT_THAT(message_of(ErrorKind::kModel, [&] { MappedFile map(folder_ / "none"); }),
              AllOf(HasSubstr("none"), HasSubstr("No such file")));
  EXPECT_THAT(message_of(ErrorKind::kModel, [&] { MappedFile map(folder_); }), HasSubstr("is a folder"));
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(message_of(ErrorKind::kModel, [&] { MappedFile map(folder_ / "pipe"); }), HasSubstr("is a pipe"));
}

TEST_F(File, ReadsUpToTheLimit) {
  const auto path = write("f", "12345");
  EXPECT_EQ(read_text_file(path, 5, ErrorKind::kInput), "12345");
  EXPECT_THAT(message_of(ErrorKind::kInput, [&] { read_text_file(path, 4, ErrorKind::kInput); }),
              AllOf(HasSubstr(path.string()), HasSubstr("larger than 4 bytes")));
  EXPECT_THAT(message_of(ErrorKind::kModel, [&] { read_text_file(folder_, 4, ErrorKind::kModel); }), HasSubstr("is a folder"));
}

TEST_F(File, ReadsAFileWhoseSizeIsNotKnown) {  // /proc files say 0 bytes
  EXPECT_THAT(read_text_file("/proc/self/status", 1 << 20, ErrorKind::kInput), HasSubstr("Pid:"));
}

TEST_F(File, ReadsAndWritesPipesThatDoNotBlock) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  const std::string sent(1 << 20, 'x');  // more than a pipe holds, so both sides have to wait
  std::thread writer([&] {
    EXPECT_TRUE(write_descriptor(ends[1], sent));
    close(ends[1]);
  });
  EXPECT_EQ(read_descriptor(ends[0], sent.size()), sent);
  writer.join();
  close(ends[0]);
}

TEST_F(File, TellsWhenTheReaderHasGone) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_FALSE(write_descriptor(ends[1], "x"));
  close(ends[1]);
}

TEST_F(File, WritesANewFileWithTheUsualMode) {
  const mode_t mask = umask(027);
  write_file_atomically(folder_ / "out", "new");
  umask(mask);
  EXPECT_EQ(read("out"), "new");
  EXPECT_EQ(n_files(), 1U);
  struct stat info {};
  ASSERT_EQ(stat((folder_ / "out").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
}

TEST_F(File, ReplacesAFileAndKeepsItsMode) {
  const auto path = write("out", "old and longer");
  ASSERT_EQ(chmod(path.c_str(), 0604), 0);
  write_file_atomically(path, "new");
  EXPECT_EQ(read("out"), "new");
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0604U);
}

TEST_F(File, WritesThroughASymbolicLink) {
  write("target", "old");
  std::filesystem::create_symlink("target", folder_ / "link");
  write_file_atomically(folder_ / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(read("target"), "new");
}

TEST_F(File, WritesANameAsLongAsNamesCanBe) {
  const std::string name(255, 'n');
  write_file_atomically(folder_ / name, "x");
  EXPECT_EQ(read(name), "x");
  EXPECT_THAT(message_of(ErrorKind::kOutput, [&] { check_writable(folder_ / (name + "n")); }), HasSubstr("name too long"));
}

TEST_F(File, AppendsToAStreamThatIsAFile) {
  const auto path = write("log", "before ");
  const int file = open(path.c_str(), O_WRONLY | O_APPEND);
  write_file_atomically("/proc/self/fd/" + std::to_string(file), "after");
  write_file_atomically("/dev/fd/" + std::to_string(file), ".");
  close(file);
  EXPECT_EQ(read("log"), "before after.");
  EXPECT_EQ(n_files(), 1U);
}

TEST_F(File, LeavesTheOldFileWhenTheDiskIsFull) {
  write("out", "old");
  // A limit on file sizes stands in for a full disk: write(2) fails part of the way, with the old file still there.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
  const rlimit small{1000, usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message =
      message_of(ErrorKind::kOutput, [&] { write_file_atomically(folder_ / "out", std::string(5000, 'x')); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &usual), 0);
  EXPECT_THAT(message, AllOf(HasSubstr("out: cannot be written"), HasSubstr("File too large")));
  EXPECT_EQ(read("out"), "old");
  EXPECT_EQ(n_files(), 1U);
}

TEST_F(File, AppearsWhenAllPartsAreThere) {
  write("out", "old");
  AtomicFile file(folder_ / "out");
  EXPECT_TRUE(file.write("new, "));
  EXPECT_TRUE(file.write("in parts"));
  EXPECT_EQ(read("out"), "old");
  file.finish();
  EXPECT_EQ(read("out"), "new, in parts");
  EXPECT_EQ(n_files(), 1U);
}

TEST_F(File, LeavesNothingOfAFileThatIsNotFinished) {
  {
    AtomicFile file(folder_ / "out");
    file.write("half");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
    EXPECT_LE(n_files(), 1U);  // a temporary name, where a file must have one
  }
  EXPECT_EQ(n_files(), 0U);
}

TEST_F(File, LeavesNothingOfAKilledProgram) {
  const int probe = open(folder_.c_str(), O_WRONLY | O_TMPFILE, 0666);
  if (probe < 0) GTEST_SKIP() << "this file system has no files without a name";
  close(probe);
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(folder_ / "out");
    file.write("half");
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(n_files(), 0U);
}

TEST_F(File, HasTheModeOfANewFileOrOfTheOldOne) {
  const mode_t mask = umask(022);
  write_file_atomically(folder_ / "out", "first");
  const auto mode = [&] { return static_cast<unsigned>(std::filesystem::status(folder_ / "out").permissions()); };
  EXPECT_EQ(mode(), 0644U);
  std::filesystem::permissions(folder_ / "out", std::filesystem::perms(0600));
  write_file_atomically(folder_ / "out", "second");
  EXPECT_EQ(mode(), 0600U);
  EXPECT_EQ(n_files(), 1U);
  umask(mask);
}

TEST_F(File, NamesAFullDevice) {
  EXPECT_THAT(message_of(ErrorKind::kOutput, [&] { write_file_atomically("/dev/full", "x"); }),
              AllOf(HasSubstr("/dev/full: "), HasSubstr("No space left")));
}

TEST_F(File, FindsWrongOutputPathsEarly) {
  EXPECT_THAT(message_of(ErrorKind::kOutput, [&] { check_writable(folder_); }), HasSubstr("is a folder"));
  EXPECT_THAT(message_of(ErrorKind::kOutput, [&] { check_writable(folder_ / "no" / "out"); }),
              AllOf(HasSubstr((folder_ / "no").string() + " does not exist"), HasSubstr("create it first")));
  EXPECT_THAT(message_of(ErrorKind::kOutput, [&] { check_writable(""); }), HasSubstr("empty"));
  EXPECT_THAT(message_of(ErrorKind::kOutput, [&] { check_writable(folder_ / "new" / ""); }), HasSubstr("does not exist"));
  write("file", "");
  EXPECT_THAT(message_of(ErrorKind::kOutput, [&] { check_writable(folder_ / "file" / "out"); }), HasSubstr("does not exist"));
  check_writable(folder_ / "out");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  if (geteuid() != 0) {  // root may write anywhere
    std::filesystem::permissions(folder_ / "file", std::filesystem::perms::owner_read);
    EXPECT_THAT(message_of(ErrorKind::kOutput, [&] { check_writable(folder_ / "file"); }), HasSubstr("Permission denied"));
  }
}

TEST(PlainFileName, StaysInItsFolder) {
  for (const char* name : {"a", "model-00001-of-00002.safetensors", "...", ".hidden", "a b"}) EXPECT_TRUE(is_plain_file_name(name));
  for (const char* name : {"", ".", "..", "/a", "a/b", "../a", "a\\b"}) EXPECT_FALSE(is_plain_file_name(name)) << name;
  EXPECT_FALSE(is_plain_file_name(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace attnviz

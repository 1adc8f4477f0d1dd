// Hashes against values of sha256sum and git hash-object, the unfinished file, and its lock.
#include "hub/part_file.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;

const std::string kAbcSha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const std::string kAbcGitSha1 = "f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f";
const std::string kEmptyGitSha1 = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

class PartFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(::testing::TempDir()) / ("part_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    path_ = folder_ / "x.incomplete";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static HubFile abc() { return {.name = "x", .size = 3, .hash_kind = HashKind::kSha256, .hash = kAbcSha256}; }

  fs::path folder_;
  fs::path path_;
};

TEST(ChecksumTest, KnownValues) {
  Checksum sha(HashKind::kSha256, 3);
  sha.add("a");
  sha.add("bc");
  EXPECT_EQ(sha.finish(), kAbcSha256);
  Checksum git(HashKind::kGitSha1, 3);
  git.add("abc");
  EXPECT_EQ(git.finish(), kAbcGitSha1);
  EXPECT_EQ(Checksum(HashKind::kGitSha1, 0).finish(), kEmptyGitSha1);
}

TEST_F(PartFileTest, GoesOnWhereItEnded) {
  { EXPECT_TRUE(PartFile(path_, abc()).append("a")); }
  PartFile part(path_, abc());
  EXPECT_EQ(part.size(), 1u);
  EXPECT_FALSE(part.is_complete());
  EXPECT_TRUE(part.append("bc"));
  EXPECT_TRUE(part.is_complete());
  EXPECT_TRUE(part.has_right_hash());
  part.rename_to(folder_ / "x");
  EXPECT_EQ(read_text_file(folder_ / "x", 10, ErrorKind::kModel), "abc");
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(PartFileTest, TakesNoMoreThanTheFileHas) {
  PartFile part(path_, abc());
  EXPECT_TRUE(part.append("ab"));
  EXPECT_FALSE(part.append("cd"));
  EXPECT_TRUE(part.is_too_long());
  EXPECT_EQ(fs::file_size(path_), 2u);
}

TEST_F(PartFileTest, StartsAgain) {
  write_file_atomically(path_, "more than three");
  PartFile part(path_, abc());
  EXPECT_EQ(part.size(), 0u);
  EXPECT_TRUE(part.append("xyz"));
  EXPECT_FALSE(part.has_right_hash());
  EXPECT_TRUE(part.clear());
  EXPECT_TRUE(part.append("abc"));
  EXPECT_TRUE(part.has_right_hash());
  part.remove();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(PartFileTest, AFolderInItsPlaceIsAnError) {
  fs::create_directories(path_);
  EXPECT_THROW(PartFile(path_, abc()), Error);
  EXPECT_THROW(FileLock(path_, [] { return false; }), Error);
}

TEST_F(PartFileTest, OnlyOneHoldsTheLock) {
  int n_asked = 0;
  {
    const FileLock first(folder_ / "lock", [] { return false; });
    EXPECT_TRUE(first.held());
    const FileLock second(folder_ / "lock", [&] { return ++n_asked < 3; });
    EXPECT_FALSE(second.held());
    EXPECT_EQ(n_asked, 3);
  }
  EXPECT_TRUE(FileLock(folder_ / "lock", [] { return false; }).held());
}

}  // namespace
}  // namespace attnviz

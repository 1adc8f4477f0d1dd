// Ids, revisions, file names, and finding a snapshot in a cache made for the test.
#include "hub/cache.h"

#include <attnviz/error.h>

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kCommit(40, 'a');

template <typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "no error";
}

class HubCache : public ::testing::Test {
 protected:
  void SetUp() override {
    cache_ =
        fs::path(::testing::TempDir()) / ("hub_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(cache_);
    snapshot_ = cache_ / "models--org--name" / "snapshots" / kCommit;
    fs::create_directories(snapshot_);
    put(cache_ / "models--org--name" / "refs" / "main", kCommit);
  }
  void TearDown() override { fs::remove_all(cache_); }

  static void put(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    write_file_atomically(path, text);
  }

  fs::path cache_;
  fs::path snapshot_;
};

TEST(HubId, TakesIdsWithAndWithoutRevision) {
  EXPECT_EQ(parse_hub_id("org/name")->id, "org/name");
  EXPECT_EQ(parse_hub_id("org/name")->revision, "main");
  EXPECT_EQ(parse_hub_id("name")->id, "name");
  EXPECT_EQ(parse_hub_id("o-r_g.1/n.a-m_e@v1.0")->revision, "v1.0");
  EXPECT_EQ(parse_hub_id("org/name@refs/pr/1")->revision, "refs/pr/1");
}

TEST(HubId, RefusesWhatIsNoId) {
  for (const char* text : {"",       "/",        "a/",     "/a",       "a/b/c",    "..",     "../a",       "a/..", "a/b@",
                           "a/b@..", "a/b@../c", "a/b@/c", "a/b@c//d", "a/b@c/.d", "a/b@-c", "a--b",       "a..b", ".a",
                           "-a",     "a.",       "a b",    "a\\b",     "a/b@c d",  "a@b@c",  "a/\xC3\xA9", "./a",  "a\n"}) {
    EXPECT_FALSE(parse_hub_id(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_hub_id(std::string(97, 'a')).has_value());
  EXPECT_FALSE(parse_hub_id(std::string_view("a\0b", 3)).has_value());
}

TEST(HubFileName, StaysInTheFolder) {
  for (const char* name : {"a", "config.json", "onnx/model.onnx", ".gitattributes", "a b", "\xC3\xA9.json"})
    EXPECT_TRUE(is_hub_file_name(name)) << name;
  for (const char* name : {"", "/a", "a/", "a//b", "..", ".", "../a", "a/../b", "a\\b", "a\nb", "\x1b[2J", "\xff"}) {
    EXPECT_FALSE(is_hub_file_name(name)) << name;
  }
  EXPECT_FALSE(is_hub_file_name(std::string(256, 'a')));
}

TEST(HubCacheFolder, FollowsTheVariablesInOrder) {
  const std::vector<std::pair<const char*, const char*>> in_order = {{"HF_HUB_CACHE", "/x"},
                                                                     {"HF_HOME", "/x/hub"},
                                                                     {"XDG_CACHE_HOME", "/x/huggingface/hub"},
                                                                     {"HOME", "/x/.cache/huggingface/hub"}};
  std::vector<std::pair<std::string, std::string>> before;
  for (const auto& [name, expected] : in_order) {
    if (const char* value = std::getenv(name)) before.emplace_back(name, value);
    ::setenv(name, "/x", 1);
  }
  for (const auto& [name, expected] : in_order) {
    EXPECT_EQ(hub_cache_folder(), expected);
    ::setenv(name, "", 1);
  }
  EXPECT_EQ(hub_cache_folder(), "");
  ::setenv("HOME", "/home/me", 1);
  ::setenv("HF_HOME", "~/hf", 1);
  EXPECT_EQ(hub_cache_folder(), "/home/me/hf/hub");
  for (const auto& [name, expected] : in_order) ::unsetenv(name);
  for (const auto& [name, value] : before) ::setenv(name.c_str(), value.c_str(), 1);
}

TEST_F(HubCache, FindsARefAndACommit) {
  EXPECT_EQ(find_hub_snapshot(cache_, {"org/name"}), snapshot_);
  EXPECT_EQ(find_hub_snapshot(cache_, {"org/name", kCommit}), snapshot_);
  put(cache_ / "models--org--name/refs/refs/pr/1", kCommit + "\n");
  EXPECT_EQ(find_hub_snapshot(cache_, {"org/name", "refs/pr/1"}), snapshot_);
  EXPECT_EQ(find_hub_snapshot(cache_, {"org/name", "v1"}), std::nullopt);
  EXPECT_EQ(find_hub_snapshot(cache_, {"org/other"}), std::nullopt);
  EXPECT_EQ(find_hub_snapshot(cache_ / "gone", {"org/name"}), std::nullopt);
}

TEST_F(HubCache, ARefToAMissingSnapshotIsNone) {
  put(cache_ / "models--org--name/refs/main", std::string(40, 'b'));
  EXPECT_EQ(find_hub_snapshot(cache_, {"org/name"}), std::nullopt);
}

TEST_F(HubCache, RefusesARefThatIsNoCommit) {
  for (const std::string& hostile :
       {std::string("../../etc"), std::string(), std::string(41, 'a'), "../" + kCommit, std::string("\x1b[2J")}) {
    put(cache_ / "models--org--name/refs/main", hostile);
    EXPECT_THAT(message_of([&] { find_hub_snapshot(cache_, {"org/name"}); }),
                AllOf(HasSubstr("expected a commit"), HasSubstr("attnviz pull org/name")));
  }
}

TEST_F(HubCache, ASnapshotOpensAsFolderOrAsItsOnlyGguf) {
  const HubId id{"org/name"};
  const auto open = [&] { return model_in_snapshot(snapshot_, id); };
  EXPECT_THAT(message_of(open), AllOf(HasSubstr("not complete"), HasSubstr("found nothing"), HasSubstr("attnviz pull org/name")));
  put(snapshot_ / "vocab.txt", "x");
  fs::create_symlink("../../blobs/gone", snapshot_ / "config.json");
  EXPECT_THAT(message_of(open), HasSubstr("has no config.json, found vocab.txt;"));
  put(snapshot_ / "q/a-00001-of-00002.gguf", "x");
  put(snapshot_ / "q/a-00002-of-00002.gguf", "x");
  EXPECT_EQ(open(), snapshot_ / "q/a-00001-of-00002.gguf");
  put(snapshot_ / "b.gguf", "x");
  EXPECT_THAT(message_of(open), AllOf(HasSubstr("2 .gguf files"), HasSubstr("b.gguf, q/a-00001-of-00002.gguf")));
  fs::remove(snapshot_ / "config.json");
  put(snapshot_ / "config.json", "{}");
  EXPECT_EQ(open(), snapshot_);
}

TEST_F(HubCache, ListsIds) {
  for (const char* name : {"models--single", "models--b--c--d", "datasets--a--b", "models--..", "x"})
    fs::create_directories(cache_ / name);
  EXPECT_THAT(cached_hub_ids(cache_), ElementsAre("org/name", "single"));
  EXPECT_THAT(cached_hub_ids(cache_ / "gone"), ElementsAre());
}

}  // namespace
}  // namespace attnviz

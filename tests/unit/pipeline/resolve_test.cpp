// From a model's name to its folder, against a shared folder made for the test.
#include "pipeline/resolve.h"

#include <attnviz/error.h>

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Resolve : public ::testing::Test {
 protected:
  void SetUp() override {
    shared_ = fs::path(::testing::TempDir()) / fs::path("resolve_" + std::string(test_info_()->name()));
    fs::remove_all(shared_);
    fs::create_directories(shared_ / "models");
    fs::copy_file(fs::path(ATTNVIZ_DATA_DIR) / "models.json", shared_ / "models.json");
  }
  void TearDown() override { fs::remove_all(shared_); }

  std::string message_of(const std::string& wanted) const {
    try {
      resolve_model(shared_, wanted);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
      return error.what();
    }
    return "no error";
  }

  void put_default_model() const {
    const Manifest manifest = read_manifest(shared_ / "models.json");
    const fs::path folder = shared_ / "models" / manifest.default_model;
    fs::create_directories(folder);
    for (const ManifestModel& model : manifest.models) {
      if (model.name != manifest.default_model) continue;
      for (const ManifestFile& file : model.files) write_file_atomically(folder / file.name, "x");
    }
  }

  fs::path shared_;

 private:
  static const ::testing::TestInfo* test_info_() { return ::testing::UnitTest::GetInstance()->current_test_info(); }
};

TEST_F(Resolve, TakesTheDefaultWhenItIsThere) {
  put_default_model();
  const ModelPlace place = resolve_model(shared_, "");
  EXPECT_EQ(place.name, "minilm-l6");
  EXPECT_EQ(place.folder, shared_ / "models" / "minilm-l6");
}

TEST_F(Resolve, SaysTheOneCommandWhenTheDefaultIsMissing) {
  EXPECT_THAT(message_of(""), AllOf(HasSubstr("not on this machine yet"), HasSubstr("get_model.py minilm-l6")));
}

TEST_F(Resolve, AHalfModelIsMissing) {
  put_default_model();
  fs::remove(shared_ / "models" / "minilm-l6" / "config.json");
  EXPECT_THAT(message_of("minilm-l6"), HasSubstr("not on this machine yet"));
}

TEST_F(Resolve, SuggestsTheNearestName) { EXPECT_THAT(message_of("minilm-l7"), HasSubstr("did you mean minilm-l6?")); }

TEST_F(Resolve, NamesAMissingPathAsAPath) { EXPECT_THAT(message_of("no/such/folder"), HasSubstr("no such folder")); }

TEST_F(Resolve, AFileIsNotAModelFolder) {
  EXPECT_THAT(message_of((shared_ / "models.json").string()), AllOf(HasSubstr("is a file"), HasSubstr("try -m")));
}

TEST_F(Resolve, AnIdIsFoundInTheHubsCache) {
  const std::string commit(40, 'a');
  const fs::path model = shared_ / "cache" / "models--org--name";
  const fs::path snapshot = model / "snapshots" / commit;
  fs::create_directories(model / "refs");
  fs::create_directories(snapshot);
  write_file_atomically(model / "refs" / "main", commit);
  ::setenv("HF_HUB_CACHE", (shared_ / "cache").c_str(), 1);
  EXPECT_THAT(message_of("org/name"), AllOf(HasSubstr("not complete"), HasSubstr("attnviz pull org/name")));
  write_file_atomically(snapshot / "config.json", "{}");
  for (const std::string& wanted : std::vector<std::string>{"org/name", "org/name@main", "org/name@" + commit}) {
    EXPECT_EQ(resolve_model(shared_, wanted).folder, snapshot);
    EXPECT_EQ(resolve_model(shared_, wanted).name, "org/name");
  }
  EXPECT_THAT(message_of("org/name@v2"), AllOf(HasSubstr("models--org--name"), HasSubstr("attnviz pull org/name@v2")));
  EXPECT_THAT(message_of("org/nmae"), HasSubstr("did you mean org/name?"));
  write_file_atomically(model / "refs" / "main", "../../x");
  EXPECT_THAT(message_of("org/name"), HasSubstr("expected a commit"));
  ::unsetenv("HF_HUB_CACHE");
}

TEST_F(Resolve, AGgufFileIsAModel) {
  write_file_atomically(shared_ / "small.Q4_1.gguf", "GGUF");
  const ModelPlace place = resolve_model(shared_, (shared_ / "small.Q4_1.gguf").string());
  EXPECT_EQ(place.name, "small.Q4_1");
  EXPECT_EQ(place.folder, shared_ / "small.Q4_1.gguf");
}

TEST_F(Resolve, AManifestNameComesBeforeTheCache) {
  fs::create_directories(shared_ / "cache" / "models--minilm-l6" / "snapshots");
  ::setenv("HF_HUB_CACHE", (shared_ / "cache").c_str(), 1);
  EXPECT_THAT(message_of("minilm-l6"), HasSubstr("get_model.py"));
  ::unsetenv("HF_HUB_CACHE");
}

TEST_F(Resolve, AFolderIsNamedByItsLastPart) {
  fs::create_directories(shared_ / "my-bert");
  EXPECT_EQ(resolve_model(shared_, (shared_ / "my-bert/").string()).name, "my-bert");
  EXPECT_EQ(resolve_model(shared_, (shared_ / "models/../my-bert").string()).name, "my-bert");
}

}  // namespace
}  // namespace attnviz

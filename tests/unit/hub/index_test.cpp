// The hub's list of files: what is read from it, what is chosen, what is refused.
#include "hub/index.h"

#include <attnviz/error.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kCommit(40, 'c');

std::string entry(std::string_view name) {
  return fmt::format(R"({{"rfilename":"{}","size":5,"blobId":"{}"}})", name, std::string(40, '0'));
}

std::string document(std::string_view entries) {
  return fmt::format(R"({{"id":"a/b","sha":"{}","siblings":[{}]}})", kCommit, entries);
}

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

std::string fault_of(const std::string& text) {
  return message_of([&] { parse_hub_index(text, "pull a/b"); });
}

HubIndex index_of(const std::vector<std::string>& names) {
  HubIndex index{.commit = kCommit, .files = {}};
  for (const std::string& name : names) index.files.push_back({.name = name, .size = 1, .hash = std::string(40, '0')});
  return index;
}

std::vector<std::string> chosen(const std::vector<std::string>& names, std::string_view file = {}) {
  std::vector<std::string> found;
  for (const HubFile& each : choose_hub_files(index_of(names), file, "pull a/b")) found.push_back(each.name);
  return found;
}

TEST(HubIndex, ReadsSmallAndLargeFiles) {
  const std::string large = fmt::format(R"({{"rfilename":"w","size":130,"blobId":"{}","lfs":{{"sha256":"{}","size":70}}}})",
                                        std::string(40, '1'), std::string(64, '2'));
  const HubIndex index = parse_hub_index(document(entry("config.json") + "," + large), "pull a/b");
  EXPECT_EQ(index.commit, kCommit);
  ASSERT_EQ(index.files.size(), 2u);
  EXPECT_EQ(index.files[0].hash_kind, HashKind::kGitSha1);
  EXPECT_EQ(index.files[0].size, 5u);
  EXPECT_EQ(index.files[1].hash_kind, HashKind::kSha256);
  EXPECT_EQ(index.files[1].size, 70u);
  EXPECT_EQ(index.files[1].hash, std::string(64, '2'));
}

TEST(HubIndex, AListWithoutHashesIsReadButNothingCanBeTaken) {
  const HubIndex index = parse_hub_index(document(R"({"rfilename":"x.gguf"})"), "pull a/b");
  EXPECT_THAT(message_of([&] { choose_hub_files(index, "x.gguf", "pull a/b"); }), HasSubstr("no size and hash"));
}

TEST(HubIndex, RefusesHostileOnes) {
  EXPECT_THAT(fault_of(document(entry("../x"))), AllOf(HasSubstr("siblings[0].rfilename"), HasSubstr("leaves the model's folder")));
  EXPECT_THAT(fault_of(document(entry("a") + "," + entry("a"))), HasSubstr("listed twice"));
  EXPECT_THAT(fault_of(R"({"sha":"main","siblings":[]})"), HasSubstr("expected a commit"));
  EXPECT_THAT(fault_of("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(fault_of("{"), HasSubstr("not valid JSON"));
  EXPECT_THAT(fault_of(document("3")), HasSubstr("siblings[0]: expected an object"));
  EXPECT_THAT(fault_of(document(R"({"rfilename":"a","size":-1,"blobId":"x"})")), HasSubstr("siblings[0].size"));
  EXPECT_THAT(fault_of(document(R"({"rfilename":"a","size":1,"blobId":"../x"})")), HasSubstr("expected 40 hex digits"));
  EXPECT_THAT(fault_of(document(R"({"rfilename":"a","size":1,"lfs":{"sha256":"x","size":1}})")),
              HasSubstr("expected 64 hex digits"));
}

TEST(ChooseHubFiles, SafetensorsBeforeBinAndOneFileBeforeShards) {
  EXPECT_THAT(chosen({"config.json", "README.md", "model.safetensors", "model-00001-of-00001.safetensors",
                      "model.safetensors.index.json", "pytorch_model.bin"}),
              ElementsAre("config.json", "model.safetensors"));
  EXPECT_THAT(chosen({"config.json", "model-00001-of-00001.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                      "x/model-00001-of-00001.safetensors"}),
              ElementsAre("config.json", "model-00001-of-00001.safetensors", "model.safetensors.index.json"));
  EXPECT_THAT(chosen({"config.json", "pytorch_model-00001-of-00001.bin", "pytorch_model.bin.index.json", "training_args.bin"}),
              ElementsAre("config.json", "pytorch_model-00001-of-00001.bin", "pytorch_model.bin.index.json"));
}

TEST(ChooseHubFiles, SaysWhatIsMissing) {
  const auto fault = [](const std::vector<std::string>& names, std::string_view file = {}) {
    return message_of([&] { chosen(names, file); });
  };
  EXPECT_THAT(fault({}), AllOf(HasSubstr("no config.json"), HasSubstr("found none")));
  EXPECT_THAT(fault({"config.json", "tf_model.h5"}), AllOf(HasSubstr("no weights"), HasSubstr("tf_model.h5")));
  EXPECT_THAT(fault({"a.gguf", "b.gguf"}), AllOf(HasSubstr("file NAME"), HasSubstr("\"a.gguf\", \"b.gguf\"")));
  EXPECT_THAT(fault({"big-q4.gguf", "x.txt"}, "big-q5.gguf"),
              AllOf(HasSubstr("did you mean \"big-q4.gguf\""), HasSubstr("its .gguf files")));
  EXPECT_THAT(fault(std::vector<std::string>(20, "x")), HasSubstr("and 8 more"));
}

TEST(ChooseHubFiles, AFirstPartBringsTheOthers) {
  const std::vector<std::string> names = {"a-00001-of-00003.gguf", "a-00002-of-00003.gguf", "a-00003-of-00003.gguf",
                                          "b-00002-of-00003.gguf", "a-00002-of-00004.gguf"};
  EXPECT_THAT(chosen(names, names[0]), ElementsAre(names[0], names[1], names[2]));
  EXPECT_THAT(chosen(names, names[1]), ElementsAre(names[1]));
}

}  // namespace
}  // namespace attnviz

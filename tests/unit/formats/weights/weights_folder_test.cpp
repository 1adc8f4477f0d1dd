// Which weights of a folder are opened, shards of both formats, and folders that are not what they look like.
#include "formats/weights/weights_folder.h"

#include <attnviz/error.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/base/temporary_folder.h"

namespace attnviz {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string safetensors(const std::string& header, const std::string& data) {
  const std::uint64_t size = header.size();
  std::string bytes(sizeof(size), '\0');
  std::memcpy(bytes.data(), &size, sizeof(size));
  return bytes + header + data;
}

// One tensor of one byte.
std::string tensor(const std::string& name, char value) {
  return safetensors("{\"" + name + "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", std::string(1, value));
}

std::string two_tensors(const std::string& first, const std::string& second) {
  const std::string field = "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":";
  return safetensors("{\"" + first + field + "[0,1]},\"" + second + field + "[1,2]}}", "12");
}

class WeightsFolder : public TemporaryFolder {
 protected:
  void write_index(const std::string& weight_map, const std::string& name = "model.safetensors.index.json") {
    write(name, "{\"metadata\":{\"total_size\":2},\"weight_map\":" + weight_map + "}");
  }
  // A file of torch.save with the tensor "w" of six f32.
  void copy_torch(const std::string& name, const std::string& corpus_file = "good") {
    std::filesystem::copy_file(std::filesystem::path(ATTNVIZ_TEST_DIR) / "fuzz/corpus/torch_zip" / corpus_file, folder_ / name);
  }
  std::string message() {
    try {
      open_weights_folder(folder_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
      return error.what();
    }
    return "no error";
  }
  // The name of the file that is taken.
  std::string taken() { return find_weights_file(folder_).filename().string(); }
};

TEST_F(WeightsFolder, OpensOneFile) {
  write("model.safetensors", tensor("w", 'x'));
  const auto source = open_weights_folder(folder_);
  ASSERT_NE(source->find("w"), nullptr);
  EXPECT_EQ(*source->find("w")->view.data, std::byte{'x'});
  EXPECT_EQ(source->find("v"), nullptr);
  EXPECT_THAT(source->where(), HasSubstr("model.safetensors"));
}

TEST_F(WeightsFolder, OpensOneTorchFile) {
  copy_torch("pytorch_model.bin");
  const auto source = open_weights_folder(folder_);
  ASSERT_NE(source->find("w"), nullptr);
  EXPECT_EQ(source->find("w")->view.shape, (Shape{2, 3}));
  EXPECT_THAT(source->where(), HasSubstr("pytorch_model.bin"));
}

TEST_F(WeightsFolder, PrefersSafetensorsAndSingleFiles) {
  write_index("{}", "pytorch_model.bin.index.json");
  EXPECT_EQ(taken(), "pytorch_model.bin.index.json");
  copy_torch("pytorch_model.bin");
  EXPECT_EQ(taken(), "pytorch_model.bin");
  write_index("{}");
  EXPECT_EQ(taken(), "model.safetensors.index.json");
  write("model.safetensors", tensor("w", 'x'));
  EXPECT_EQ(taken(), "model.safetensors");
  EXPECT_EQ(open_weights_folder(folder_)->find("w")->view.dtype, DType::kU8);
}

// Weights that are broken are an error, also where others are beside them.
TEST_F(WeightsFolder, NeverFallsBack) {
  copy_torch("pytorch_model.bin");
  write("model.safetensors", "");
  EXPECT_THAT(message(), AllOf(HasSubstr("model.safetensors: "), HasSubstr("at least 8 bytes, found 0")));
}

TEST_F(WeightsFolder, OpensShardsInOneSortedList) {
  write("s1.safetensors", tensor("b", '1'));
  write("s2.safetensors", tensor("a", '2'));
  write("s3.safetensors", tensor("c", '3'));
  write_index(R"({"a":"s2.safetensors","b":"s1.safetensors","c":"s3.safetensors"})");
  const auto source = open_weights_folder(folder_);
  ASSERT_EQ(source->tensors().size(), 3U);
  EXPECT_EQ(source->tensors()[0].name, "a");
  EXPECT_EQ(*source->find("b")->view.data, std::byte{'1'});
  EXPECT_EQ(*source->find("c")->view.data, std::byte{'3'});
}

TEST_F(WeightsFolder, OpensShardsOfTorchFiles) {
  copy_torch("pytorch_model-00001-of-00002.bin");
  write_index(R"({"w":"pytorch_model-00001-of-00002.bin"})", "pytorch_model.bin.index.json");
  EXPECT_NE(open_weights_folder(folder_)->find("w"), nullptr);
  copy_torch("pytorch_model-00002-of-00002.bin", "good-shared");
  write_index(R"({"w":"pytorch_model-00001-of-00002.bin","x":"pytorch_model-00002-of-00002.bin"})", "pytorch_model.bin.index.json");
  EXPECT_THAT(message(), AllOf(HasSubstr("tensor \"w\""), HasSubstr("in two of the files")));
}

TEST_F(WeightsFolder, KeepsATensorThatTheIndexDoesNotList) {
  write("s1.safetensors", two_tensors("a", "more"));
  write_index(R"({"a":"s1.safetensors"})");
  EXPECT_NE(open_weights_folder(folder_)->find("more"), nullptr);
}

TEST_F(WeightsFolder, NamesWhatItLookedFor) {
  EXPECT_THAT(message(), AllOf(HasSubstr(folder_.string()), HasSubstr("model.safetensors, model.safetensors.index.json, "
                                                                      "pytorch_model.bin, pytorch_model.bin.index.json")));
}

TEST_F(WeightsFolder, FollowsLinksAndNamesBrokenOnes) {
  write("blob", tensor("w", 'x'));
  std::filesystem::create_symlink("blob", folder_ / "model.safetensors");
  EXPECT_NE(open_weights_folder(folder_)->find("w"), nullptr);
  std::filesystem::remove(folder_ / "blob");
  copy_torch("pytorch_model.bin");
  EXPECT_THAT(message(), AllOf(HasSubstr("model.safetensors: is a link to a file that is missing"), HasSubstr("download")));
  std::filesystem::remove(folder_ / "model.safetensors");
  std::filesystem::create_symlink("model.safetensors", folder_ / "model.safetensors");
  EXPECT_THAT(message(), HasSubstr("is a link to a file that is missing or cannot be reached"));
}

TEST_F(WeightsFolder, RefusesFoldersPipesAndEmptyFiles) {
  std::filesystem::create_directory(folder_ / "pytorch_model.bin");
  EXPECT_THAT(message(), HasSubstr("pytorch_model.bin: is a folder; expected a file"));
  std::filesystem::remove(folder_ / "pytorch_model.bin");
  ASSERT_EQ(mkfifo((folder_ / "pytorch_model.bin").c_str(), 0600), 0);
  EXPECT_THAT(message(), HasSubstr("pytorch_model.bin: is a pipe or device; expected a file"));
  std::filesystem::remove(folder_ / "pytorch_model.bin");
  write("pytorch_model.bin", "");
  EXPECT_THAT(message(), HasSubstr("pytorch_model.bin: expected a zip archive, as torch.save writes it, found an empty file"));
  std::filesystem::create_directory(folder_ / "model.safetensors.index.json");
  EXPECT_THAT(message(), HasSubstr("model.safetensors.index.json: is a folder; expected a file"));
}

TEST_F(WeightsFolder, RefusesShardNamesThatLeaveTheFolder) {
  for (const char* name : {"../s.safetensors", "/etc/passwd", "a/b", "a\\\\b", "..", ".", "", "s\\u0000"}) {
    write_index("{\"a\":\"" + std::string(name) + "\"}");
    EXPECT_THAT(message(), AllOf(HasSubstr("tensor \"a\""), HasSubstr("leaves the model's folder"))) << name;
  }
}

TEST_F(WeightsFolder, NamesAMissingShard) {
  write_index(R"({"a":"s9.safetensors"})");
  EXPECT_THAT(message(), AllOf(HasSubstr("\"s9.safetensors\" of tensor \"a\" is missing"), HasSubstr("index.json")));
}

TEST_F(WeightsFolder, NamesAListedTensorThatIsNotThere) {
  write("s1.safetensors", tensor("b", '1'));
  write_index(R"({"a":"s1.safetensors"})");
  EXPECT_THAT(message(), AllOf(HasSubstr("tensor \"a\""), HasSubstr("expected it in \"s1.safetensors\"")));
}

TEST_F(WeightsFolder, RefusesATensorInTwoShards) {
  write("s1.safetensors", tensor("a", '1'));
  write("s2.safetensors", two_tensors("a", "b"));
  write_index(R"({"a":"s1.safetensors","b":"s2.safetensors"})");
  EXPECT_THAT(message(), AllOf(HasSubstr("tensor \"a\""), HasSubstr("in two of the files")));
}

TEST_F(WeightsFolder, RefusesABrokenIndex) {
  write("model.safetensors.index.json", "{}");
  EXPECT_THAT(message(), HasSubstr("no \"weight_map\""));
  write_index("{}");
  EXPECT_THAT(message(), HasSubstr("\"weight_map\" is empty"));
  write_index("[]");
  EXPECT_THAT(message(), HasSubstr("weight_map: expected an object, found an array"));
  write_index(R"({"a":1})");
  EXPECT_THAT(message(), HasSubstr("weight_map.a: expected a string, found 1"));
}

TEST_F(WeightsFolder, NamesTheBrokenShard) {
  write("s1.safetensors", "short");
  write_index(R"({"a":"s1.safetensors"})");
  EXPECT_THAT(message(), AllOf(HasSubstr("s1.safetensors: "), HasSubstr("at least 8 bytes, found 5")));
}

}  // namespace
}  // namespace attnviz

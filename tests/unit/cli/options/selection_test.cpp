// "--layer"/"--head" lists: what is accepted, what is refused, and that the message says why.
#include "cli/options/selection.h"

#include <attnviz/error.h>

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const SelectionContext kSixLayers{"--layer", "layers", "tiny", 6};

std::string message_of(const std::function<void()>& choose) {
  try {
    choose();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

std::string message_of(std::string_view text) {
  return message_of([&] { parse_selection(text, kSixLayers); });
}

TEST(Selection, ReadsNumbersRangesAndAll) {
  EXPECT_THAT(parse_selection("3", kSixLayers), ElementsAre(3));
  EXPECT_THAT(parse_selection("0-2,5", kSixLayers), ElementsAre(0, 1, 2, 5));
  EXPECT_THAT(parse_selection("all", kSixLayers), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(parse_selection("2-2", kSixLayers), ElementsAre(2));
}

TEST(Selection, SortsAndDropsRepeats) { EXPECT_THAT(parse_selection("5,1-3,2,1", kSixLayers), ElementsAre(1, 2, 3, 5)); }

TEST(Selection, RefusesMalformedLists) {
  for (const char* text : {"", "a", "3-", "-1", "-", ",", "1,", "1,,2", " 1", "1 ", "1-2-3", "0x1", "+1", "1.0", "ALL", "1;2"}) {
    EXPECT_THAT(message_of(text), HasSubstr("is not a list of numbers")) << text;
    EXPECT_THROW(check_selection(text, "--layer"), Error) << text;
  }
}

TEST(Selection, RefusesBackwardRangesAndSaysTheForwardOne) { EXPECT_THAT(message_of("4-2"), HasSubstr("try 2-4")); }

TEST(Selection, RefusesWhatTheModelDoesNotHave) {
  EXPECT_THAT(message_of("6"), HasSubstr("6 is out of range; tiny has 6 layers, numbered 0 to 5"));
  EXPECT_THAT(message_of("4-9"), HasSubstr("9 is out of range"));
  EXPECT_THAT(message_of("99999999999999999999999"), HasSubstr("out of range"));
  EXPECT_NO_THROW(check_selection("99", "--layer"));
}

TEST(SelectAvailable, TakesWhatIsThereAndNamesWhatIsNot) {
  const SelectionContext context{"--layer", "layers", "maps.json", 0};
  const std::vector<std::size_t> available{0, 3, 4, 5, 11};
  EXPECT_THAT(select_available("all", context, available), ElementsAre(0, 3, 4, 5, 11));
  EXPECT_THAT(select_available("3-5,0", context, available), ElementsAre(0, 3, 4, 5));
  EXPECT_THAT(select_available("11,11", context, available), ElementsAre(11));
  for (const char* text : {"1", "0-3", "5-6", "0-99999999999999999999", "12", "3,9"}) {
    EXPECT_THAT(message_of([&] { select_available(text, context, available); }),
                testing::AllOf(HasSubstr("\": there is no "), HasSubstr("; maps.json has these layers: 0, 3-5, 11")))
        << text;
  }
}

TEST(Kind, IsNamedAsInFiles) {
  EXPECT_EQ(parse_kind(""), std::nullopt);
  EXPECT_EQ(parse_kind("cross"), Site::kCross);
  EXPECT_EQ(message_of([] { parse_kind("crss"); }),
            "--kind crss: is not known; did you mean cross? expected one of: self, encoder, decoder, cross, vision");
}

TEST(Kind, IsTheOnlyOneOrHasToBeChosen) {
  const std::vector<Site> several{Site::kEncoder, Site::kDecoder, Site::kCross};
  EXPECT_EQ(choose_kind(std::nullopt, {Site::kSelf}, "tiny"), Site::kSelf);
  EXPECT_EQ(choose_kind(Site::kCross, several, "tiny"), Site::kCross);
  EXPECT_EQ(message_of([&] { choose_kind(std::nullopt, several, "tiny"); }),
            "--kind: tiny has several kinds of attention; choose one of: encoder, decoder, cross");
  EXPECT_EQ(message_of([&] { choose_kind(Site::kVision, {Site::kSelf}, "tiny"); }),
            "--kind vision: tiny has no such attention; expected self");
}

}  // namespace
}  // namespace attnviz

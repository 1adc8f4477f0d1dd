// "did you mean".
#include "base/suggest.h"

#include <vector>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("minilm", "minlm"), 1U);
  EXPECT_EQ(edit_distance("layer", "alyer"), 1U);  // two neighbours swapped
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(ClosestName, FindsASlipAndOnlyASlip) {
  const std::vector<std::string> known = {"minilm-l6", "smollm2-135m", "bert"};
  EXPECT_EQ(closest_name("MiniLM-6", known), "minilm-l6");
  EXPECT_EQ(closest_name("bret", known), "bert");
  EXPECT_EQ(closest_name("smoll", known), "smollm2-135m");  // its beginning
  EXPECT_EQ(closest_name("sm", known), std::nullopt);
  EXPECT_EQ(closest_name("gpt2", known), std::nullopt);
  EXPECT_EQ(closest_name("x", std::vector<std::string>{}), std::nullopt);
  EXPECT_EQ(closest_name(std::string(1000, 'b'), known), std::nullopt);
}

}  // namespace
}  // namespace attnviz

// Whether numbers can be attention: rows of every precision, what is refused and how the message names it, and what --force makes
// of it.
#include "formats/maps/map_checks.h"

#include <attnviz/error.h>

#include <bit>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor/half.h"

namespace attnviz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

MapFile file_of(const std::vector<std::vector<float>>& rows) {
  MapFile file;
  AttentionMap map{Site::kSelf, 3, 1, rows.size(), rows[0].size(), {}};
  for (const auto& row : rows) map.pattern.insert(map.pattern.end(), row.begin(), row.end());
  file.trace.model = {"m", "bert", 6, 12};
  for (std::size_t i = 0; i < map.n_query; ++i) file.trace.queries.emplace_back().text = "q" + std::to_string(i);
  for (std::size_t i = 0; i < map.n_key; ++i) file.trace.keys.emplace_back().text = "k" + std::to_string(i);
  file.trace.maps.push_back(map);
  return file;
}

std::string message_of(MapFile file) {
  try {
    check_maps(&file, {"f.json", false});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "";
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(CheckMaps, AcceptsRowsThatSumToOneOrToNothing) {
  EXPECT_EQ(message_of(file_of({{0.3F, 0.7F}, {0, 0}, {1, 0}, {-0.0F, 1}})), "");
}

TEST(CheckMaps, NamesLayerHeadRowAndColumnOfABadCell) {
  const auto starts = [](const char* what) {
    return testing::StartsWith(std::string("f.json: layer 3, head 1, row 1 (\"q1\"), column 1 (\"k1\"): ") + what);
  };
  EXPECT_THAT(message_of(file_of({{1, 0}, {1, kNan}})), starts("is not a number"));
  EXPECT_THAT(message_of(file_of({{1, 0}, {1, -0.125F}})),
              AllOf(starts("is negative"), HasSubstr("found -0.125"), HasSubstr("try force")));
  EXPECT_THAT(message_of(file_of({{1, 0}, {1, kInfinity}})), starts("is not finite"));
  EXPECT_THAT(message_of(file_of({{1, 0}, {1, -kInfinity}})), starts("is negative"));
}

TEST(CheckMaps, NamesTheRowThatDoesNotSumToOne) {
  EXPECT_THAT(message_of(file_of({{1, 0}, {0.3F, 0.6F}})),
              AllOf(HasSubstr("f.json: layer 3, head 1, row 1 (\"q1\"): sums to 0.9; expected 1 within 0.00012, or all zeros"),
                    HasSubstr("try force")));
  EXPECT_THAT(message_of(file_of({{3.3F, 7.1F}, {0.3F, 0.6F}})), HasSubstr("scores before softmax?"));
  EXPECT_THAT(message_of(file_of({{0.9F, 0.3F}, {0.1F, 0.7F}})), HasSubstr("rows and columns the wrong way round?"));
}

TEST(CheckMaps, LetsKeysBeMissingWhereTheFileSaysSo) {
  MapFile hidden = file_of({{0.3F, 0.6F}});
  hidden.trace.special_hidden = true;
  EXPECT_EQ(message_of(hidden), "");
  MapFile part = file_of({{0.3F, 0.6F}});
  part.trace.keys[0].position = 7;
  EXPECT_EQ(message_of(part), "");
  part.trace.maps[0].pattern[0] = 0.5F;
  EXPECT_THAT(message_of(part), HasSubstr("sums to 1.1; expected at most 1 within"));
  MapFile pooled = file_of({{0.9F, 0.6F}});
  pooled.trace.pool = Pool{2, 2, PoolBy::kMax};
  EXPECT_EQ(message_of(pooled), "");
  MapFile largest = file_of({{0.9F, 0.6F}});
  largest.trace.reduced = Reduction{};
  EXPECT_THAT(message_of(largest), HasSubstr("sums to 1.5"));
  largest.trace.reduced->by = ReduceBy::kMax;
  EXPECT_EQ(message_of(largest), "");
  pooled.trace.maps[0].pattern[0] = -1;
  EXPECT_THAT(message_of(pooled), HasSubstr("is negative"));
}

TEST(CheckMaps, ForceMakesBadCellsNotANumberAndCountsTheRest) {
  MapFile file = file_of({{1, kInfinity, -1}, {0.3F, 0.6F, 0}, {0.5F, 0.5F, 0}, {0, 0.3F, 0.3F}});
  check_maps(&file, {"f.json", true});
  EXPECT_THAT(file.trace.notes, ElementsAre("2 cells are not valid weights", "2 rows do not sum to 1"));
  EXPECT_TRUE(std::isnan(file.trace.maps[0].pattern[1]) && std::isnan(file.trace.maps[0].pattern[2]));
  EXPECT_EQ(file.trace.maps[0].pattern[0], 1.0F);
  EXPECT_EQ(file.trace.maps[0].pattern[4], 0.6F);
  MapFile one = file_of({{kNan, 1}, {0.5F, 0.25F}});
  check_maps(&one, {"f.json", true});
  EXPECT_THAT(one.trace.notes, ElementsAre("1 cell is not a valid weight", "1 row does not sum to 1"));
  MapFile sound = file_of({{1, 0}});
  check_maps(&sound, {"f.json", true});
  EXPECT_THAT(sound.trace.notes, IsEmpty());
}

// The nearest f16 of a weight, through the table of all of them.
float to_f16(float weight) {
  float best = 0;
  std::uint16_t low = 0;
  std::uint16_t high = 0x3C00;  // 1
  while (low <= high) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    const float value = f16_to_f32(middle);
    if (std::abs(value - weight) < std::abs(best - weight)) best = value;
    if (value < weight) {
      low = static_cast<std::uint16_t>(middle + 1);
    } else {
      if (middle == 0) break;
      high = static_cast<std::uint16_t>(middle - 1);
    }
  }
  return best;
}

float to_bf16(float weight) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(weight) & 0xFFFF0000U); }

// A row of softmax over n random scores.
std::vector<float> random_row(std::size_t n, float spread, std::mt19937* random) {
  std::vector<float> row(n);
  std::normal_distribution<float> scores(0, spread);
  double sum = 0;
  for (float& weight : row) sum += weight = std::exp(scores(*random));
  for (float& weight : row) weight = static_cast<float>(weight / sum);
  return row;
}

TEST(CheckMaps, AcceptsRoundedRowsOfEveryLength) {
  std::mt19937 random(7);
  for (const std::size_t n : {1, 2, 13, 60, 512, 4096}) {
    for (const float spread : {0.1F, 1.0F, 4.0F}) {
      for (int i = 0; i < 20; ++i) {
        const std::vector<float> row = random_row(n, spread, &random);
        std::vector<float> half(row);
        std::vector<float> brain(row);
        for (float& weight : half) weight = to_f16(weight);
        for (float& weight : brain) weight = to_bf16(weight);
        EXPECT_EQ(message_of(file_of({row})), "");
        EXPECT_EQ(message_of(file_of({half})), "");
        EXPECT_EQ(message_of(file_of({brain})), "");
        MapFile decimals = file_of({row});
        decimals.decimals = 5;
        for (float& weight : decimals.trace.maps[0].pattern) weight = std::round(weight * 1e5F) / 1e5F;
        EXPECT_EQ(message_of(decimals), "");
      }
    }
  }
}

TEST(RowTolerance, IsNoWiderThanItsNumbersCallFor) {
  const std::uint32_t float_bits = std::bit_cast<std::uint32_t>(0.3F);
  EXPECT_EQ(row_tolerance(float_bits, 512, MapFile::kNotRounded), 0x1p-13);
  EXPECT_EQ(row_tolerance(0x3F802000, 512, MapFile::kNotRounded), 0x1p-11 + 512 * 0x1p-25);
  EXPECT_EQ(row_tolerance(0x3F810000, 512, MapFile::kNotRounded), 0x1p-7);
  EXPECT_NEAR(row_tolerance(float_bits, 512, 4), 0.0512, 1e-12);
  EXPECT_EQ(row_tolerance(float_bits, 512, 2), 0.25);
  EXPECT_EQ(row_tolerance(float_bits, 2, 1), 0x1p-13) << "0.4 and 0.5 were not rounded, they were typed";
  EXPECT_EQ(row_tolerance(float_bits, 2, 0), 0x1p-13);
}

}  // namespace
}  // namespace attnviz

// GGUF files of the families (tests/reference/gguf_models.py) give the maps of the checkpoints they were made from, and models in
// blocks those of the reference on the numbers that the blocks stand for.
//
// Tolerance 1e-5 for the same reason as in families_test.cpp: the numbers are the same, or their blocks unpack to the same bits.
#include "formats/gguf/gguf.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "golden.h"
#include "keep_tap.h"
#include "model/model.h"

namespace attnviz {
namespace {

constexpr double kTolerance = 1e-5;

std::string test_file(const std::string& name) { return std::string(ATTNVIZ_TEST_DIR) + "/" + name; }

// The largest difference between the tap's maps and `expected`, which holds them by sequence, layer and head.
double largest_difference(const KeepTap& tap, const TokenBatch& batch, const ModelConfig& config,
                          const std::vector<float>& expected) {
  double largest = 0;
  std::size_t next = 0;
  for (std::size_t sequence = 0; sequence < batch.n_sequences(); ++sequence) {
    for (std::size_t layer = 0; layer < config.first().n_layer; ++layer) {
      for (std::size_t head = 0; head < config.first().attention.n_head; ++head) {
        for (const float value : tap.get(TapKind::kPattern, sequence, layer, head).values) {
          largest = std::max(largest, std::abs(static_cast<double>(value) - expected.at(next++)));
        }
      }
    }
  }
  EXPECT_EQ(next, expected.size());
  return largest;
}

class GgufFamilies : public testing::TestWithParam<const char*> {};

TEST_P(GgufFamilies, EveryMapIsThatOfTheCheckpoint) {
  const std::string name = GetParam();
  const auto model = load_gguf_model(open_gguf(test_file("gguf/" + name + ".gguf")));
  const Golden golden(test_file("data/" + name + "/golden.safetensors"));
  const TokenBatch batch = golden.batch();
  ThreadPool pool(2);
  KeepTap tap{TapKind::kPattern};
  Tap* taps[] = {&tap};
  model->run(pool, batch, everything(model->config()), taps);
  EXPECT_LE(largest_difference(tap, batch, model->config(), golden.read<float>("maps")), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(All, GgufFamilies,
                         testing::Values("bert", "gemma2", "gemma3", "gpt2", "gpt_neox", "llama", "llama_scaled", "phi3_longrope",
                                         "qwen2", "qwen3"),
                         [](const auto& test) { return std::string(test.param); });

class GgufBlocks : public testing::TestWithParam<const char*> {};

TEST_P(GgufBlocks, EveryMapIsTheReferencesOnTheUnpackedNumbers) {
  const std::string stem = test_file(std::string("gguf/") + GetParam());
  const auto model = load_gguf_model(open_gguf(stem + ".gguf"));
  const Golden golden(stem + ".golden.safetensors");
  TokenBatch batch;
  batch.ids = golden.read<std::int32_t>("ids");
  batch.segments.assign(batch.ids.size(), 0);
  batch.offsets = {0, batch.ids.size()};
  std::vector<float> expected;
  for (std::size_t layer = 0; layer < model->config().first().n_layer; ++layer) {
    const auto maps = golden.read<float>("pattern." + std::to_string(layer));
    expected.insert(expected.end(), maps.begin(), maps.end());
  }
  ThreadPool pool(2);
  KeepTap tap{TapKind::kPattern};
  Tap* taps[] = {&tap};
  model->run(pool, batch, everything(model->config()), taps);
  EXPECT_LE(largest_difference(tap, batch, model->config(), expected), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(All, GgufBlocks, testing::Values("llama_q4_1", "llama_q8_0"),
                         [](const auto& test) { return std::string(test.param); });

// "The animal didn't cross the street because it was too tired." and "... wide.", as the file's tokenizer cuts them.
TEST(SmolLm2, ItLooksAtTheAnimalAndNeverAhead) {
  const std::string path = std::string(ATTNVIZ_DATA_DIR) + "/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf";
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is not there; make test-models gets it";
  const auto model = load_gguf_model(open_gguf(path));
  TokenBatch batch;
  batch.ids = {504, 3161, 3683, 982, 3050, 260, 7280, 975, 357, 436, 1147, 12364, 30,
               504, 3161, 3683, 982, 3050, 260, 7280, 975, 357, 436, 1147, 3599,  30};
  batch.segments.assign(batch.ids.size(), 0);
  batch.offsets = {0, 13, 26};
  Request request;
  request.layers = {13};
  request.heads = {8};
  ThreadPool pool(2);
  KeepTap tap{TapKind::kPattern};
  Tap* taps[] = {&tap};
  model->run(pool, batch, request, taps);
  const KeptMatrix& tired = tap.get(TapKind::kPattern, 0, 13, 8);
  const KeptMatrix& wide = tap.get(TapKind::kPattern, 1, 13, 8);
  EXPECT_NEAR(tired.at(8, 1), 0.749567, 1e-5);
  for (std::size_t row = 0; row < 13; ++row) {
    for (std::size_t column = row + 1; column < 13; ++column) EXPECT_EQ(tired.at(row, column), 0.0F);
  }
  for (std::size_t column = 0; column < 13; ++column) EXPECT_EQ(tired.at(8, column), wide.at(8, column));
}

TEST(GgufData, EveryFileIsTested) {
  std::size_t n_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test_file("gguf"))) n_files += entry.path().extension() == ".gguf";
  EXPECT_EQ(n_files, 12U);
}

}  // namespace
}  // namespace attnviz

// The default decoder against the reference on the numbers of its blocks: all 270 heads on 50 texts.
//
// Tolerance 1e-4: thirty layers of f32 on both sides, sums in another order, and what one layer rounds otherwise every later one
// takes up (six layers: 4.2e-6, see default_model_test.cpp); measured: 2.0e-5 over every cell. The golden keeps four cells of every
// map and whole maps of one text; generate.py --every-cell makes one with every cell, which this test reads when
// ATTNVIZ_DECODER_GOLDEN names it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "formats/gguf/gguf.h"
#include "golden.h"
#include "keep_tap.h"
#include "model/model.h"
#include "sampled_maps.h"

namespace attnviz {
namespace {

constexpr double kTolerance = 1e-4;
constexpr double kRowSumTolerance = 1e-6;
constexpr std::size_t kBatch = 5;
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kEveryNth = 10;  // one batch: such a build is not there for the numbers
#else
constexpr std::size_t kEveryNth = 1;
#endif

TEST(DefaultDecoder, AllHeadsOfFiftyTexts) {
  const std::string path = std::string(ATTNVIZ_DATA_DIR) + "/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf";
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is not there; make test-models gets it";
  const auto model = load_gguf_model(open_gguf(path));
  const char* other = std::getenv("ATTNVIZ_DECODER_GOLDEN");
  const Golden golden(other != nullptr ? other : std::string(ATTNVIZ_TEST_DIR) + "/data/default_decoder.safetensors");
  const SampledMaps texts(golden, 30, 9);
  ASSERT_EQ(model->config().first().n_layer, texts.n_layer);
  ASSERT_EQ(model->config().first().attention.n_head, texts.n_head);
  ASSERT_EQ(texts.batch.n_sequences(), 50u);
  ASSERT_EQ(texts.values.size(), 50 * texts.n_map() * texts.n_cell);
  ASSERT_GT(texts.n_cell, 0u);
  ASSERT_GT(texts.full_lines.size(), 0u);
  ThreadPool pool(2);
  Worst worst;
  for (std::size_t begin = 0; begin < texts.batch.n_sequences(); begin += kBatch * kEveryNth) {
    KeepTap tap{TapKind::kPattern};
    Tap* taps[] = {&tap};
    model->run(pool, sequences_of(texts.batch, begin, begin + kBatch), everything(model->config()), taps);
    for (std::size_t text = begin; text < begin + kBatch; ++text) texts.compare(text, text - begin, tap, &worst);
  }
  EXPECT_LE(worst.difference, kTolerance);
  EXPECT_LE(worst.row_sum, kRowSumTolerance);
  std::printf("largest difference %.3g over %zu cells; rows sum to 1 within %.3g\n", worst.difference, worst.n_seen, worst.row_sum);
}

}  // namespace
}  // namespace attnviz

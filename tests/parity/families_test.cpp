// Every family against the reference, on small random models of odd shapes (tests/reference/generate.py says which and why).
//
// Tolerance 1e-5 on attention weights: both sides compute in f32, so they differ by the order of sums only. A score is a sum of a
// few dozen products of numbers near 1 and reaches about 10; its rounding, some 1e-6, moves a weight by at most a quarter of that,
// and three layers of it add up to a few 1e-6 (measured: 2.7e-6 at most). A lost bias, scale or norm weight moves weights by 1e-2
// and more.
#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "golden.h"
#include "keep_tap.h"
#include "model/model.h"

namespace attnviz {
namespace {

constexpr double kTolerance = 1e-5;
constexpr double kRowSumTolerance = 1e-6;
constexpr double kResidualTolerance = 5e-6;  // of the largest value: after a norm that is about 4, before one 10 and more

struct Case {
  const char* folder;
  const char* family;
  std::size_t n_layer;
  std::size_t d_head;
  std::size_t n_head = 5;
};

constexpr Case kCases[] = {
    {"bert", "bert", 3, 7},
    {"bert_classifier", "bert", 3, 5},
    {"bert_masked_lm_bf16", "bert", 3, 5},
    {"bert_pretraining_f16", "bert", 3, 5},
    {"bert_sharded", "bert", 3, 5},
    {"bert_old_names", "bert", 3, 5},
    {"distilbert", "distilbert", 3, 8},
    {"electra", "electra", 3, 7},
    {"electra_no_projection", "electra", 3, 5},
    {"albert", "albert", 3, 7},
    {"albert_inner", "albert", 4, 5},
    {"mpnet", "mpnet", 3, 7},
    {"roberta", "roberta", 3, 5},
    {"xlm_roberta", "xlm-roberta", 3, 5},
    {"camembert", "camembert", 3, 3},
    {"modernbert", "modernbert", 4, 6},
    {"modernbert_biased", "modernbert", 3, 6},
    {"deberta_v3", "deberta-v2", 3, 7},
    {"deberta_own_projections", "deberta-v2", 3, 7},
    {"deberta_p2c", "deberta-v2", 3, 7},
    {"deberta_c2p", "deberta-v2", 3, 7},
    {"gpt2", "gpt2", 3, 7},
    {"gpt_neox", "gpt_neox", 3, 10, 3},
    {"gpt_neox_sequential", "gpt_neox", 3, 10, 3},
    {"opt", "opt", 3, 7},
    {"llama", "llama", 3, 6, 6},
    {"llama_scaled", "llama", 3, 6, 4},
    {"llama_linear", "llama", 3, 6, 4},
    {"llama_mqa_bf16", "llama", 3, 6, 4},
    {"mistral", "mistral", 3, 6, 4},
    {"qwen2", "qwen2", 3, 4, 14},
    {"qwen3", "qwen3", 3, 10, 4},
    {"gemma2", "gemma2", 3, 10, 4},
    {"gemma3", "gemma3_text", 3, 10, 4},
    {"gemma3_hub", "gemma3_text", 3, 10, 4},
    {"phi3", "phi3", 3, 6, 4},
    {"phi3_longrope", "phi3", 3, 6, 4},
    {"gemma3_vision", "gemma3", 3, 10, 4},
    {"gpt2_layer_scale", "gpt2", 3, 7},
    {"llama_yarn", "llama", 3, 6, 4},
    {"opt_post_norm", "opt", 3, 7},
    {"opt_projected", "opt", 3, 7},
    {"qwen2_window", "qwen2", 3, 6, 4},
    {"qwen3_biased", "qwen3", 3, 8, 6},
    {"bert_untied_masked_lm", "bert", 3, 5},
    {"bert_old_masked_lm", "bert", 2, 5},
    {"camembert_masked_lm", "camembert", 3, 3},
    {"deberta_masked_lm", "deberta-v2", 3, 5},
    {"distilbert_masked_lm", "distilbert", 3, 5},
    {"electra_generator", "electra", 3, 5},
    {"roberta_masked_lm", "roberta", 3, 5},
};

std::string data_folder(const std::string& name) { return std::string(ATTNVIZ_TEST_DIR) + "/data/" + name; }

class Families : public testing::TestWithParam<Case> {
 protected:
  Families()
      : model_(load_model(data_folder(GetParam().folder))),
        golden_(data_folder(GetParam().folder) + "/golden.safetensors"),
        batch_(golden_.batch()) {}

  void run(KeepTap* tap) const {
    ThreadPool pool(2);
    Tap* taps[] = {tap};
    model_->run(pool, batch_, everything(model_->config()), taps);
  }

  std::unique_ptr<Model> model_;
  Golden golden_;
  TokenBatch batch_;
};

TEST_P(Families, ConfigurationIsRead) {
  const ModelConfig& config = model_->config();
  EXPECT_EQ(config.family, GetParam().family);
  EXPECT_EQ(config.first().n_layer, GetParam().n_layer);
  EXPECT_EQ(config.first().attention.n_head, GetParam().n_head);
  EXPECT_EQ(config.first().attention.d_head, GetParam().d_head);
}

TEST_P(Families, EveryMapEqualsTheReference) {
  KeepTap tap{TapKind::kPattern};
  run(&tap);
  const std::vector<float> expected = golden_.read<float>("maps");  // for each sequence [L, H, T, T], end to end
  double largest = 0;
  double worst_row = 0;
  std::size_t next = 0;
  for (std::size_t sequence = 0; sequence < batch_.n_sequences(); ++sequence) {
    const std::size_t n_tokens = batch_.offsets[sequence + 1] - batch_.offsets[sequence];
    for (std::size_t layer = 0; layer < model_->config().first().n_layer; ++layer) {
      for (std::size_t head = 0; head < GetParam().n_head; ++head) {
        const KeptMatrix& map = tap.get(TapKind::kPattern, sequence, layer, head);
        ASSERT_EQ(map.n_rows(), n_tokens);
        ASSERT_EQ(map.n_columns, n_tokens);
        for (std::size_t row = 0; row < n_tokens; ++row) {
          double sum = 0;
          for (std::size_t column = 0; column < n_tokens; ++column) {
            sum += map.at(row, column);
            largest = std::max(largest, std::abs(static_cast<double>(map.at(row, column)) - expected.at(next++)));
          }
          worst_row = std::max(worst_row, std::abs(sum - 1));
          EXPECT_EQ(map.times_seen[row], 1u);
        }
      }
    }
  }
  EXPECT_EQ(next, expected.size());
  EXPECT_LE(largest, kTolerance);
  EXPECT_LE(worst_row, kRowSumTolerance);
  RecordProperty("largest_difference", std::to_string(largest * 1e6) + "e-6");
}

// The stream after the last layer sees what no map does: that layer's output projection and feed-forward.
TEST_P(Families, ResidualStreamEqualsTheReference) {
  KeepTap tap{TapKind::kResidual};
  run(&tap);
  const auto sequence = static_cast<std::size_t>(golden_.read<std::int32_t>("hidden_sequence").at(0));
  const std::vector<float> expected = golden_.read<float>("hidden");  // [L + 1, T, D]
  const std::size_t n_tokens = batch_.offsets[sequence + 1] - batch_.offsets[sequence];
  const std::size_t size = n_tokens * model_->config().first().d_model;
  ASSERT_EQ(expected.size(), size * (model_->config().first().n_layer + 1));
  double largest = 0;
  double size_of_values = 1;
  for (const float value : expected) size_of_values = std::max(size_of_values, std::abs(static_cast<double>(value)));
  for (std::size_t place = 0; place <= model_->config().first().n_layer; ++place) {
    const KeptMatrix& stream = tap.get(TapKind::kResidual, sequence, place == 0 ? kEmbeddingLayer : place - 1, 0);
    ASSERT_EQ(stream.values.size(), size);
    for (std::size_t i = 0; i < size; ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(stream.values[i]) - expected[place * size + i]));
    }
  }
  EXPECT_LE(largest, kResidualTolerance * size_of_values);
  RecordProperty("largest_difference", std::to_string(largest * 1e6) + "e-6");
}

// Final norm, output matrix (tied or not) and soft cap, at a few lengths of the same text: a causal model's earlier rows do not
// know what follows them. LongRoPE turns a whole text by its length, so there only the whole one compares.
TEST_P(Families, NextTokenScoresEqualTheReference) {
  const auto sequence = static_cast<std::size_t>(golden_.read<std::int32_t>("hidden_sequence").at(0));
  const TokenBatch whole = sequence_of(batch_, sequence);
  ThreadPool pool(2);
  if (model_->config().first().output.kind != OutputKind::kNextToken) {
    EXPECT_THROW(model_->next_token_logits(pool, whole), Error);
    return;
  }
  if (!golden_.has("logits")) GTEST_SKIP() << "the checkpoint is of the model without its head";
  const std::vector<float> expected = golden_.read<float>("logits");  // [T, V]
  const std::size_t n_vocab = model_->config().first().embedding.n_vocab;
  ASSERT_EQ(expected.size(), whole.n_tokens() * n_vocab);
  const auto& rope = model_->config().first().attention.rope;
  const bool any_length = !rope || rope->long_frequencies.empty();
  for (const std::size_t length : {std::size_t{1}, whole.n_tokens() / 2, whole.n_tokens()}) {
    if (length < whole.n_tokens() && !any_length) continue;
    TokenBatch part;
    part.ids.assign(whole.ids.begin(), whole.ids.begin() + static_cast<std::ptrdiff_t>(length));
    part.segments.assign(length, 0);
    part.offsets = {0, length};
    const std::vector<float> logits = model_->next_token_logits(pool, part);
    ASSERT_EQ(logits.size(), n_vocab);
    const float* row = expected.data() + (length - 1) * n_vocab;
    double size_of_values = 1;
    for (std::size_t i = 0; i < n_vocab; ++i) size_of_values = std::max(size_of_values, std::abs(static_cast<double>(row[i])));
    for (std::size_t i = 0; i < n_vocab; ++i) EXPECT_NEAR(logits[i], row[i], kTolerance * size_of_values) << length << ", " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(kCases), [](const auto& one) { return std::string(one.param.folder); });

TEST(FamiliesData, EveryFolderIsTested) {
  std::set<std::string> tested;
  for (const Case& one : kCases) tested.insert(one.folder);
  for (const auto& entry : std::filesystem::directory_iterator(data_folder(""))) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(tested.contains(entry.path().filename())) << entry.path();
  }
}

TEST(FamiliesData, EveryFamilyIsTested) {
  std::set<std::string> tested;
  for (const Case& one : kCases) tested.insert(one.family);
  for (const std::string& family : supported_families()) EXPECT_TRUE(tested.contains(family)) << family;
}

}  // namespace
}  // namespace attnviz

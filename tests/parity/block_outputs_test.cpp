// What each block and each head adds to the stream, and the norms' statistics, against values captured from the reference
// (tests/reference/block_cases.py); and that the parts are the whole.
//
// Values of the stream's kind have the tolerance of streams in families_test.cpp, 5e-6 of the largest value: the order of sums
// differs. Pattern times length is a weight times a number up to 10, so it has that tolerance too. A norm's factor is at most a few
// units and known to the relative precision of the stream it is computed from.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "edit_golden.h"
#include "formats/gguf/gguf.h"
#include "golden.h"
#include "keep_tap.h"
#include "model/model.h"
#include "model/run/kv_cache.h"

namespace attnviz {
namespace {

constexpr double kTolerance = 5e-6;     // of the largest value
constexpr double kSumTolerance = 1e-5;  // of the largest value: a sum of up to nine such rows

std::string data_folder(const std::string& name) { return std::string(ATTNVIZ_TEST_DIR) + "/data/" + name; }

class BlockOutputs : public testing::TestWithParam<std::string> {
 protected:
  BlockOutputs()
      : model_(load_model(data_folder(GetParam()))),
        golden_(std::string(ATTNVIZ_TEST_DIR) + "/blocks/" + GetParam() + ".safetensors"),
        batch_(golden_.batch()) {}

  void run(KeepTap* tap) const {
    ThreadPool pool(2);
    Tap* taps[] = {tap};
    model_->run(pool, batch_, everything(model_->config()), taps);
  }

  // The values of one tap kind in every layer, and in every head where it has heads.
  void expect_golden(const KeepTap& tap, TapKind kind, const std::string& name, bool has_heads) const {
    Comparison values(golden_.read<float>(name));
    const Request all = everything(model_->config());
    for (const std::size_t layer : all.layers) {
      for (std::size_t head = 0; head < (has_heads ? all.heads.size() : 1); ++head)
        values.add(tap.get(kind, 0, layer, head).values);
    }
    values.finish_relative(kTolerance, name);
  }

  std::unique_ptr<Model> model_;
  Golden golden_;
  TokenBatch batch_;
};

TEST_P(BlockOutputs, WhatBlocksAddEqualsTheReference) {
  KeepTap tap{TapKind::kAttentionOut, TapKind::kFeedForwardOut};
  run(&tap);
  expect_golden(tap, TapKind::kAttentionOut, "attention_out", false);
  expect_golden(tap, TapKind::kFeedForwardOut, "feed_forward_out", false);
}

TEST_P(BlockOutputs, WhatHeadsAddEqualsTheReference) {
  KeepTap tap{TapKind::kHeadOut, TapKind::kHeadOutNorm};
  run(&tap);
  expect_golden(tap, TapKind::kHeadOut, "head_out", true);
  for (const auto& [key, matrix] : tap.all()) {
    const auto [kind, text, layer, head, site] = key;
    if (kind != TapKind::kHeadOutNorm) continue;
    const KeptMatrix& rows = tap.get(TapKind::kHeadOut, text, layer, head);
    ASSERT_EQ(matrix.n_columns, 1u);
    ASSERT_EQ(matrix.n_rows(), rows.n_rows());
    for (std::size_t row = 0; row < rows.n_rows(); ++row) {
      double squares = 0;
      for (std::size_t i = 0; i < rows.n_columns; ++i) squares += std::pow(static_cast<double>(rows.at(row, i)), 2);
      EXPECT_NEAR(matrix.at(row, 0), std::sqrt(squares), kTolerance * std::max(1.0, std::sqrt(squares)));
    }
  }
}

// Also where no tap wants the pattern itself.
TEST_P(BlockOutputs, WhatKeysGiveEqualsTheReference) {
  KeepTap tap{TapKind::kPairNorm};
  run(&tap);
  expect_golden(tap, TapKind::kPairNorm, "pair_norm", true);
}

TEST_P(BlockOutputs, NormStatisticsEqualTheReference) {
  KeepTap tap{TapKind::kAttentionNorm, TapKind::kFeedForwardNorm, TapKind::kFinalNorm};
  ThreadPool pool(2);
  Tap* taps[] = {&tap};
  const Request all = everything(model_->config());
  if (model_->has_logits()) {
    model_->logits(pool, batch_, all_rows(batch_.offsets), std::span(&all, 1), taps);
  } else {
    model_->run(pool, batch_, all, taps);
  }
  expect_golden(tap, TapKind::kFeedForwardNorm, "feed_forward_norm", false);
  const std::vector<float> expected = golden_.read<float>("attention_norm");  // [L, T, 2]
  const std::size_t n_values = batch_.n_tokens() * 2;
  for (const std::size_t layer : all.layers) {
    const std::vector<float> rows(expected.begin() + static_cast<std::ptrdiff_t>(layer * n_values),
                                  expected.begin() + static_cast<std::ptrdiff_t>((layer + 1) * n_values));
    if (!tap.all().contains({TapKind::kAttentionNorm, 0, layer, 0, Site::kSelf})) {
      // ModernBERT's first layer has no norm there: the reference subtracts 0 and multiplies with 1.
      EXPECT_EQ(rows[0], 0.0F);
      EXPECT_EQ(rows[1], 1.0F);
      continue;
    }
    Comparison values(rows);
    values.add(tap.get(TapKind::kAttentionNorm, 0, layer, 0).values);
    values.finish_relative(kTolerance, "attention_norm of layer " + std::to_string(layer));
  }
  if (!golden_.has("final_norm")) return;
  Comparison values(golden_.read<float>("final_norm"));
  values.add(tap.get(TapKind::kFinalNorm, 0, all.layers.back(), 0).values);
  values.finish_relative(kTolerance, "final_norm");
}

INSTANTIATE_TEST_SUITE_P(All, BlockOutputs,
                         testing::Values("bert_masked_lm_bf16", "modernbert", "deberta_v3", "deberta_own_projections", "gpt2",
                                         "llama", "gemma2"),
                         [](const auto& one) { return one.param; });

// The kinds that come per row, or per head and row.
constexpr std::initializer_list<TapKind> kRowKinds = {TapKind::kAttentionOut,    TapKind::kFeedForwardOut, TapKind::kHeadOut,
                                                      TapKind::kHeadOutNorm,     TapKind::kPairNorm,       TapKind::kAttentionNorm,
                                                      TapKind::kFeedForwardNorm, TapKind::kContext,        TapKind::kPattern};

class Kinds : public testing::TestWithParam<std::string> {
 protected:
  Kinds() : model_(load_model(data_folder(GetParam()))) {
    const TokenBatch batch = Golden(data_folder(GetParam()) + "/golden.safetensors").batch();
    text_ = sequence_of(batch, batch.n_sequences() - 1);
  }

  void run(const Request& request, KeepTap* tap) const {
    ThreadPool pool(2);
    Tap* taps[] = {tap};
    model_->run(pool, text_, request, taps);
  }

  std::unique_ptr<Model> model_;
  TokenBatch text_;
};

// Heads that are not asked for are not computed in the last layer, and other rows are left out where nothing needs them.
TEST_P(Kinds, AFewRowsAndHeadsHaveTheBitsOfAll) {
  KeepTap all{kRowKinds};
  run(everything(model_->config()), &all);
  Request request{{1, 2}, {1, 2}};
  request.rows = QueryRows{3, 6};
  KeepTap few{kRowKinds};
  run(request, &few);
  std::set<TapKind> seen;
  for (const auto& [key, matrix] : few.all()) {
    const auto [kind, text, layer, head, site] = key;
    const KeptMatrix& whole = all.all().at(key);
    seen.insert(kind);
    EXPECT_TRUE(layer == 1 || layer == 2);
    ASSERT_GE(matrix.n_rows(), 6u);
    for (std::size_t row = 3; row < 6; ++row) {
      EXPECT_EQ(matrix.times_seen[row], 1u);
      for (std::size_t i = 0; i < matrix.n_columns; ++i) ASSERT_EQ(matrix.at(row, i), whole.at(row, i)) << static_cast<int>(kind);
    }
  }
  EXPECT_EQ(seen.size(), kRowKinds.size());
}

// One kind at a time: what a tap sees does not depend on what others want.
TEST_P(Kinds, EachAloneHasTheSameBits) {
  KeepTap all{kRowKinds};
  run(everything(model_->config()), &all);
  for (const TapKind kind : kRowKinds) {
    KeepTap one{kind};
    run(everything(model_->config()), &one);
    EXPECT_FALSE(one.all().empty());
    for (const auto& [key, matrix] : one.all()) EXPECT_EQ(matrix.values, all.all().at(key).values) << static_cast<int>(kind);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Kinds,
                         testing::Values("bert", "modernbert", "deberta_v3", "gpt2", "gpt_neox", "llama", "gemma2", "albert"),
                         [](const auto& one) { return one.param; });

// A text that grows over cached keys shows its new rows at their positions in the whole text.
class Grown : public Kinds {};

TEST_P(Grown, RowsAreThoseOfTheWholeText) {
  const Request request = everything(model_->config());
  KeepTap all{kRowKinds};
  run(request, &all);
  ThreadPool pool(2);
  KvCache cache(model_->config(), text_.n_tokens());
  std::size_t begin = 0;
  for (const std::size_t end : {std::size_t{4}, std::size_t{5}, text_.n_tokens()}) {
    KeepTap grown{kRowKinds};
    Tap* taps[] = {&grown};
    model_->extend(pool, cache, std::span(text_.ids).subspan(begin, end - begin), request, taps);
    ASSERT_EQ(grown.all().size(), all.all().size());
    for (const auto& [key, matrix] : grown.all()) {
      const KeptMatrix& whole = all.all().at(key);
      ASSERT_EQ(matrix.n_rows(), end);
      for (std::size_t row = begin; row < end; ++row) {
        EXPECT_EQ(matrix.times_seen[row], 1u);
        Comparison values({whole.values.begin() + static_cast<std::ptrdiff_t>(row * whole.n_columns),
                           whole.values.begin() + static_cast<std::ptrdiff_t>(row * whole.n_columns + matrix.n_columns)});
        values.add(std::span(matrix.values).subspan(row * matrix.n_columns, matrix.n_columns));
        values.finish_relative(kSumTolerance, "kind " + std::to_string(static_cast<int>(std::get<0>(key))));
      }
    }
    begin = end;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Grown, testing::Values("gpt2", "gpt_neox", "llama", "gemma2"),
                         [](const auto& one) { return one.param; });

struct Part {
  const char* folder;
  const char* bias;  // name of the output projection's bias in layer 1; empty: the model has none
};

// The models that add what a block makes to the stream as it is.
class Sums : public testing::TestWithParam<std::string> {};

TEST_P(Sums, BlocksAddUpToTheStream) {
  const auto model = load_model(data_folder(GetParam()));
  const TokenBatch batch = Golden(data_folder(GetParam()) + "/golden.safetensors").batch();
  KeepTap tap{TapKind::kAttentionOut, TapKind::kFeedForwardOut, TapKind::kResidual};
  Tap* taps[] = {&tap};
  ThreadPool pool(2);
  model->run(pool, batch, everything(model->config()), taps);
  for (std::size_t text = 0; text < batch.n_sequences(); ++text) {
    const std::vector<float>& first = tap.get(TapKind::kResidual, text, kEmbeddingLayer, 0).values;
    std::vector<double> sum(first.begin(), first.end());
    for (const std::size_t layer : everything(model->config()).layers) {
      for (const TapKind kind : {TapKind::kAttentionOut, TapKind::kFeedForwardOut}) {
        const std::vector<float>& added = tap.get(kind, text, layer, 0).values;
        ASSERT_EQ(added.size(), sum.size());
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added[i];
      }
      const std::vector<float>& stream = tap.get(TapKind::kResidual, text, layer, 0).values;
      Comparison values({stream.begin(), stream.end()});
      values.add(std::vector<float>(sum.begin(), sum.end()));
      values.finish_relative(kSumTolerance, "text " + std::to_string(text) + ", layer " + std::to_string(layer));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sums,
                         testing::Values("gpt2", "opt", "gpt_neox", "gpt_neox_sequential", "llama", "llama_linear", "mistral",
                                         "qwen2", "qwen3", "gemma2", "gemma3", "phi3", "modernbert", "modernbert_biased"),
                         [](const auto& one) { return one.param; });

class Heads : public testing::TestWithParam<Part> {
 protected:
  Heads()
      : model_(load_model(data_folder(GetParam().folder))),
        batch_(Golden(data_folder(GetParam().folder) + "/golden.safetensors").batch()),
        bias_(model_->config().first().d_model) {
    if (*GetParam().bias != '\0')
      bias_ = Golden(data_folder(GetParam().folder) + "/model.safetensors").read<float>(GetParam().bias);
  }

  void run(const Edits& edits, KeepTap* tap) const {
    ThreadPool pool(2);
    Tap* taps[] = {tap};
    RunInput input(batch_);
    input.edits = std::span(&edits, 1);
    model_->run(pool, input, everything(model_->config()), taps);
  }

  std::unique_ptr<Model> model_;
  TokenBatch batch_;
  std::vector<float> bias_;
};

TEST_P(Heads, AddUpToTheBlockWithoutItsBias) {
  KeepTap tap{TapKind::kAttentionOut, TapKind::kHeadOut};
  run({}, &tap);
  const Request all = everything(model_->config());
  for (std::size_t text = 0; text < batch_.n_sequences(); ++text) {
    Comparison values(tap.get(TapKind::kAttentionOut, text, 1, 0).values);
    std::vector<double> sum(tap.get(TapKind::kAttentionOut, text, 1, 0).values.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = bias_[i % bias_.size()];
    for (const std::size_t head : all.heads) {
      const std::vector<float>& part = tap.get(TapKind::kHeadOut, text, 1, head).values;
      ASSERT_EQ(part.size(), sum.size());
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
    }
    values.add(std::vector<float>(sum.begin(), sum.end()));
    values.finish_relative(kTolerance, "text " + std::to_string(text));
  }
}

TEST_P(Heads, AllRemovedLeaveTheBias) {
  Edits edits;
  for (const std::size_t head : everything(model_->config()).heads) edits.heads.push_back({1, head, 0.0F});
  KeepTap tap{TapKind::kAttentionOut};
  run(edits, &tap);
  for (std::size_t text = 0; text < batch_.n_sequences(); ++text) {
    const std::vector<float>& added = tap.get(TapKind::kAttentionOut, text, 1, 0).values;
    for (std::size_t i = 0; i < added.size(); ++i) ASSERT_EQ(added[i], bias_[i % bias_.size()]);
  }
}

// An output projection that is stored in blocks (GPT-2's, above, is stored transposed).
TEST(StoredHeads, AddUpToTheBlock) {
  const std::string folder = ATTNVIZ_TEST_DIR;
  std::vector<std::unique_ptr<Model>> models;
  models.push_back(load_gguf_model(open_gguf(folder + "/gguf/llama_q4_1.gguf")));
  models.push_back(load_gguf_model(open_gguf(folder + "/gguf/llama_q8_0.gguf")));
  TokenBatch text;
  text.ids = {2, 3, 5, 7, 11, 13, 17, 19, 23};
  text.segments.assign(text.ids.size(), 0);
  text.offsets = {0, text.ids.size()};
  ThreadPool pool(2);
  for (const auto& model : models) {
    KeepTap tap{TapKind::kAttentionOut, TapKind::kHeadOut};
    Tap* taps[] = {&tap};
    model->run(pool, text, everything(model->config()), taps);
    const std::vector<float>& whole = tap.get(TapKind::kAttentionOut, 0, 1, 0).values;
    std::vector<double> sum(whole.size());
    for (const std::size_t head : everything(model->config()).heads) {
      const std::vector<float>& part = tap.get(TapKind::kHeadOut, 0, 1, head).values;
      ASSERT_EQ(part.size(), sum.size());
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
    }
    Comparison values(whole);
    values.add(std::vector<float>(sum.begin(), sum.end()));
    values.finish_relative(kTolerance, "heads");
  }
}

INSTANTIATE_TEST_SUITE_P(All, Heads,
                         testing::Values(Part{"bert", "encoder.layer.1.attention.output.dense.bias"},
                                         Part{"deberta_own_projections", "encoder.layer.1.attention.output.dense.bias"},
                                         Part{"modernbert", ""}, Part{"modernbert_biased", "layers.1.attn.Wo.bias"},
                                         Part{"gpt2", "transformer.h.1.attn.c_proj.bias"},
                                         Part{"gpt_neox", "gpt_neox.layers.1.attention.dense.bias"},
                                         Part{"opt", "model.decoder.layers.1.self_attn.out_proj.bias"}, Part{"llama", ""},
                                         Part{"llama_linear", "model.layers.1.self_attn.o_proj.bias"}, Part{"qwen3", ""},
                                         Part{"phi3", ""}),
                         [](const auto& one) { return std::string(one.param.folder); });

}  // namespace
}  // namespace attnviz

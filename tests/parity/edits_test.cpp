// Edited runs against the reference with hooks (tests/reference/edit_cases.py): heads' contexts scaled and replaced, pairs cut,
// blocks left out; and what must hold of edits without any reference.
//
// Tolerances as in families_test.cpp, for the same reason: both sides compute in f32 and differ by the order of sums only. In f64
// the reference moves by 1.8e-6 on maps, and by 0.9e-6 of the largest value on streams (2.1e-6 on logits). Every edit of the
// goldens moves the last stream by 2e-2 at least.
#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "edit_golden.h"
#include "golden.h"
#include "keep_tap.h"
#include "model/model.h"

namespace attnviz {
namespace {

constexpr double kTolerance = 1e-5;
constexpr double kStreamTolerance = 5e-6;  // of the largest value
constexpr double kLogitsTolerance = 1e-5;  // of the largest value: logits are sums over a whole row of the stream

std::string data_folder(const std::string& name) { return std::string(ATTNVIZ_TEST_DIR) + "/data/" + name; }

// What a run over a batch shows of every layer from `first_layer` on, and its logits where the model has any.
struct Shown {
  KeepTap tap{TapKind::kPattern, TapKind::kResidual};
  std::vector<float> logits;
};

void run_all(const Model& model, const RunInput& input, std::span<const std::size_t> offsets, std::size_t first_layer,
             Shown* shown) {
  ThreadPool pool(2);
  Tap* taps[] = {&shown->tap};
  const Request request = everything(model.config(), Site::kSelf, first_layer);
  if (!model.has_logits()) return model.run(pool, input, request, taps);
  shown->logits = model.logits(pool, input, all_rows(offsets), std::span(&request, 1), taps);
}

std::unique_ptr<Shown> run_all(const Model& model, const TokenBatch& batch, std::span<const Edits> edits) {
  auto shown = std::make_unique<Shown>();
  RunInput input(batch);
  input.edits = edits;
  run_all(model, input, batch.offsets, 0, shown.get());
  return shown;
}

void expect_same_bits(const Shown& a, const Shown& b) {
  ASSERT_EQ(a.tap.all().size(), b.tap.all().size());
  for (const auto& [key, matrix] : a.tap.all()) EXPECT_EQ(matrix.values, b.tap.all().at(key).values);
  EXPECT_EQ(a.logits, b.logits);
}

// What is shown of text `sequence` of a batch is what is shown of the text alone.
void expect_same_bits(const Shown& batch, std::span<const std::size_t> offsets, std::size_t sequence, const Shown& alone) {
  std::size_t n_compared = 0;
  for (const auto& [key, matrix] : batch.tap.all()) {
    const auto [kind, text, layer, head, site] = key;
    if (text != sequence) continue;
    EXPECT_EQ(matrix.values, alone.tap.get(kind, 0, layer, head, site).values) << "layer " << layer << ", head " << head;
    ++n_compared;
  }
  EXPECT_GT(n_compared, 0u);
  if (batch.logits.empty()) return;
  const std::size_t n_vocab = batch.logits.size() / offsets.back();
  const auto begin = batch.logits.begin() + static_cast<std::ptrdiff_t>(offsets[sequence] * n_vocab);
  const auto end = batch.logits.begin() + static_cast<std::ptrdiff_t>(offsets[sequence + 1] * n_vocab);
  EXPECT_EQ(std::vector<float>(begin, end), alone.logits);
}

class EditedRuns : public testing::TestWithParam<std::string> {
 protected:
  EditedRuns()
      : model_(load_model(data_folder(GetParam()))),
        golden_(std::string(ATTNVIZ_TEST_DIR) + "/edits/" + GetParam() + ".safetensors"),
        batch_(golden_.batch()),
        runs_(golden_runs(golden_, model_->config())) {}

  std::unique_ptr<Model> model_;
  Golden golden_;
  TokenBatch batch_;
  std::vector<GoldenRun> runs_;
};

TEST_P(EditedRuns, EqualTheReference) {
  const ModelConfig& config = model_->config();
  Comparison maps(golden_.read<float>("maps.self"));
  Comparison stream(golden_.read<float>("hidden.self"));
  Comparison logits(golden_.has("logits") ? golden_.read<float>("logits") : std::vector<float>());
  ASSERT_EQ(model_->has_logits(), golden_.has("logits"));
  for (const GoldenRun& run : runs_) {
    const auto shown = run_all(*model_, sequence_of(batch_, run.text), std::span(&run.edits, 1));
    add_maps(shown->tap, config, Site::kSelf, &maps);
    add_stream(shown->tap, config, Site::kSelf, &stream);
    logits.add(shown->logits);
    expect_cut(shown->tap, run.edits);
  }
  maps.finish(kTolerance, "maps");
  stream.finish_relative(kStreamTolerance, "stream");
  if (model_->has_logits()) logits.finish_relative(kLogitsTolerance, "logits");
}

TEST_P(EditedRuns, AsOneBatchHaveTheBitsOfEachAlone) {
  TokenBatch texts;
  std::vector<Edits> edits;
  for (const GoldenRun& run : runs_) {
    const TokenBatch text = sequence_of(batch_, run.text);
    texts.ids.insert(texts.ids.end(), text.ids.begin(), text.ids.end());
    texts.segments.insert(texts.segments.end(), text.segments.begin(), text.segments.end());
    texts.offsets.push_back(texts.ids.size());
    edits.push_back(run.edits);
  }
  const auto together = run_all(*model_, texts, edits);
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const auto alone = run_all(*model_, sequence_of(texts, run), std::span(&edits[run], 1));
    expect_same_bits(*together, texts.offsets, run, *alone);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EditedRuns,
                         testing::Values("bert_masked_lm_bf16", "modernbert", "deberta_v3", "deberta_own_projections", "gpt2",
                                         "llama", "gemma2"),
                         [](const auto& one) { return one.param; });

// What needs no reference.
class Edited : public testing::TestWithParam<std::string> {
 protected:
  Edited() : model_(load_model(data_folder(GetParam()))), batch_(Golden(data_folder(GetParam()) + "/golden.safetensors").batch()) {
    const std::size_t n = batch_.n_sequences();
    text_ = sequence_of(batch_, std::min<std::size_t>(n - 1, 4));
  }

  const StackSpec& stack() const { return model_->config().first(); }

  void expect_refused(const Edits& edits) const {
    try {
      run_all(*model_, text_, std::span(&edits, 1));
      ADD_FAILURE() << "the edit was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput) << error.what();
    }
  }

  std::unique_ptr<Model> model_;
  TokenBatch batch_;
  TokenBatch text_;  // one of them, of 7 tokens and more
};

TEST_P(Edited, NoEditsChangeNoBit) {
  const auto plain = run_all(*model_, batch_, {});
  const std::vector<Edits> empty(batch_.n_sequences());
  expect_same_bits(*plain, *run_all(*model_, batch_, empty));
  expect_same_bits(*plain, *run_all(*model_, batch_, std::span(empty).first(1)));
}

// Sets of edits that begin at `layer`, one of each kind and several.
std::vector<Edits> edits_from(std::size_t layer, const StackSpec& stack) {
  const std::size_t last = stack.n_layer - 1;
  std::vector<float> vector(stack.attention.d_head);
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] = 0.25F * static_cast<float>(i) - 0.5F;
  Edits scaled, replaced, cut, left_out, mixed;
  scaled.heads = {{layer, 0, 0.0F}, {last, 1, 2.0F}};
  replaced.heads = {{layer, 1, 0.0F, vector}};
  cut.cuts = {{{layer}, {0, 2}, {{4, 3}, {6, 5}}}, {{last}, {}, {{5, 5}}}};
  left_out.left_out = {{layer, Block::kAttention}, {last, Block::kFeedForward}};
  mixed.heads = scaled.heads;
  mixed.cuts = {{{last}, {}, {{6, 6}, {5, 2}}}};
  mixed.left_out = {{layer, Block::kFeedForward}};
  return {scaled, {}, replaced, cut, left_out, mixed};
}

TEST_P(Edited, ResumedFromAKeptStreamHaveTheBitsOfWholeRuns) {
  ThreadPool pool(2);
  for (std::size_t layer = 0; layer < stack().n_layer; ++layer) {
    const std::vector<Edits> edits = edits_from(layer, stack());
    const KeptStream kept = model_->keep_stream(pool, text_, layer).repeated(edits.size());
    ASSERT_EQ(kept.offsets.size(), edits.size() + 1);
    Shown together;
    RunInput input;
    input.source = kept.input();
    input.edits = edits;
    run_all(*model_, input, kept.offsets, layer, &together);
    for (const auto& [key, matrix] : together.tap.all()) {
      EXPECT_GE(std::get<2>(key), layer);
      EXPECT_NE(std::get<2>(key), kEmbeddingLayer);
    }
    for (std::size_t i = 0; i < edits.size(); ++i) {
      const auto whole = run_all(*model_, text_, std::span(&edits[i], 1));
      SCOPED_TRACE("layer " + std::to_string(layer) + ", edits " + std::to_string(i));
      expect_same_bits(together, kept.offsets, i, *whole);
    }
  }
}

TEST_P(Edited, LogitsOfAKeptLastStreamHaveTheBitsOfAWholeRun) {
  ThreadPool pool(2);
  const KeptStream kept = model_->keep_stream(pool, text_, stack().n_layer);
  RunInput input;
  input.source = kept.input();
  if (!model_->has_logits()) {
    EXPECT_THROW(model_->logits(pool, input, all_rows(kept.offsets)), Error);
    return;
  }
  EXPECT_EQ(model_->logits(pool, input, all_rows(kept.offsets)), run_all(*model_, text_, {})->logits);
}

TEST_P(Edited, TheNextTokenIsScoredUnderTheEditsToo) {
  ThreadPool pool(2);
  if (stack().output.kind != OutputKind::kNextToken) {
    EXPECT_THROW(model_->next_token_logits(pool, text_), Error);
    return;
  }
  for (const Edits& edits : edits_from(1, stack())) {
    RunInput input(text_);
    input.edits = std::span(&edits, 1);
    const std::vector<float> all = run_all(*model_, text_, input.edits)->logits;
    const auto n_vocab = static_cast<std::ptrdiff_t>(stack().embedding.n_vocab);
    EXPECT_EQ(model_->next_token_logits(pool, input), std::vector<float>(all.end() - n_vocab, all.end()));
  }
}

TEST_P(Edited, ACutNamesAllLayersAndHeadsByNamingNone) {
  Edits all, each;
  const std::vector<TokenPair> pairs = {{3, 2}, {6, 4}};
  all.cuts = {{{}, {}, pairs}};
  const Request everywhere = everything(model_->config());
  for (const std::size_t layer : everywhere.layers) {
    for (const std::size_t head : everywhere.heads) each.cuts.push_back({{layer}, {head}, pairs});
  }
  const auto shown = run_all(*model_, text_, std::span(&all, 1));
  expect_same_bits(*shown, *run_all(*model_, text_, std::span(&each, 1)));
  expect_cut(shown->tap, each);
}

// No weight, no context, and numbers everywhere after it.
TEST_P(Edited, ARowWithoutKeysIsAllZeros) {
  Edits edits;
  edits.cuts = {{{1}, {1}, {}}};
  const std::size_t n_tokens = text_.n_tokens();
  for (std::size_t key = 0; key < n_tokens; ++key) edits.cuts[0].pairs.push_back({5, key});
  KeepTap tap{TapKind::kPattern, TapKind::kContext, TapKind::kResidual};
  Tap* taps[] = {&tap};
  ThreadPool pool(2);
  RunInput input(text_);
  input.edits = std::span(&edits, 1);
  model_->run(pool, input, everything(model_->config()), taps);
  const KeptMatrix& map = tap.get(TapKind::kPattern, 0, 1, 1);
  for (std::size_t key = 0; key < n_tokens; ++key) EXPECT_EQ(map.at(5, key), 0.0F);
  const KeptMatrix& context = tap.get(TapKind::kContext, 0, 1, 1);
  for (std::size_t column = 0; column < context.n_columns; ++column) EXPECT_EQ(context.at(5, column), 0.0F);
  double other = 0;
  for (std::size_t key = 0; key < n_tokens; ++key) other += map.at(4, key);
  EXPECT_NEAR(other, 1, 1e-6);
  for (const float value : tap.get(TapKind::kResidual, 0, stack().n_layer - 1, 0).values) EXPECT_TRUE(std::isfinite(value));
}

// An edit of one layer is not one of another, also where layers share their weights.
TEST_P(Edited, LayersBeforeAnEditKeepTheirBits) {
  const std::size_t last = stack().n_layer - 1;
  Edits edits;
  edits.heads = {{last, 0, 0.0F}};
  const auto plain = run_all(*model_, text_, {});
  const auto edited = run_all(*model_, text_, std::span(&edits, 1));
  for (const auto& [key, matrix] : plain->tap.all()) {
    const auto [kind, text, layer, head, site] = key;
    const bool is_before = kind == TapKind::kPattern || layer != last;
    EXPECT_EQ(matrix.values == edited->tap.all().at(key).values, is_before) << "layer " << layer << ", head " << head;
  }
}

// The engine computes only the heads that are asked for in the last layer, and all of them before it.
TEST_P(Edited, ARequestOfOneHeadSeesTheSame) {
  const std::vector<Edits> edits = edits_from(0, stack());
  const std::size_t last = stack().n_layer - 1;
  ThreadPool pool(2);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const auto all = run_all(*model_, text_, std::span(&edits[i], 1));
    RunInput input(text_);
    input.edits = std::span(&edits[i], 1);
    for (std::size_t head = 0; head < 3; ++head) {
      KeepTap tap{TapKind::kPattern};
      Tap* taps[] = {&tap};
      Request request{{last}, {head}};
      model_->run(pool, input, request, taps);
      EXPECT_EQ(tap.get(TapKind::kPattern, 0, last, head).values, all->tap.get(TapKind::kPattern, 0, last, head).values)
          << "edits " << i << ", head " << head;
    }
  }
}

TEST_P(Edited, WhatTheModelHasNotIsRefused) {
  const std::size_t n_layer = stack().n_layer;
  const std::size_t n_head = stack().attention.n_head;
  const std::size_t n_tokens = text_.n_tokens();
  const auto with = [](auto set) {
    Edits edits;
    set(&edits);
    return edits;
  };
  expect_refused(with([&](Edits* e) { e->heads = {{n_layer, 0}}; }));
  expect_refused(with([&](Edits* e) { e->heads = {{0, n_head}}; }));
  expect_refused(with([&](Edits* e) { e->heads = {{0, 0, 0.0F, {1.0F}}}; }));
  expect_refused(with([&](Edits* e) { e->heads = {{0, 0, 0.0F, {}, Site::kCross}}; }));
  expect_refused(with([&](Edits* e) { e->cuts = {{{n_layer}, {}, {{0, 0}}}}; }));
  expect_refused(with([&](Edits* e) { e->cuts = {{{}, {n_head}, {{0, 0}}}}; }));
  expect_refused(with([&](Edits* e) { e->cuts = {{{}, {}, {{n_tokens, 0}}}}; }));
  expect_refused(with([&](Edits* e) { e->cuts = {{{}, {}, {{0, n_tokens}}}}; }));
  expect_refused(with([&](Edits* e) { e->cuts = {{{}, {}, {{0, 0}}, Site::kEncoder}}; }));
  expect_refused(with([&](Edits* e) { e->left_out = {{n_layer, Block::kFeedForward}}; }));
  expect_refused(with([&](Edits* e) { e->left_out = {{0, Block::kAttention, Site::kDecoder}}; }));
}

// An edit of a layer that the run leaves out would change nothing, unnoticed.
TEST_P(Edited, AnEditBeforeTheKeptStreamIsRefused) {
  ThreadPool pool(2);
  const KeptStream kept = model_->keep_stream(pool, text_, 1);
  Edits head, cut, cut_everywhere, block;
  head.heads = {{0, 0, 0.0F}};
  cut.cuts = {{{0}, {}, {{1, 0}}}};
  cut_everywhere.cuts = {{{}, {}, {{1, 0}}}};
  block.left_out = {{0, Block::kFeedForward}};
  for (const Edits& edits : {head, cut, cut_everywhere, block}) {
    RunInput input;
    input.source = kept.input();
    input.edits = std::span(&edits, 1);
    EXPECT_THROW(model_->run(pool, input, everything(model_->config(), Site::kSelf, 1), {}), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Edited,
                         testing::Values("bert", "bert_masked_lm_bf16", "modernbert", "deberta_v3", "gpt2", "llama", "gemma2",
                                         "albert", "gpt_neox"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace attnviz

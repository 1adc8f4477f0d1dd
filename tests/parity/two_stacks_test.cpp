// A model of two stacks against the reference: BART (Lewis et al. 2020, "BART: Denoising Sequence-to-Sequence Pre-training"), an
// encoder and a decoder with cross-attention, post-norm (tests/reference/two_stacks_case.py).
//
// The configuration and the tables of tensors are made here by hand, so that the engine is tested whatever families there are.
// Tolerances as in edits_test.cpp; in f64 the reference moves by 1.6e-6 on maps and 0.5e-6 of the largest value otherwise.
#include <attnviz/error.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edit_golden.h"
#include "formats/weights/safetensors.h"
#include "golden.h"
#include "keep_tap.h"
#include "model/binder.h"
#include "model/model.h"
#include "model/run/kv_cache.h"
#include "pipeline/runner.h"

namespace attnviz {
namespace {

constexpr double kTolerance = 1e-5;
constexpr double kStreamTolerance = 5e-6;  // of the largest value
constexpr double kLogitsTolerance = 1e-5;  // of the largest value

std::string folder() { return std::string(ATTNVIZ_TEST_DIR) + "/two_stacks"; }

AttentionSpec heads(std::size_t n_head, std::size_t d_head, bool causal) {
  AttentionSpec spec;
  spec.n_head = spec.n_kv_head = n_head;
  spec.d_head = d_head;
  spec.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(d_head)));
  spec.mask.causal = causal;
  return spec;
}

StackSpec stack_of(StackRole role, std::size_t n_layer, std::size_t d_ffn, const AttentionSpec& attention) {
  StackSpec stack;
  stack.role = role;
  stack.n_layer = n_layer;
  stack.d_model = stack.embedding.d_embedding = 35;
  stack.embedding.n_vocab = 53;
  stack.embedding.n_position = 23;
  stack.embedding.position_offset = 2;
  stack.embedding.scale = std::sqrt(35.0F);
  stack.attention = attention;
  stack.ffn.d_ffn = d_ffn;
  stack.norm.epsilon = 1e-5F;
  return stack;
}

ModelConfig two_stacks() {
  ModelConfig config;
  config.family = "two_stacks";
  config.stacks = {stack_of(StackRole::kEncoder, 3, 43, heads(5, 7, false)),
                   stack_of(StackRole::kDecoder, 2, 37, heads(7, 5, true))};
  StackSpec& decoder = config.stacks[1];
  decoder.cross = CrossAttentionSpec{heads(7, 5, false), 35};
  decoder.output.kind = OutputKind::kNextToken;
  decoder.output.tied = true;
  config.validate("two_stacks_test");
  return config;
}

// Both stacks read "shared"; the file has it once.
TensorTable table_of(const StackSpec& stack, const std::string& name) {
  TensorTable table;
  table.add(TensorRole::kWordEmbedding, "shared.weight", {Dim::kVocab, Dim::kEmbedding});
  table.add(TensorRole::kPositionEmbedding, name + ".embed_positions.weight", {Dim::kPosition, Dim::kEmbedding});
  table.add_norm(TensorRole::kEmbeddingNorm, name + ".layernorm_embedding", Dim::kEmbedding);
  const std::string layer = name + ".layers.{layer}.";
  table.add_linear(TensorRole::kQuery, layer + "self_attn.q_proj", Dim::kQuery, Dim::kModel);
  table.add_linear(TensorRole::kKey, layer + "self_attn.k_proj", Dim::kKeyValue, Dim::kModel);
  table.add_linear(TensorRole::kValue, layer + "self_attn.v_proj", Dim::kKeyValue, Dim::kModel);
  table.add_linear(TensorRole::kOutput, layer + "self_attn.out_proj", Dim::kModel, Dim::kQuery);
  table.add_norm(TensorRole::kAttentionNorm, layer + "self_attn_layer_norm", Dim::kModel);
  table.add_linear(TensorRole::kFfnUp, layer + "fc1", Dim::kFfn, Dim::kModel);
  table.add_linear(TensorRole::kFfnDown, layer + "fc2", Dim::kModel, Dim::kFfn);
  table.add_norm(TensorRole::kFfnNorm, layer + "final_layer_norm", Dim::kModel);
  if (stack.cross) {
    table.add_linear(TensorRole::kCrossQuery, layer + "encoder_attn.q_proj", Dim::kCrossQuery, Dim::kModel);
    table.add_linear(TensorRole::kCrossKey, layer + "encoder_attn.k_proj", Dim::kCrossKeyValue, Dim::kSource);
    table.add_linear(TensorRole::kCrossValue, layer + "encoder_attn.v_proj", Dim::kCrossKeyValue, Dim::kSource);
    table.add_linear(TensorRole::kCrossOutput, layer + "encoder_attn.out_proj", Dim::kModel, Dim::kCrossQuery);
    table.add_norm(TensorRole::kCrossNorm, layer + "encoder_attn_layer_norm", Dim::kModel);
    table.add(TensorRole::kLmHeadBias, "final_logits_bias", {Dim::kVocab});
    table.tensors.back().outside = true;
  }
  table.number_layers(stack.n_layer);
  return table;
}

// The file with its bias of logits, [1, V] there, as a vector.
class FlatBias final : public WeightSource {
 public:
  explicit FlatBias(std::unique_ptr<WeightSource> source)
      : source_(std::move(source)), tensors_(source_->tensors().begin(), source_->tensors().end()) {
    for (StoredTensor& tensor : tensors_) {
      if (tensor.name == "final_logits_bias") tensor.view.shape = {tensor.view.shape.back()};
    }
  }

  std::span<const StoredTensor> tensors() const override { return tensors_; }
  std::string where() const override { return source_->where(); }

 private:
  std::unique_ptr<WeightSource> source_;
  std::vector<StoredTensor> tensors_;
};

std::unique_ptr<Model> open_two_stacks() {
  ModelConfig config = two_stacks();
  auto source = std::make_unique<FlatBias>(open_safetensors(folder() + "/model.safetensors"));
  const TensorTable tables[] = {table_of(config.stacks[0], "encoder"), table_of(config.stacks[1], "decoder")};
  BoundWeights weights = bind_weights(config, tables, *source);
  return std::make_unique<Model>(std::move(config), std::move(weights), std::move(source));
}

constexpr Site kSites[] = {Site::kEncoder, Site::kDecoder, Site::kCross};

class TwoStacks : public testing::Test {
 protected:
  TwoStacks()
      : model_(open_two_stacks()),
        golden_(folder() + "/golden.safetensors"),
        source_(golden_.batch("source.")),
        target_(golden_.batch("target.")),
        runs_(golden_runs(golden_, model_->config())) {}

  static RunInput pair(const TokenBatch& source, const TokenBatch& target, std::span<const Edits> edits = {}) {
    RunInput input(source);
    input.target.tokens = &target;
    input.edits = edits;
    return input;
  }

  // Everything of a run at every site.
  std::vector<float> run(const RunInput& input, std::span<const std::size_t> target_offsets, KeepTap* tap) const {
    ThreadPool pool(2);
    Tap* taps[] = {tap};
    std::vector<Request> requests;
    for (const Site site : kSites) requests.push_back(everything(model_->config(), site));
    return model_->logits(pool, input, all_rows(target_offsets), requests, taps);
  }

  std::unique_ptr<Model> model_;
  Golden golden_;
  TokenBatch source_;
  TokenBatch target_;
  std::vector<GoldenRun> runs_;
};

TEST_F(TwoStacks, EqualTheReferenceWithAndWithoutEdits) {
  std::vector<Comparison> maps;
  for (const Site site : kSites) maps.emplace_back(golden_.read<float>("maps." + std::string(site_name(site))));
  std::vector<Comparison> streams;
  for (const Site site : {Site::kEncoder, Site::kDecoder}) {
    streams.emplace_back(golden_.read<float>("hidden." + std::string(site_name(site))));
  }
  Comparison logits(golden_.read<float>("logits"));
  for (const GoldenRun& one : runs_) {
    const TokenBatch source = sequence_of(source_, one.text);
    const TokenBatch target = sequence_of(target_, one.text);
    KeepTap tap{TapKind::kPattern, TapKind::kResidual};
    logits.add(run(pair(source, target, std::span(&one.edits, 1)), target.offsets, &tap));
    for (std::size_t i = 0; i < 3; ++i) add_maps(tap, model_->config(), kSites[i], &maps[i]);
    for (std::size_t i = 0; i < 2; ++i) add_stream(tap, model_->config(), kSites[i], &streams[i]);
    expect_cut(tap, one.edits);
  }
  for (std::size_t i = 0; i < 3; ++i) maps[i].finish(kTolerance, "maps." + std::string(site_name(kSites[i])));
  for (std::size_t i = 0; i < 2; ++i) streams[i].finish_relative(kStreamTolerance, "hidden." + std::string(site_name(kSites[i])));
  logits.finish_relative(kLogitsTolerance, "logits");
}

TEST_F(TwoStacks, PairsAsOneBatchHaveTheBitsOfEachAlone) {
  KeepTap together{TapKind::kPattern, TapKind::kResidual};
  const std::vector<float> scores = run(pair(source_, target_), target_.offsets, &together);
  std::vector<float> one_by_one;
  for (std::size_t text = 0; text < source_.n_sequences(); ++text) {
    const TokenBatch source = sequence_of(source_, text);
    const TokenBatch target = sequence_of(target_, text);
    KeepTap alone{TapKind::kPattern, TapKind::kResidual};
    const std::vector<float> logits = run(pair(source, target), target.offsets, &alone);
    one_by_one.insert(one_by_one.end(), logits.begin(), logits.end());
    for (const auto& [key, matrix] : alone.all()) {
      const auto [kind, sequence, layer, head, site] = key;
      EXPECT_EQ(matrix.values, together.get(kind, text, layer, head, site).values) << site_name(site) << ", layer " << layer;
    }
  }
  EXPECT_EQ(scores, one_by_one);
}

// A request of one site gives that site's bits without the others'.
TEST_F(TwoStacks, OneSiteIsShownAlone) {
  KeepTap all{TapKind::kPattern};
  run(pair(source_, target_), target_.offsets, &all);
  for (const Site site : kSites) {
    KeepTap tap{TapKind::kPattern};
    Tap* taps[] = {&tap};
    ThreadPool pool(2);
    const Request request = everything(model_->config(), site);
    model_->run(pool, site == Site::kEncoder ? RunInput(source_) : pair(source_, target_), request, taps);
    EXPECT_EQ(tap.all().size(), source_.n_sequences() * request.layers.size() * request.heads.size());
    for (const auto& [key, matrix] : tap.all()) EXPECT_EQ(matrix.values, all.all().at(key).values) << site_name(site);
  }
}

TEST_F(TwoStacks, ResumedStacksHaveTheBitsOfAWholeRun) {
  ThreadPool pool(2);
  KeepTap whole{TapKind::kPattern, TapKind::kResidual};
  const std::vector<float> scores = run(pair(source_, target_), target_.offsets, &whole);
  const KeptStream encoded = model_->keep_stream(pool, source_, 3, Site::kEncoder);
  const KeptStream started = model_->keep_stream(pool, pair(source_, target_), 1, Site::kDecoder);
  RunInput input;
  input.source = encoded.input();
  input.target = started.input();
  KeepTap tap{TapKind::kPattern, TapKind::kResidual};
  Tap* taps[] = {&tap};
  const Request requests[] = {everything(model_->config(), Site::kDecoder, 1), everything(model_->config(), Site::kCross, 1)};
  EXPECT_EQ(model_->logits(pool, input, all_rows(target_.offsets), requests, taps), scores);
  EXPECT_FALSE(tap.all().empty());
  for (const auto& [key, matrix] : tap.all()) EXPECT_EQ(matrix.values, whole.all().at(key).values);
}

// The pipeline makes a trace per pair and site, each with its own axes.
TEST_F(TwoStacks, PairsBecomeATracePerSite) {
  const auto text_of = [](const TokenBatch& batch, std::size_t text, const std::string& name) {
    EncodedText encoded{{name, std::nullopt}, {}, 0};
    for (std::size_t row = batch.offsets[text]; row < batch.offsets[text + 1]; ++row) {
      encoded.tokens.emplace_back().id = batch.ids[row];
      encoded.tokens.back().text = name + std::to_string(encoded.tokens.size());
    }
    return encoded;
  };
  LoadedModel loaded;
  loaded.info.name = "two_stacks";
  loaded.model = open_two_stacks();
  std::vector<EncodedPair> pairs;
  for (std::size_t text = 0; text < source_.n_sequences(); ++text) {
    pairs.push_back({text_of(source_, text, "s"), text_of(target_, text, "t")});
  }
  KeepTap whole{TapKind::kPattern};
  run(pair(source_, target_), target_.offsets, &whole);
  std::vector<Request> requests;
  for (const Site site : kSites) requests.push_back(everything(model_->config(), site));
  ThreadPool pool(2);
  const std::vector<Trace> traces = run_pairs(pool, loaded, pairs, requests);
  ASSERT_EQ(traces.size(), pairs.size() * 3);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const Trace& trace = traces[i];
    const Site site = kSites[i % 3];
    EXPECT_EQ(trace.queries.front().text, site == Site::kEncoder ? "s1" : "t1");
    EXPECT_EQ(trace.keys.front().text, site == Site::kDecoder ? "t1" : "s1");
    ASSERT_EQ(trace.maps.size(), requests[i % 3].layers.size() * requests[i % 3].heads.size());
    for (const AttentionMap& map : trace.maps) {
      EXPECT_EQ(map.site, site);
      EXPECT_EQ(map.n_query, trace.queries.size());
      EXPECT_EQ(map.n_key, trace.keys.size());
      EXPECT_TRUE(map.pattern == whole.get(TapKind::kPattern, i / 3, map.layer, map.head, site).values);
    }
  }
  const std::vector<Trace> parts = run_pairs(pool, loaded, pairs, {&requests[2], 1}, {.columns = TokenSpan{1, 3}});
  EXPECT_EQ(parts[0].keys.size(), 2u);
  EXPECT_EQ(parts[0].maps[0].at(1, 0), traces[2].maps[0].at(1, 1));
}

// What each head of cross-attention adds, and that its parts are the whole.
TEST_F(TwoStacks, HeadsOfCrossAttentionAddUpToTheBlock) {
  KeepTap tap{TapKind::kAttentionOut, TapKind::kHeadOut, TapKind::kPairNorm, TapKind::kHeadOutNorm};
  run(pair(source_, target_), target_.offsets, &tap);
  const Golden weights(folder() + "/model.safetensors");
  for (const Site site : kSites) {
    const std::string name = site == Site::kEncoder ? "encoder" : "decoder";
    const std::string part = site == Site::kCross ? "encoder_attn" : "self_attn";
    const std::vector<float> bias = weights.read<float>("model." + name + ".layers.1." + part + ".out_proj.bias");
    for (std::size_t text = 0; text < source_.n_sequences(); ++text) {
      const std::vector<float>& whole = tap.get(TapKind::kAttentionOut, text, 1, 0, site).values;
      std::vector<double> sum(whole.size());
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = bias[i % bias.size()];
      for (const std::size_t head : everything(model_->config(), site).heads) {
        const std::vector<float>& added = tap.get(TapKind::kHeadOut, text, 1, head, site).values;
        ASSERT_EQ(added.size(), sum.size());
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added[i];
        // The lengths of what the keys give are at least the length of their sum.
        const KeptMatrix& pairs = tap.get(TapKind::kPairNorm, text, 1, head, site);
        const KeptMatrix& lengths = tap.get(TapKind::kHeadOutNorm, text, 1, head, site);
        for (std::size_t row = 0; row < pairs.n_rows(); ++row) {
          double total = 0;
          for (std::size_t key = 0; key < pairs.n_columns; ++key) total += pairs.at(row, key);
          EXPECT_GE(total * (1 + 1e-6), lengths.at(row, 0));
        }
      }
      Comparison values(whole);
      values.add(std::vector<float>(sum.begin(), sum.end()));
      values.finish_relative(kStreamTolerance, std::string(site_name(site)));
    }
  }
}

// Decoding over cached keys, of the source and of the target so far, against the whole target at once.
TEST_F(TwoStacks, TokenByTokenEqualsForcedDecoding) {
  ThreadPool pool(2);
  for (std::size_t text = 0; text < source_.n_sequences(); ++text) {
    const TokenBatch source = sequence_of(source_, text);
    const TokenBatch target = sequence_of(target_, text);
    KeepTap whole{TapKind::kPattern};
    const std::vector<float> forced = run(pair(source, target), target.offsets, &whole);
    for (const Site site : {Site::kDecoder, Site::kCross}) {
      const Request request = everything(model_->config(), site);
      KvCache cache(model_->config(), target.n_tokens());
      model_->encode_source(pool, cache, source);
      EXPECT_EQ(cache.n_source(), source.n_tokens());
      Comparison logits(forced);
      for (std::size_t row = 0; row < target.n_tokens(); ++row) {
        KeepTap tap{TapKind::kPattern};
        Tap* taps[] = {&tap};
        logits.add(model_->extend(pool, cache, std::span(target.ids).subspan(row, 1), request, taps));
        for (const auto& [key, matrix] : tap.all()) {
          const auto [kind, sequence, layer, head, of_site] = key;
          ASSERT_EQ(of_site, site);
          for (std::size_t column = 0; column < matrix.n_columns; ++column) {
            EXPECT_NEAR(matrix.at(row, column), whole.get(kind, 0, layer, head, site).at(row, column), kTolerance);
          }
        }
        EXPECT_EQ(tap.all().size(), request.layers.size() * request.heads.size());
      }
      logits.finish_relative(kLogitsTolerance, "logits");
    }
  }
}

TEST_F(TwoStacks, WhatIsMissingIsRefused) {
  ThreadPool pool(2);
  const auto expect_refused = [&](const RunInput& input, const Request& request) {
    try {
      model_->run(pool, input, request, {});
      ADD_FAILURE() << "the run was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput) << error.what();
    }
  };
  expect_refused(RunInput(source_), everything(model_->config(), Site::kCross));
  Request self = everything(model_->config(), Site::kEncoder);
  self.site = Site::kSelf;
  expect_refused(pair(source_, target_), self);
  Edits edits;
  edits.heads = {{0, 5, 0.0F, {}, Site::kEncoder}};  // the decoder has seven heads, the encoder five
  expect_refused(pair(source_, target_, std::span(&edits, 1)), everything(model_->config(), Site::kEncoder));
  edits.heads = {{2, 0, 0.0F, {}, Site::kDecoder}};
  expect_refused(pair(source_, target_, std::span(&edits, 1)), everything(model_->config(), Site::kDecoder));
  edits.heads.clear();
  edits.left_out = {{0, Block::kFeedForward, Site::kCross}};  // the decoder's
  expect_refused(pair(source_, target_, std::span(&edits, 1)), everything(model_->config(), Site::kDecoder));
}

}  // namespace
}  // namespace attnviz

// What must hold for every run, whatever the numbers: the same text gives the same bits alone or in a batch, on one thread or more,
// for one head or all; the engine stops where it may; taps see exactly what they asked for. Numbers themselves: tests/parity.
#include "model/model.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parity/golden.h"
#include "parity/keep_tap.h"
#include "unit/model/expect_error.h"
#include "unit/model/memory_weights.h"

namespace attnviz {
namespace {

std::unique_ptr<Model> small_model(const std::string& name) {
  return load_model(std::string(ATTNVIZ_TEST_DIR) + "/parity/data/" + name);
}

TokenBatch random_batch(const ModelConfig& model, std::span<const std::size_t> lengths, unsigned seed) {
  const StackSpec& config = model.first();
  std::mt19937 engine(seed);
  TokenBatch batch;
  for (const std::size_t length : lengths) {
    for (std::size_t i = 0; i < length; ++i) {
      batch.ids.push_back(static_cast<std::int32_t>(engine() % config.embedding.n_vocab));
      batch.segments.push_back(config.embedding.n_segment > 1 && i > length / 2 ? 1 : 0);
    }
    batch.offsets.push_back(batch.ids.size());
  }
  return batch;
}

void run(const Model& model, const TokenBatch& batch, const Request& request, KeepTap* tap, std::size_t n_threads = 1) {
  ThreadPool pool(n_threads);
  Tap* taps[] = {tap};
  model.run(pool, batch, request, taps);
}

constexpr std::initializer_list<TapKind> kAllKinds = {TapKind::kScores, TapKind::kPattern, TapKind::kQuery,   TapKind::kKey,
                                                      TapKind::kValue,  TapKind::kContext, TapKind::kResidual};

void expect_same_bits(const KeptMatrix& a, const KeptMatrix& b) {
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)), 0);
}

class Models : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Model> model_ = small_model(GetParam());
};

TEST_P(Models, ATextGivesTheSameBitsAloneAndInABatch) {
  const std::vector<std::size_t> lengths = {5, 1, 17, 5, 23, 2, 16};
  TokenBatch batch = random_batch(model_->config(), lengths, 1);
  std::copy_n(batch.ids.begin(), 5, batch.ids.begin() + 23);  // sequence 3 repeats sequence 0
  std::copy_n(batch.segments.begin(), 5, batch.segments.begin() + 23);
  KeepTap together(kAllKinds);
  run(*model_, batch, everything(model_->config()), &together);
  for (std::size_t sequence = 0; sequence < lengths.size(); ++sequence) {
    KeepTap alone(kAllKinds);
    run(*model_, sequence_of(batch, sequence), everything(model_->config()), &alone);
    for (const auto& [key, matrix] : alone.all()) {
      const auto& [kind, zero, layer, head, site] = key;
      expect_same_bits(matrix, together.get(kind, sequence, layer, head));
      if (sequence == 0) expect_same_bits(matrix, together.get(kind, 3, layer, head));
    }
  }
}

TEST_P(Models, ThreadsDoNotChangeABit) {
  const TokenBatch batch = random_batch(model_->config(), std::vector<std::size_t>{19, 3, 11}, 2);
  KeepTap one(kAllKinds), two(kAllKinds), five(kAllKinds);
  run(*model_, batch, everything(model_->config()), &one, 1);
  run(*model_, batch, everything(model_->config()), &two, 2);
  run(*model_, batch, everything(model_->config()), &five, 5);
  for (const auto& [key, matrix] : one.all()) {
    const auto& [kind, sequence, layer, head, site] = key;
    expect_same_bits(matrix, two.get(kind, sequence, layer, head));
    expect_same_bits(matrix, five.get(kind, sequence, layer, head));
  }
}

TEST_P(Models, OneHeadOfOneLayerHasTheBitsItHasAmongAll) {
  const TokenBatch batch = random_batch(model_->config(), std::vector<std::size_t>{13, 8}, 3);
  KeepTap all{TapKind::kPattern};
  run(*model_, batch, everything(model_->config()), &all);
  for (std::size_t layer = 0; layer < model_->config().first().n_layer; ++layer) {
    for (std::vector<std::size_t> heads : {std::vector<std::size_t>{3}, {0, 2}, {1, 2, 4}}) {
      std::erase_if(heads, [&](std::size_t head) { return head >= model_->config().first().attention.n_head; });
      if (heads.empty()) continue;
      KeepTap some{TapKind::kPattern};
      run(*model_, batch, {{layer}, heads}, &some);
      EXPECT_EQ(some.all().size(), 2 * heads.size());  // for two sequences, and of no other layer
      for (const auto& [key, matrix] : some.all()) {
        const auto& [kind, sequence, seen_layer, head, site] = key;
        EXPECT_EQ(seen_layer, layer);
        expect_same_bits(matrix, all.get(kind, sequence, layer, head));
      }
    }
  }
}

TEST_P(Models, EveryRowIsSeenOnceAndSumsToOne) {
  const std::vector<std::size_t> lengths = {1, 2, 23};
  KeepTap tap(kAllKinds);
  run(*model_, random_batch(model_->config(), lengths, 4), everything(model_->config()), &tap, 2);
  std::size_t n_pattern = 0;
  for (const auto& [key, matrix] : tap.all()) {
    EXPECT_EQ(matrix.n_rows(), lengths[std::get<1>(key)]);
    EXPECT_THAT(matrix.times_seen, testing::Each(1u));
    if (std::get<0>(key) != TapKind::kPattern) continue;
    ++n_pattern;
    for (std::size_t row = 0; row < matrix.n_rows(); ++row) {
      double sum = 0;
      for (std::size_t column = 0; column < matrix.n_columns; ++column) sum += matrix.at(row, column);
      EXPECT_NEAR(sum, 1, 1e-6);
    }
  }
  EXPECT_EQ(n_pattern, 3 * model_->config().first().n_layer * model_->config().first().attention.n_head);
}

INSTANTIATE_TEST_SUITE_P(Small, Models,
                         testing::Values("bert", "bert_masked_lm_bf16", "electra", "albert_inner", "mpnet", "modernbert",
                                         "modernbert_biased", "deberta_v3", "deberta_own_projections", "llama", "qwen2", "qwen3",
                                         "mistral", "gemma2", "gemma3", "phi3_longrope", "gpt2", "gpt_neox", "opt"));

class Decoders : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Model> model_ = small_model(GetParam());
};

// Earlier rows of every map and the stream keep their bits whatever comes after them. LongRoPE turns all of a text by its length,
// so lengths are equal.
TEST_P(Decoders, ALaterTokenChangesNothingBeforeIt) {
  const std::size_t n_tokens = 21;
  TokenBatch batch = random_batch(model_->config(), std::vector<std::size_t>{n_tokens}, 11);
  KeepTap before(kAllKinds);
  run(*model_, batch, everything(model_->config()), &before);
  for (const std::size_t changed : {std::size_t{20}, std::size_t{13}, std::size_t{1}}) {
    TokenBatch other = batch;
    other.ids[changed] = (other.ids[changed] + 1) % static_cast<std::int32_t>(model_->config().first().embedding.n_vocab);
    KeepTap after(kAllKinds);
    run(*model_, other, everything(model_->config()), &after);
    bool is_seen = false;
    for (const auto& [key, matrix] : before.all()) {
      const auto& [kind, sequence, layer, head, site] = key;
      const KeptMatrix& now = after.get(kind, sequence, layer, head);
      EXPECT_EQ(std::memcmp(matrix.values.data(), now.values.data(), changed * matrix.n_columns * sizeof(float)), 0);
      is_seen |= std::memcmp(matrix.values.data(), now.values.data(), matrix.values.size() * sizeof(float)) != 0;
    }
    EXPECT_TRUE(is_seen);
  }
}

TEST_P(Decoders, NothingIsSeenOutsideTheMask) {
  const std::size_t n_tokens = 50;
  const std::size_t n = std::min(n_tokens, model_->config().first().max_tokens());
  KeepTap tap{TapKind::kPattern, TapKind::kScores};
  run(*model_, random_batch(model_->config(), std::vector<std::size_t>{n}, 12), everything(model_->config()), &tap);
  for (const auto& [key, matrix] : tap.all()) {
    const MaskRule& mask = model_->config().first().attention_at(std::get<2>(key)).mask;
    for (std::size_t query = 0; query < n; ++query) {
      for (std::size_t column = 0; column < n; ++column) {
        const float value = matrix.at(query, column);
        if (column > query || !mask.allows(query, column)) {
          ASSERT_EQ(value, std::get<0>(key) == TapKind::kPattern ? 0.0f : -INFINITY) << query << ", " << column;
        } else {
          ASSERT_TRUE(std::isfinite(value));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, Decoders,
                         testing::Values("llama", "llama_mqa_bf16", "qwen2", "qwen2_window", "qwen3", "mistral", "gemma2", "gemma3",
                                         "phi3", "phi3_longrope", "gpt2", "gpt_neox", "gpt_neox_sequential", "opt"));

// An encoder's window reaches as far to the one side as to the other; ModernBERT's layers 0 and 3 see everything.
TEST(SmallModel, AnEncodersWindowHasItsEdgesOnBothSides) {
  const auto model = small_model("modernbert");
  KeepTap tap{TapKind::kPattern};
  run(*model, random_batch(model->config(), std::vector<std::size_t>{9}, 13), {{0, 1}, {1}}, &tap);
  const KeptMatrix& local = tap.get(TapKind::kPattern, 0, 1, 1);
  EXPECT_GT(local.at(4, 2), 0.0f);
  EXPECT_GT(local.at(4, 6), 0.0f);
  EXPECT_EQ(local.at(4, 1), 0.0f);
  EXPECT_EQ(local.at(4, 7), 0.0f);
  EXPECT_GT(tap.get(TapKind::kPattern, 0, 0, 1).at(4, 8), 0.0f);
}

// Four keys of nine: the query itself and the three before it, no more and no fewer.
TEST(SmallModel, AWindowHasBothItsEdges) {
  const auto model = small_model("mistral");
  KeepTap tap{TapKind::kPattern};
  run(*model, random_batch(model->config(), std::vector<std::size_t>{9}, 13), {{0}, {1}}, &tap);
  const KeptMatrix& map = tap.get(TapKind::kPattern, 0, 0, 1);
  EXPECT_GT(map.at(8, 5), 0.0f);
  EXPECT_EQ(map.at(8, 4), 0.0f);
  EXPECT_GT(map.at(4, 1), 0.0f);
  EXPECT_EQ(map.at(4, 0), 0.0f);
}

TEST(SmallModel, TapsExplainEachOther) {
  // pattern = softmax(scores), scores = scale q.k, z = pattern v: the kinds must speak of the same run.
  const auto model = small_model("bert");
  KeepTap tap(kAllKinds);
  run(*model, random_batch(model->config(), std::vector<std::size_t>{9}, 5), {{1}, {2, 4}}, &tap);
  const KeptMatrix& q = tap.get(TapKind::kQuery, 0, 1, 4);
  const KeptMatrix& k = tap.get(TapKind::kKey, 0, 1, 4);
  const KeptMatrix& v = tap.get(TapKind::kValue, 0, 1, 4);
  const KeptMatrix& scores = tap.get(TapKind::kScores, 0, 1, 4);
  const KeptMatrix& pattern = tap.get(TapKind::kPattern, 0, 1, 4);
  const KeptMatrix& z = tap.get(TapKind::kContext, 0, 1, 4);
  for (std::size_t row = 0; row < 9; ++row) {
    std::vector<double> expected(9);
    double total = 0;
    for (std::size_t column = 0; column < 9; ++column) {
      double dot = 0;
      for (std::size_t i = 0; i < 7; ++i) dot += static_cast<double>(q.at(row, i)) * k.at(column, i);
      EXPECT_NEAR(scores.at(row, column), dot / std::sqrt(7.0), 1e-5);
      total += expected[column] = std::exp(dot / std::sqrt(7.0));
    }
    for (std::size_t i = 0; i < 7; ++i) {
      double context = 0;
      for (std::size_t column = 0; column < 9; ++column) context += expected[column] / total * v.at(column, i);
      EXPECT_NEAR(z.at(row, i), context, 1e-5);
    }
    for (std::size_t column = 0; column < 9; ++column) EXPECT_NEAR(pattern.at(row, column), expected[column] / total, 1e-5);
  }
}

TEST(SmallModel, ResidualIsSeenAfterTheEmbeddingAndWantedLayers) {
  const auto model = small_model("electra");
  KeepTap tap{TapKind::kResidual};
  run(*model, random_batch(model->config(), std::vector<std::size_t>{4}, 6), {{1}, {0}}, &tap);
  ASSERT_EQ(tap.all().size(), 2u);
  EXPECT_EQ(tap.get(TapKind::kResidual, 0, kEmbeddingLayer, 0).n_columns, model->config().first().d_model);
  EXPECT_EQ(tap.get(TapKind::kResidual, 0, 1, 0).n_columns, model->config().first().d_model);
}

TEST(SmallModel, LaterLayersAreNotEvenRead) {
  // Layer 2's weights are not a number: a run that needs layer 1 only must not notice.
  auto weights = random_weights(kSmallBert, "bert.");
  const std::string name = "bert.encoder.layer.2.attention.self.query.weight";
  weights->erase(name);
  weights->add(name, {15, 15}, std::vector<float>(225, std::nanf("")));
  const auto model = make_model(kSmallBert, "config.json", std::move(weights));
  const TokenBatch batch = random_batch(model->config(), std::vector<std::size_t>{6}, 7);
  const auto is_number = [](float value) { return !std::isnan(value); };
  KeepTap first{TapKind::kPattern};
  run(*model, batch, {{1}, {0}}, &first);
  EXPECT_TRUE(std::ranges::all_of(first.get(TapKind::kPattern, 0, 1, 0).values, is_number));
  KeepTap last{TapKind::kScores};
  run(*model, batch, {{2}, {0}}, &last);
  EXPECT_FALSE(std::ranges::all_of(last.get(TapKind::kScores, 0, 2, 0).values, is_number));
}

TEST(SmallModel, TheLastLayersValuesAreReadOnlyWhenATapNeedsThem) {
  auto weights = random_weights(kSmallBert, "bert.");
  const std::string name = "bert.encoder.layer.2.attention.self.value.weight";
  weights->erase(name);
  weights->add(name, {15, 15}, std::vector<float>(225, std::nanf("")));
  const auto model = make_model(kSmallBert, "config.json", std::move(weights));
  const TokenBatch batch = random_batch(model->config(), std::vector<std::size_t>{6}, 8);
  KeepTap residual{TapKind::kResidual};
  run(*model, batch, {{2}, {0}}, &residual);
  EXPECT_TRUE(std::isnan(residual.get(TapKind::kResidual, 0, 2, 0).at(0, 0)));
  KeepTap pattern{TapKind::kPattern};
  run(*model, batch, {{2}, {0}}, &pattern);
  EXPECT_FALSE(std::isnan(pattern.get(TapKind::kPattern, 0, 2, 0).at(0, 0)));
}

TEST(SmallModel, MisalignedWeightsGiveTheSameBits) {
  const auto aligned = make_model(kSmallBert, "config.json", random_weights(kSmallBert, "bert."));
  const auto shifted = make_model(kSmallBert, "config.json", random_weights(kSmallBert, "", 3));
  const TokenBatch batch = random_batch(aligned->config(), std::vector<std::size_t>{6}, 9);
  KeepTap a{TapKind::kPattern}, b{TapKind::kPattern};
  run(*aligned, batch, everything(aligned->config()), &a);
  run(*shifted, batch, everything(shifted->config()), &b);
  for (const auto& [key, matrix] : a.all())
    expect_same_bits(matrix, b.get(std::get<0>(key), 0, std::get<2>(key), std::get<3>(key)));
}

// `shared` heads of K and V written out once for each query head that reads them.
void repeat_heads(MemoryWeights* weights, const std::string& name, std::size_t d_head, std::size_t times) {
  const StoredTensor shared = weights->get(name);
  const std::size_t n_head_values = d_head * shared.view.row_size();
  const auto* from = reinterpret_cast<const float*>(shared.view.data);
  std::vector<float> values;
  for (std::size_t head = 0; head < shared.view.n_rows() / d_head; ++head) {
    for (std::size_t i = 0; i < times; ++i)
      values.insert(values.end(), from + head * n_head_values, from + (head + 1) * n_head_values);
  }
  Shape shape = shared.view.shape;
  shape[0] *= times;
  weights->erase(name);
  weights->add(name, shape, values);
}

TEST(SmallModel, SharedKeyValueHeadsEqualTheSameHeadsWrittenOut) {
  const std::string text =
      R"({"model_type": "bert", "vocab_size": 29, "hidden_size": 20, "num_hidden_layers": 2, "num_attention_heads": 4,
          "intermediate_size": 11, "max_position_embeddings": 40, "type_vocab_size": 2})";
  const ConfigObject settings = ConfigObject::parse(text, "config");
  const ModelConfig full = read_model_config(kBert, settings);
  ModelConfig grouped = full;
  grouped.stacks.front().attention.n_kv_head = 2;
  const TensorTable table = kBert.expected_tensors(full.first(), settings);
  const std::vector<std::string> shared = {"key.weight", "key.bias", "value.weight", "value.bias"};

  auto grouped_weights = random_weights(text, "");
  auto full_weights = random_weights(text, "");
  for (const std::string& layer : table.layers) {
    for (const std::string& tensor : shared) {
      const std::string name = "encoder.layer." + layer + ".attention.self." + tensor;
      grouped_weights->get(name).view.shape[0] = 10;  // the first two heads' rows
      full_weights->get(name).view.shape[0] = 10;
      repeat_heads(full_weights.get(), name, 5, 2);
    }
  }
  BoundWeights grouped_bound = bind_weights(grouped, {&table, 1}, *grouped_weights);
  BoundWeights full_bound = bind_weights(full, {&table, 1}, *full_weights);
  const Model a(grouped, std::move(grouped_bound), std::move(grouped_weights));
  const Model b(full, std::move(full_bound), std::move(full_weights));
  const TokenBatch batch = random_batch(full, std::vector<std::size_t>{7, 3}, 10);
  for (const std::vector<std::size_t>& heads : {std::vector<std::size_t>{0, 1, 2, 3}, {1, 2}, {3}}) {
    KeepTap from_a{TapKind::kPattern, TapKind::kContext}, from_b{TapKind::kPattern, TapKind::kContext};
    run(a, batch, {{0, 1}, heads}, &from_a);
    run(b, batch, {{0, 1}, heads}, &from_b);
    ASSERT_EQ(from_a.all().size(), 2 * 2 * 2 * heads.size());
    for (const auto& [key, matrix] : from_a.all()) {
      expect_same_bits(matrix, from_b.get(std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key)));
    }
  }
}

TEST(SmallModel, AnEmptyBatchIsDoneAtOnce) {
  const auto model = small_model("bert");
  KeepTap tap(kAllKinds);
  run(*model, TokenBatch{}, everything(model->config()), &tap);
  EXPECT_TRUE(tap.all().empty());
}

}  // namespace
}  // namespace attnviz

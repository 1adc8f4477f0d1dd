// A text that grows over cached keys and values against the same text at once, for every decoder of tests/parity/data; and the
// reference's greedy continuations.
//
// Tolerance 1e-5 on attention weights, as for the families: what is summed is the same, only the pieces in which it comes differ.
#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "formats/gguf/gguf.h"
#include "formats/weights/weights_folder.h"
#include "golden.h"
#include "keep_tap.h"
#include "model/model.h"
#include "model/run/kv_cache.h"
#include "pipeline/generate.h"

namespace attnviz {
namespace {

constexpr double kTolerance = 1e-5;
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kMostPrompts = 1;  // such a build is not there for the numbers
#else
constexpr std::size_t kMostPrompts = 1000;
#endif

std::vector<std::string> decoder_folders() {
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(ATTNVIZ_TEST_DIR "/data")) {
    if (!entry.is_directory()) continue;
    const auto model = load_model(entry.path());
    if (model->config().first().output.kind == OutputKind::kNextToken) folders.push_back(entry.path().filename());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// Rows of a growing text, each as long as the text was then.
class RowsTap final : public Tap {
 public:
  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;  // layer, head, row

  bool wants(TapKind kind) const override { return kind == TapKind::kPattern; }
  void on_block(const TapBlock& block) override {
    const std::lock_guard lock(mutex_);
    for (std::size_t r = 0; r < block.n_rows; ++r) {
      const auto row = block.row(r);
      EXPECT_TRUE(rows.try_emplace({block.layer, block.head, block.row_begin + r}, row.begin(), row.end()).second);
    }
  }

  std::map<Key, std::vector<float>> rows;

 private:
  std::mutex mutex_;
};

class Generation : public testing::TestWithParam<std::string> {
 protected:
  Generation()
      : folder_(ATTNVIZ_TEST_DIR "/data/" + GetParam()), model_(load_model(folder_)), golden_(folder_ + "/golden.safetensors") {}

  bool has_head() const { return golden_.has("logits"); }

  // Runs ids [0, cuts[0]), [cuts[0], cuts[1]), ... one after the other. Returns the last scores.
  std::vector<float> grow(const TokenBatch& text, const std::vector<std::size_t>& cuts, RowsTap* tap) const {
    ThreadPool pool(2);
    KvCache cache(model_->config(), text.n_tokens());
    Tap* taps[] = {tap};
    std::vector<float> logits;
    std::size_t begin = 0;
    for (const std::size_t end : cuts) {
      logits = model_->extend(pool, cache, std::span(text.ids).subspan(begin, end - begin), everything(model_->config()), taps);
      EXPECT_EQ(cache.n_tokens(), end);
      begin = end;
    }
    return logits;
  }

  void expect_equals_whole(const TokenBatch& text, const std::vector<std::size_t>& cuts) const {
    ThreadPool pool(2);
    RowsTap grown;
    const std::vector<float> logits = grow(text, cuts, &grown);
    KeepTap whole{TapKind::kPattern};
    Tap* taps[] = {&whole};
    model_->run(pool, text, everything(model_->config()), taps);
    double largest = 0;
    std::size_t n_rows = 0;
    for (const auto& [key, row] : grown.rows) {
      const auto [layer, head, query_pos] = key;
      const KeptMatrix& map = whole.get(TapKind::kPattern, 0, layer, head);
      ++n_rows;
      ASSERT_GT(row.size(), query_pos);
      for (std::size_t key_pos = 0; key_pos < map.n_columns; ++key_pos) {
        const float weight = key_pos < row.size() ? row[key_pos] : 0.0F;
        largest = std::max(largest, std::abs(static_cast<double>(weight) - static_cast<double>(map.at(query_pos, key_pos))));
        if (key_pos > query_pos) {
          EXPECT_EQ(weight, 0.0F);
        }
      }
    }
    EXPECT_EQ(n_rows, text.n_tokens() * model_->config().first().n_layer * model_->config().first().attention.n_head);
    EXPECT_LE(largest, kTolerance);
    const std::vector<float> expected = model_->next_token_logits(pool, text);
    ASSERT_EQ(logits.size(), expected.size());
    double size_of_values = 1;
    for (const float value : expected) size_of_values = std::max(size_of_values, std::abs(static_cast<double>(value)));
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(logits[i], expected[i], kTolerance * size_of_values);
  }

  std::string folder_;
  std::unique_ptr<Model> model_;
  Golden golden_;
};

// Where a text must not be cut, as its rotation changes there.
std::size_t first_cut(const ModelConfig& config, std::size_t n_tokens) {
  const auto& rope = config.first().attention.rope;
  const bool changes = rope && !rope->long_frequencies.empty() && n_tokens > rope->n_short;
  return changes ? rope->n_short + 1 : 1;
}

TEST_P(Generation, GrownInAnyPiecesEqualsAtOnce) {
  if (!has_head()) GTEST_SKIP() << "the checkpoint is of the model without its head";
  const TokenBatch batch = golden_.batch();
  for (std::size_t sequence = 0; sequence < batch.n_sequences(); ++sequence) {
    const TokenBatch text = sequence_of(batch, sequence);
    const std::size_t n = text.n_tokens();
    const std::size_t first = first_cut(model_->config(), n);
    if (first > n) continue;
    std::vector<std::size_t> one_by_one;
    for (std::size_t end = first; end <= n; ++end) one_by_one.push_back(end);
    expect_equals_whole(text, one_by_one);
    expect_equals_whole(text, {n});
    if (first < n) expect_equals_whole(text, {(first + n) / 2, n});
  }
}

TEST_P(Generation, ThePartsOfATextDoNotDependOnThreads) {
  if (!has_head()) GTEST_SKIP() << "the checkpoint is of the model without its head";
  const TokenBatch text = sequence_of(golden_.batch(), 0);
  std::vector<std::vector<float>> logits;
  for (const std::size_t n_threads : {1, 3}) {
    ThreadPool pool(n_threads);
    KvCache cache(model_->config(), text.n_tokens());
    const std::size_t n_first = std::min(text.n_tokens(), first_cut(model_->config(), text.n_tokens()));
    logits.push_back(model_->extend(pool, cache, std::span(text.ids).first(n_first), everything(model_->config()), {}));
    if (n_first == text.n_tokens()) continue;
    logits.push_back(model_->extend(pool, cache, std::span(text.ids).subspan(n_first), everything(model_->config()), {}));
  }
  const std::size_t n_steps = logits.size() / 2;
  for (std::size_t i = 0; i < n_steps; ++i) EXPECT_EQ(logits[i], logits[n_steps + i]);
}

INSTANTIATE_TEST_SUITE_P(All, Generation, testing::ValuesIn(decoder_folders()), [](const auto& one) { return one.param; });

std::vector<std::vector<std::int32_t>> lists(const Golden& golden, const std::string& values, const std::string& offsets) {
  const auto ids = golden.read<std::int32_t>(values);
  const auto ends = golden.read<std::int32_t>(offsets);
  std::vector<std::vector<std::int32_t>> lists;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) lists.emplace_back(ids.begin() + ends[i], ids.begin() + ends[i + 1]);
  return lists;
}

// The reference's own generate(), token for token.
void expect_greedy_tokens(const Model& model, const Golden& golden, const std::string& prefix) {
  const auto prompts = lists(golden, prefix + "greedy_prompts", prefix + "greedy_prompt_offsets");
  const auto expected = lists(golden, prefix + "greedy_ids", prefix + "greedy_offsets");
  ASSERT_GT(prompts.size(), 0U);
  ASSERT_EQ(prompts.size(), expected.size());
  ThreadPool pool(2);
  const Request request{{0}, {0}};
  for (std::size_t i = 0; i < std::min(prompts.size(), kMostPrompts); ++i) {
    const GenerateOptions options{expected[i].size(), {}};
    const Continuation task{model, prompts[i], model.config().first().embedding.n_vocab, options, request, {}};
    EXPECT_EQ(continue_ids(pool, task), expected[i]) << "prompt " << i;
  }
}

// These models' texts never end: the golden's prompts were chosen without an end token.
TEST_P(Generation, GreedyTokensAreTheReferences) {
  if (!has_head()) GTEST_SKIP() << "the checkpoint is of the model without its head";
  std::string text = read_text_file(folder_ + "/config.json", 1 << 20, ErrorKind::kModel);
  const std::string key = "\"eos_token_id\"";
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) text.replace(at, key.size(), "\"-\"");
  const auto model = make_model(text, folder_, open_weights_folder(folder_));
  expect_greedy_tokens(*model, Golden(ATTNVIZ_TEST_DIR "/data/greedy.safetensors"), GetParam() + ".");
}

TEST(DefaultDecoder, GreedyTokensAreTheReferences) {
  const auto model = load_gguf_model(open_gguf(ATTNVIZ_DATA_DIR "/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf"));
  expect_greedy_tokens(*model, Golden(ATTNVIZ_TEST_DIR "/data/default_decoder.safetensors"), "");
}

TEST(GenerationErrors, ARotationThatChangesWithTheLengthCannotBeCrossed) {
  const std::string folder = ATTNVIZ_TEST_DIR "/data/phi3_longrope";
  const auto model = load_model(folder);
  const std::size_t n_short = model->config().first().attention_at(0).rope->n_short;
  ThreadPool pool(1);
  KvCache cache(model->config(), n_short + 1);
  const std::vector<std::int32_t> ids(n_short, 3);
  model->extend(pool, cache, ids, everything(model->config()), {});
  EXPECT_TRUE(keeps_rotation(model->config().first(), cache, 0));
  EXPECT_FALSE(keeps_rotation(model->config().first(), cache, 1));
  EXPECT_THROW(model->extend(pool, cache, std::span(ids).first(1), everything(model->config()), {}), Error);
  EXPECT_EQ(cache.n_tokens(), n_short);
  cache.clear();
  EXPECT_TRUE(keeps_rotation(model->config().first(), cache, n_short + 1));
}

TEST(GenerationErrors, NoMoreThanTheModelTakes) {
  const auto model = load_model(ATTNVIZ_TEST_DIR "/data/gpt2");
  const std::size_t limit = model->config().first().max_tokens();
  ThreadPool pool(1);
  KvCache cache(model->config(), limit + 1);
  const std::vector<std::int32_t> ids(limit, 3);
  model->extend(pool, cache, ids, everything(model->config()), {});
  EXPECT_THROW(model->extend(pool, cache, std::span(ids).first(1), everything(model->config()), {}), Error);
}

TEST(GenerationErrors, AnEncoderPredictsNothing) {
  const auto model = load_model(ATTNVIZ_TEST_DIR "/data/bert");
  ThreadPool pool(1);
  KvCache cache(model->config(), 4);
  const std::vector<std::int32_t> ids = {1, 2};
  EXPECT_THROW(model->extend(pool, cache, ids, everything(model->config()), {}), Error);
}

}  // namespace
}  // namespace attnviz

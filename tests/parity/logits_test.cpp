// Scores over the vocabulary at every row against the reference: masked-token heads (tests/reference/masked_tokens.py) and
// next-token heads (the models' own goldens).
//
// Tolerance 1e-5 of the largest score: a score is a sum over a row of the stream, which is within 5e-6 of its largest value
// (families_test.cpp), and a masked-token head's transform adds one more norm.
#include <attnviz/error.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edit_golden.h"
#include "golden.h"
#include "model/model.h"

namespace attnviz {
namespace {

constexpr double kTolerance = 1e-5;  // of the largest score

std::string data_folder(const std::string& name) { return std::string(ATTNVIZ_TEST_DIR) + "/data/" + name; }

void expect_input_error(const std::string& what, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << what << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput) << error.what();
  }
}

class MaskedTokens : public testing::TestWithParam<std::string> {
 protected:
  MaskedTokens() : model_(load_model(data_folder(GetParam()))), golden_(data_folder("masked_tokens.safetensors")) {}

  std::unique_ptr<Model> model_;
  Golden golden_;
};

TEST_P(MaskedTokens, EqualTheReferenceAtEveryRow) {
  const TokenBatch batch = golden_.batch(GetParam() + ".");
  ThreadPool pool(2);
  ASSERT_TRUE(model_->has_logits());
  Comparison logits(golden_.read<float>(GetParam() + ".logits"));
  logits.add(model_->logits(pool, batch, all_rows(batch.offsets)));
  logits.finish_relative(kTolerance, "logits");
}

TEST_P(MaskedTokens, PredictNoNextToken) {
  const TokenBatch batch = golden_.batch(GetParam() + ".");
  ThreadPool pool(2);
  expect_input_error("a model of masked tokens", [&] { model_->next_token_logits(pool, batch); });
}

INSTANTIATE_TEST_SUITE_P(All, MaskedTokens,
                         testing::Values("albert", "bert_masked_lm_bf16", "bert_old_masked_lm", "bert_pretraining_f16",
                                         "bert_untied_masked_lm", "camembert_masked_lm", "deberta_masked_lm", "deberta_v3",
                                         "distilbert_masked_lm", "electra_generator", "modernbert", "mpnet", "roberta_masked_lm",
                                         "xlm_roberta"),
                         [](const auto& one) { return one.param; });

class NextTokens : public testing::TestWithParam<std::string> {
 protected:
  NextTokens() : model_(load_model(data_folder(GetParam()))), golden_(data_folder(GetParam()) + "/golden.safetensors") {}

  std::unique_ptr<Model> model_;
  Golden golden_;
};

// The rows of one text, among those of others and backwards.
TEST_P(NextTokens, EqualTheReferenceAtEveryRow) {
  const TokenBatch batch = golden_.batch();
  const auto text = static_cast<std::size_t>(golden_.read<std::int32_t>("hidden_sequence").at(0));
  const std::size_t n_tokens = batch.offsets[text + 1] - batch.offsets[text];
  std::vector<BatchRow> rows = {{0, 0}};
  for (std::size_t row = n_tokens; row-- > 0;) rows.push_back({text, row});
  ThreadPool pool(2);
  const std::vector<float> scores = model_->logits(pool, batch, rows);
  const std::size_t n_vocab = model_->config().first().embedding.n_vocab;
  ASSERT_EQ(scores.size(), rows.size() * n_vocab);
  Comparison logits(golden_.read<float>("logits"));
  for (std::size_t row = rows.size(); row-- > 1;) logits.add(std::span(scores).subspan(row * n_vocab, n_vocab));
  logits.finish_relative(kTolerance, "logits");
}

TEST_P(NextTokens, OfTheLastRowsAreThoseOfNextTokenLogits) {
  const TokenBatch batch = golden_.batch();
  std::vector<BatchRow> rows;
  for (std::size_t text = 0; text < batch.n_sequences(); ++text) {
    rows.push_back({text, batch.offsets[text + 1] - batch.offsets[text] - 1});
  }
  ThreadPool pool(2);
  EXPECT_EQ(model_->logits(pool, batch, rows), model_->next_token_logits(pool, batch));
}

TEST_P(NextTokens, OfRowsThatDoNotExistAreRefused) {
  const TokenBatch batch = golden_.batch();
  ThreadPool pool(2);
  for (const BatchRow row : {BatchRow{batch.n_sequences(), 0}, BatchRow{0, batch.offsets[1]}}) {
    expect_input_error("a row", [&] { model_->logits(pool, batch, std::span(&row, 1)); });
  }
}

INSTANTIATE_TEST_SUITE_P(All, NextTokens,
                         testing::Values("gemma2", "gemma3", "gpt2", "gpt_neox", "gpt_neox_sequential", "llama", "llama_mqa_bf16",
                                         "llama_scaled", "mistral", "opt", "opt_post_norm", "opt_projected", "phi3",
                                         "phi3_longrope", "qwen2", "qwen3", "qwen3_biased"),
                         [](const auto& one) { return one.param; });

// A checkpoint without its head, or with a task's head instead.
class NoHead : public testing::TestWithParam<std::string> {};

TEST_P(NoHead, IsRefused) {
  const auto model = load_model(data_folder(GetParam()));
  const TokenBatch batch = Golden(data_folder(GetParam()) + "/golden.safetensors").batch();
  EXPECT_FALSE(model->has_logits());
  ThreadPool pool(2);
  const BatchRow row;
  expect_input_error(GetParam(), [&] { model->logits(pool, batch, std::span(&row, 1)); });
}

INSTANTIATE_TEST_SUITE_P(All, NoHead,
                         testing::Values("bert", "bert_classifier", "camembert", "deberta_own_projections", "distilbert", "electra",
                                         "modernbert_biased", "roberta"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace attnviz

// From the stream after the last layer to scores of the next token: final norm and output matrix, of each text's last row only.
// See model.h. Tested in tests/parity/families_test.cpp.
#include <attnviz/error.h>

#include "model/forward.h"
#include "model/projection.h"
#include "ops/norm.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

namespace attnviz {
namespace {

// Keeps the last row of every text in the stream after one layer.
class LastRows final : public Tap {
 public:
  LastRows(const TokenBatch& batch, std::size_t layer, std::size_t d_model)
      : batch_(batch), layer_(layer), rows_(batch.n_sequences() * d_model) {}

  bool wants(TapKind kind) const override { return kind == TapKind::kResidual; }

  void on_block(const TapBlock& block) override {
    const std::size_t last = batch_.offsets[block.sequence + 1] - batch_.offsets[block.sequence] - 1;
    if (block.layer != layer_ || last < block.row_begin || last >= block.row_begin + block.n_rows) return;
    const auto row = block.row(last - block.row_begin);
    std::copy(row.begin(), row.end(), rows_.begin() + static_cast<std::ptrdiff_t>(block.sequence * block.n_columns));
  }

  std::vector<float> take() { return std::move(rows_); }  // [B, D]

 private:
  const TokenBatch& batch_;
  std::size_t layer_;
  std::vector<float> rows_;
};

TensorRole output_role(const NextTokenSpec& spec) { return spec.tied ? TensorRole::kWordEmbedding : TensorRole::kLmHead; }

}  // namespace

void Transformer::check_predicts() const {
  if (!config_.next_token.available) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: this {} model predicts no next token; expected a decoder", source_->where(), config_.family));
  }
  if (weights_.model().has_matrix(output_role(config_.next_token))) return;
  throw Error(ErrorKind::kInput, fmt::format("{}: has no output matrix, so it predicts no next token; expected a checkpoint that "
                                             "was saved with its language-modelling head",
                                             source_->where()));
}

std::vector<float> Transformer::next_token_logits(ThreadPool& pool, const TokenBatch& batch) const {
  check_predicts();
  LastRows last(batch, config_.n_layer - 1, config_.d_model);
  Tap* const taps[] = {&last};
  Request request{{config_.n_layer - 1}, std::vector<std::size_t>(config_.attention.n_head)};
  std::iota(request.heads.begin(), request.heads.end(), std::size_t{0});
  run(pool, batch, request, taps);
  return logits_of(pool, last.take(), false);
}

std::vector<float> Transformer::logits_of(ThreadPool& pool, std::span<const float> last_rows, bool any_order) const {
  const NextTokenSpec& spec = config_.next_token;
  const TensorSet& set = weights_.model();
  const std::size_t d_model = config_.d_model;
  const std::size_t n_rows = last_rows.size() / d_model;
  std::vector<float> rows(last_rows.begin(), last_rows.end());
  if (const float* gamma = set.vector(TensorRole::kFinalNorm)) {
    const NormArgs args{rows.data(),          nullptr, gamma,   set.vector(TensorRole::kFinalNormBias),
                        config_.norm.epsilon, n_rows,  d_model, rows.data()};
    if (config_.norm.kind == NormKind::kRms) {
      rms_norm(pool, args);
    } else {
      layer_norm(pool, args);
    }
  }
  std::size_t width = d_model;
  if (set.has_matrix(TensorRole::kOutputProjection)) {
    width = config_.embedding.d_embedding;
    std::vector<float> projected(n_rows * width);
    project(pool, {&set, TensorRole::kOutputProjection, rows.data(), n_rows, d_model, projected.data(), any_order}, width);
    rows = std::move(projected);
  }
  std::vector<float> logits(n_rows * config_.embedding.n_vocab);
  project(pool, {&set, output_role(spec), rows.data(), n_rows, width, logits.data(), any_order}, config_.embedding.n_vocab);
  if (spec.softcap > 0) {
    for (float& logit : logits) logit = spec.softcap * std::tanh(logit / spec.softcap);
  }
  return logits;
}

}  // namespace attnviz

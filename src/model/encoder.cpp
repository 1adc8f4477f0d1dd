// See encoder.h.
#include "model/encoder.h"

#include <attnviz/error.h>

#include "model/buffer.h"
#include "model/relative_bias.h"
#include "ops/activation.h"
#include "ops/attention.h"
#include "ops/embedding.h"
#include "ops/linear.h"
#include "ops/norm.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace attnviz {
namespace {

// One run over one batch: its buffers, and the steps that read and write them.
class Run {
 public:
  Run(const ModelConfig& config, const BoundWeights& weights, ThreadPool& pool, const TokenBatch& batch, const Request& request,
      std::span<Tap* const> taps)
      : config_(config),
        weights_(weights),
        pool_(pool),
        batch_(batch),
        request_(request),
        taps_(taps),
        n_rows_(batch.n_tokens()),
        d_query_(config.attention.n_head * config.attention.d_head),
        d_key_(config.attention.n_kv_head * config.attention.d_head),
        x_(n_rows_, config.d_model),
        y_(n_rows_, std::max(config.d_model, config.embedding.d_embedding)),
        scratch_(n_rows_, std::max(2 * d_query_ + 2 * d_key_, config.ffn.d_ffn)) {}

  void embed();
  void layer(const LayerPlan& plan);

 private:
  // q, k, v and z share their memory with the feed-forward's hidden rows: the two are never needed at once.
  float* q() const { return scratch_.data(); }           // [sum T, heads * K]
  float* k() const { return q() + n_rows_ * d_query_; }  // [sum T, kv_heads * K]
  float* v() const { return k() + n_rows_ * d_key_; }    // [sum T, kv_heads * K]
  float* z() const { return v() + n_rows_ * d_key_; }    // [sum T, heads * K]
  float* hidden() const { return scratch_.data(); }      // [sum T, F]
  std::size_t width(std::span<const std::size_t> heads) const { return heads.size() * config_.attention.d_head; }

  std::vector<std::int32_t> position_rows() const;
  void project(const TensorSet& set, TensorRole role, const float* x, std::size_t d_in, float* y, std::size_t d_out) const;
  void project_heads(const TensorSet& set, TensorRole role, std::span<const std::size_t> heads, float* y) const;
  void normalise(const TensorSet& set, TensorRole role, const float* x, const float* residual, std::size_t width, float* y) const;
  void attend(const LayerPlan& plan) const;
  void feed_forward(const TensorSet& set) const;
  void show_heads(TapKind kind, std::size_t layer, std::span<const std::size_t> computed, std::span<const std::size_t> wanted,
                  const float* values) const;
  void show_residual(std::size_t layer) const;
  void show(TapKind kind, std::size_t layer, std::size_t head, const float* values, std::size_t n_columns,
            std::size_t stride) const;

  const ModelConfig& config_;
  const BoundWeights& weights_;
  ThreadPool& pool_;
  const TokenBatch& batch_;
  const Request& request_;
  std::span<Tap* const> taps_;
  std::size_t n_rows_;
  std::size_t d_query_;  // H*K
  std::size_t d_key_;    // G*K
  FloatBuffer x_;        // [sum T, D] the residual stream
  FloatBuffer y_;        // [sum T, max(D, E)] what is about to be added to it
  FloatBuffer scratch_;
  std::vector<float> distance_bias_;  // [H, 2 * n_distance - 1]
  std::size_t n_distance_ = 0;
};

std::vector<std::int32_t> Run::position_rows() const {
  const EmbeddingSpec& spec = config_.embedding;
  std::vector<std::int32_t> rows(n_rows_);
  for (std::size_t sequence = 0; sequence < batch_.n_sequences(); ++sequence) {
    auto next = static_cast<std::int32_t>(spec.position_offset);
    for (std::size_t row = batch_.offsets[sequence]; row < batch_.offsets[sequence + 1]; ++row) {
      const bool numbered = !spec.unnumbered_id || batch_.ids[row] != *spec.unnumbered_id;
      rows[row] = numbered ? next++ : static_cast<std::int32_t>(spec.position_offset) - 1;
    }
  }
  return rows;
}

void Run::embed() {
  const TensorSet& set = weights_.model();
  const std::size_t d_embedding = config_.embedding.d_embedding;
  const bool projected = set.has_matrix(TensorRole::kEmbeddingProjection);
  float* rows = projected ? y_.data() : x_.data();  // [sum T, E]
  embed_rows(set.matrix(TensorRole::kWordEmbedding), batch_.ids, false, rows);
  if (set.has_matrix(TensorRole::kSegmentEmbedding)) {
    embed_rows(set.matrix(TensorRole::kSegmentEmbedding), batch_.segments, true, rows);
  }
  embed_rows(set.matrix(TensorRole::kPositionEmbedding), position_rows(), true, rows);
  normalise(set, TensorRole::kEmbeddingNorm, rows, nullptr, d_embedding, rows);
  if (projected) project(set, TensorRole::kEmbeddingProjection, rows, d_embedding, x_.data(), config_.d_model);

  if (const auto& spec = config_.attention.relative_bias) {
    for (std::size_t i = 0; i < batch_.n_sequences(); ++i) {
      n_distance_ = std::max(n_distance_, batch_.offsets[i + 1] - batch_.offsets[i]);
    }
    distance_bias_ = distance_bias(*spec, set.vector(TensorRole::kRelativeBias), config_.attention.n_head, n_distance_);
  }
  show_residual(kEmbeddingLayer);
}

void Run::layer(const LayerPlan& plan) {
  const TensorSet& set = weights_.layer(plan.layer);
  project_heads(set, TensorRole::kQuery, plan.heads, q());
  project_heads(set, TensorRole::kKey, plan.kv_heads, k());
  if (plan.values) project_heads(set, TensorRole::kValue, plan.kv_heads, v());
  if (plan.wanted) {
    const std::size_t group = config_.attention.n_head / config_.attention.n_kv_head;
    std::vector<std::size_t> kv_wanted;
    for (const std::size_t head : request_.heads) {
      if (kv_wanted.empty() || kv_wanted.back() != head / group) kv_wanted.push_back(head / group);
    }
    show_heads(TapKind::kQuery, plan.layer, plan.heads, request_.heads, q());
    show_heads(TapKind::kKey, plan.layer, plan.kv_heads, kv_wanted, k());
    show_heads(TapKind::kValue, plan.layer, plan.kv_heads, kv_wanted, v());
  }
  if (plan.scores) attend(plan);
  if (!plan.output) return;
  project(set, TensorRole::kOutput, z(), d_query_, y_.data(), config_.d_model);
  normalise(set, TensorRole::kAttentionNorm, y_.data(), x_.data(), config_.d_model, x_.data());
  feed_forward(set);
  if (plan.wanted) show_residual(plan.layer);
}

void Run::attend(const LayerPlan& plan) const {
  AttentionArgs args;
  args.spec = &config_.attention;
  args.layer = plan.layer;
  args.offsets = batch_.offsets;
  args.heads = plan.heads;
  args.q = q();
  args.q_stride = width(plan.heads);
  args.kv_heads = plan.kv_heads;
  args.k = k();
  args.k_stride = width(plan.kv_heads);
  if (plan.context) {
    args.v = v();
    args.v_stride = width(plan.kv_heads);
    args.z = z();
    args.z_stride = width(plan.heads);
  }
  if (!distance_bias_.empty()) {
    args.distance_bias = distance_bias_.data();
    args.n_distance = n_distance_;
  }
  if (plan.wanted) {
    args.tapped_heads = request_.heads;
    args.taps = taps_;
  }
  attention(pool_, args);
}

void Run::feed_forward(const TensorSet& set) const {
  const std::size_t d_ffn = config_.ffn.d_ffn;
  project(set, TensorRole::kFfnUp, x_.data(), config_.d_model, hidden(), d_ffn);
  activate(pool_, config_.ffn.activation, hidden(), n_rows_ * d_ffn);
  project(set, TensorRole::kFfnDown, hidden(), d_ffn, y_.data(), config_.d_model);
  normalise(set, TensorRole::kFfnNorm, y_.data(), x_.data(), config_.d_model, x_.data());
}

// y [sum T, d_out] = x [sum T, d_in] W^T + b
void Run::project(const TensorSet& set, TensorRole role, const float* x, std::size_t d_in, float* y, std::size_t d_out) const {
  linear(pool_, {x, n_rows_, d_in, set.matrix(role), set.vector(bias_of(role)), y, d_out});
}

// The same from x_ for the rows of W that belong to `heads`; neighbouring heads go together.
void Run::project_heads(const TensorSet& set, TensorRole role, std::span<const std::size_t> heads, float* y) const {
  const std::size_t d_head = config_.attention.d_head;
  const float* bias = set.vector(bias_of(role));
  for (std::size_t begin = 0, end = 0; begin < heads.size(); begin = end) {
    for (end = begin + 1; end < heads.size() && heads[end] == heads[end - 1] + 1;) ++end;
    const std::size_t first_row = heads[begin] * d_head;
    LinearArgs args;
    args.x = x_.data();
    args.n_rows = n_rows_;
    args.x_stride = config_.d_model;
    args.weight = weight_rows(set.matrix(role), first_row, (end - begin) * d_head);
    args.bias = bias == nullptr ? nullptr : bias + first_row;
    args.y = y + begin * d_head;
    args.y_stride = width(heads);
    linear(pool_, args);
  }
}

void Run::normalise(const TensorSet& set, TensorRole role, const float* x, const float* residual, std::size_t width,
                    float* y) const {
  layer_norm(pool_, {x, residual, set.vector(role), set.vector(bias_of(role)), config_.norm.epsilon, n_rows_, width, y});
}

// Rows [sum T, computed.size() * K], shown head by head for those that are wanted.
void Run::show_heads(TapKind kind, std::size_t layer, std::span<const std::size_t> computed, std::span<const std::size_t> wanted,
                     const float* values) const {
  const std::size_t d_head = config_.attention.d_head;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    if (!std::binary_search(wanted.begin(), wanted.end(), computed[i])) continue;
    show(kind, layer, computed[i], values + i * d_head, d_head, width(computed));
  }
}

void Run::show_residual(std::size_t layer) const {
  show(TapKind::kResidual, layer, 0, x_.data(), config_.d_model, config_.d_model);
}

void Run::show(TapKind kind, std::size_t layer, std::size_t head, const float* values, std::size_t n_columns,
               std::size_t stride) const {
  for (Tap* tap : taps_) {
    if (!tap->wants(kind)) continue;
    for (std::size_t sequence = 0; sequence < batch_.n_sequences(); ++sequence) {
      const std::size_t first = batch_.offsets[sequence];
      tap->on_block(
          {kind, sequence, layer, head, 0, batch_.offsets[sequence + 1] - first, n_columns, values + first * stride, stride});
    }
  }
}

}  // namespace

Encoder::Encoder(ModelConfig config, BoundWeights weights, std::unique_ptr<WeightSource> source)
    : config_(std::move(config)), source_(std::move(source)), weights_(std::move(weights)) {
  const bool projected = weights_.model().has_matrix(TensorRole::kEmbeddingProjection);
  if (projected || config_.embedding.d_embedding == config_.d_model) return;
  throw Error(ErrorKind::kBug, config_.family + ": the embedding's width is not the model's, and no projection is expected");
}

void Encoder::run(ThreadPool& pool, const TokenBatch& batch, const Request& request, std::span<Tap* const> taps) const {
  const std::vector<LayerPlan> plan = plan_run(config_, request, taps);
  check_batch(config_, batch);
  if (batch.n_sequences() == 0) return;
  Run run(config_, weights_, pool, batch, request, taps);
  run.embed();
  for (const LayerPlan& step : plan) run.layer(step);
}

}  // namespace attnviz

// See forward.h.
#include "model/forward.h"

#include <attnviz/error.h>

#include "base/stopwatch.h"
#include "model/buffer.h"
#include "model/disentangled_positions.h"
#include "model/kv_cache.h"
#include "model/projection.h"
#include "model/relative_bias.h"
#include "ops/activation.h"
#include "ops/add.h"
#include "ops/attention.h"
#include "ops/embedding.h"
#include "ops/norm.h"
#include "ops/rope.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace attnviz {
namespace {

// Rows that pass the feed-forward together: their hidden rows, the widest there are, stay in a cache between its steps.
constexpr std::size_t kFfnRows = 528;

struct RunArgs {
  const ModelConfig& config;
  const BoundWeights& weights;
  ThreadPool& pool;
  const TokenBatch& batch;
  const Request& request;
  std::span<Tap* const> taps;
  KvCache* cache = nullptr;  // the batch's one text goes on from here; null: texts begin
};

// One run over one batch: its buffers, and the steps that read and write them.
class Run {
 public:
  explicit Run(const RunArgs& args)
      : config_(args.config),
        weights_(args.weights),
        pool_(args.pool),
        batch_(args.batch),
        request_(args.request),
        taps_(args.taps),
        cache_(args.cache),
        n_past_(args.cache != nullptr ? args.cache->n_tokens() : 0),
        n_rows_(args.batch.n_tokens()),
        d_query_(config_.attention.n_head * config_.attention.d_head),
        d_key_(config_.attention.n_kv_head * config_.attention.d_head),
        x_(n_rows_, config_.d_model),
        normed_(n_rows_, config_.d_model),
        y_(n_rows_, std::max(config_.d_model, config_.embedding.d_embedding)),
        scratch_(1, std::max(checked_multiply(n_rows_, 2 * d_query_ + 2 * d_key_, "run"),
                             std::min(n_rows_, kFfnRows) * (config_.ffn.gated ? 2 : 1) * config_.ffn.d_ffn)) {}

  void embed();
  void layer(const LayerPlan& plan);
  std::span<const float> last_row() const { return {x_.data() + (n_rows_ - 1) * config_.d_model, config_.d_model}; }

 private:
  // q, k, v and z share their memory with the feed-forward's hidden rows: the two are never needed at once.
  float* q() const { return scratch_.data(); }           // [sum T, heads * K]
  float* k() const { return q() + n_rows_ * d_query_; }  // [sum T, kv_heads * K]
  float* v() const { return k() + n_rows_ * d_key_; }    // [sum T, kv_heads * K]
  float* z() const { return v() + n_rows_ * d_key_; }    // [sum T, heads * K]
  float* hidden() const { return scratch_.data(); }      // [kFfnRows, F], and as much again where the block is gated
  std::size_t width(std::span<const std::size_t> heads) const { return heads.size() * config_.attention.d_head; }

  bool is_step() const { return cache_ != nullptr && n_rows_ == 1; }  // one more token of a text that goes on

  // The time since the last such call was spent on this stage.
  void lap(double StageTimes::*stage) {
    if (request_.times != nullptr) request_.times->*stage += watch_.lap();
  }

  std::vector<std::int32_t> position_rows() const;
  void project(const TensorSet& set, TensorRole role, const float* x, std::size_t d_in, float* y, std::size_t d_out) const;
  void project_heads(const TensorSet& set, TensorRole role, const float* x, std::span<const std::size_t> heads, float* y) const;
  void normalise(const TensorSet& set, TensorRole role, const float* x, const float* residual, std::size_t width, float* y) const;
  const float* block_input(const TensorSet& set, TensorRole norm) const;
  void add_block(const TensorSet& set, TensorRole norm, TensorRole post_norm) const;
  void place_heads(const TensorSet& set, const LayerPlan& plan);
  void rotate(const RopeSpec& spec, std::size_t kind, float* x, std::size_t n_heads);
  const RopeTable& rope_table(const RopeSpec& spec, std::size_t kind, bool is_long);
  void attend(const LayerPlan& plan);
  void feed_forward(const TensorSet& set, const float* x, float* y) const;
  void feed_forward_rows(const TensorSet& set, const float* x, std::size_t n_rows, float* y) const;
  void show_projections(const LayerPlan& plan) const;
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
  KvCache* cache_;
  std::size_t n_past_;  // tokens in the cache
  std::size_t n_rows_;
  std::size_t d_query_;  // H*K
  std::size_t d_key_;    // G*K
  FloatBuffer x_;        // [sum T, D] the residual stream
  FloatBuffer normed_;   // [sum T, D] what a block reads, where that is not the stream itself
  FloatBuffer y_;        // [sum T, max(D, E)] what is about to be added to it
  FloatBuffer scratch_;
  std::vector<float> distance_bias_;  // [H, 2 * n_distance - 1]
  Stopwatch watch_;
  std::size_t n_distance_ = 0;  // tokens of the longest text
  std::optional<DisentangledPositions> disentangled_;
  std::vector<std::int32_t> positions_;                            // [sum T] in its text; filled when a layer rotates
  std::map<std::pair<std::size_t, bool>, RopeTable> rope_tables_;  // by kind of attention, for long texts or not
};

std::vector<std::int32_t> Run::position_rows() const {
  const EmbeddingSpec& spec = config_.embedding;
  std::vector<std::int32_t> rows(n_rows_);
  for (std::size_t sequence = 0; sequence < batch_.n_sequences(); ++sequence) {
    auto next = static_cast<std::int32_t>(n_past_ + spec.position_offset);
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
  std::size_t width = d_embedding;
  const bool project_first = projected && config_.embedding.project_words;
  if (const float scale = config_.embedding.scale; scale != 1) {
    std::transform(rows, rows + n_rows_ * d_embedding, rows, [scale](float value) { return value * scale; });
  }
  if (project_first) {
    project(set, TensorRole::kEmbeddingProjection, rows, d_embedding, x_.data(), config_.d_model);
    rows = x_.data();
    width = config_.d_model;
  }
  if (set.has_matrix(TensorRole::kSegmentEmbedding)) {
    embed_rows(set.matrix(TensorRole::kSegmentEmbedding), batch_.segments, true, rows);
  }
  if (set.has_matrix(TensorRole::kPositionEmbedding)) {
    embed_rows(set.matrix(TensorRole::kPositionEmbedding), position_rows(), true, rows);
  }
  if (set.vector(TensorRole::kEmbeddingNorm) != nullptr) {
    normalise(set, TensorRole::kEmbeddingNorm, rows, nullptr, width, rows);
  }
  if (projected && !project_first) project(set, TensorRole::kEmbeddingProjection, rows, d_embedding, x_.data(), config_.d_model);

  for (std::size_t i = 0; i < batch_.n_sequences(); ++i) {
    n_distance_ = std::max(n_distance_, n_past_ + batch_.offsets[i + 1] - batch_.offsets[i]);
  }
  if (config_.attention.disentangled) disentangled_.emplace(pool_, config_, set, n_distance_);
  if (const auto& spec = config_.attention.relative_bias) {
    distance_bias_ = distance_bias(*spec, set.vector(TensorRole::kRelativeBias), config_.attention.n_head, n_distance_);
  }
  show_residual(kEmbeddingLayer);
  lap(&StageTimes::embed);
}

void Run::layer(const LayerPlan& plan) {
  const TensorSet& set = weights_.layer(plan.layer);
  const float* input = block_input(set, TensorRole::kAttentionNorm);
  project_heads(set, TensorRole::kQuery, input, plan.heads, q());
  project_heads(set, TensorRole::kKey, input, plan.kv_heads, k());
  if (plan.values) project_heads(set, TensorRole::kValue, input, plan.kv_heads, v());
  place_heads(set, plan);
  if (cache_ != nullptr) {
    std::copy_n(k(), n_rows_ * d_key_, cache_->keys(plan.layer) + n_past_ * d_key_);
    std::copy_n(v(), n_rows_ * d_key_, cache_->values(plan.layer) + n_past_ * d_key_);
  }
  if (plan.wanted) show_projections(plan);
  lap(&StageTimes::project);
  if (plan.scores) attend(plan);
  lap(&StageTimes::attend);
  if (!plan.output) return;
  project(set, TensorRole::kOutput, z(), d_query_, y_.data(), config_.d_model);
  if (config_.parallel_residual) {
    lap(&StageTimes::output);
    feed_forward(set, block_input(set, TensorRole::kFfnNorm), normed_.data());
    add(pool_, normed_.data(), n_rows_ * config_.d_model, y_.data());
    add(pool_, y_.data(), n_rows_ * config_.d_model, x_.data());
  } else {
    add_block(set, TensorRole::kAttentionNorm, TensorRole::kAttentionPostNorm);
    lap(&StageTimes::output);
    feed_forward(set, block_input(set, TensorRole::kFfnNorm), y_.data());
    add_block(set, TensorRole::kFfnNorm, TensorRole::kFfnPostNorm);
  }
  if (plan.wanted) show_residual(plan.layer);
  lap(&StageTimes::feed_forward);
}

// What a block reads: the stream, or its norm.
const float* Run::block_input(const TensorSet& set, TensorRole norm) const {
  if (config_.norm.placement == NormPlacement::kPost || set.vector(norm) == nullptr) return x_.data();
  normalise(set, norm, x_.data(), nullptr, config_.d_model, normed_.data());
  return normed_.data();
}

// Brings a block's result, y_, into the stream.
void Run::add_block(const TensorSet& set, TensorRole norm, TensorRole post_norm) const {
  const std::size_t d_model = config_.d_model;
  if (config_.norm.placement == NormPlacement::kPost) return normalise(set, norm, y_.data(), x_.data(), d_model, x_.data());
  if (config_.norm.placement == NormPlacement::kSandwich) normalise(set, post_norm, y_.data(), nullptr, d_model, y_.data());
  add(pool_, y_.data(), n_rows_ * d_model, x_.data());
}

// Norms and positions of the projected heads.
void Run::place_heads(const TensorSet& set, const LayerPlan& plan) {
  const AttentionSpec& spec = config_.attention_at(plan.layer);
  if (spec.qk_norm) {
    const auto norm_heads = [&](TensorRole role, std::size_t n_heads, float* x) {
      rms_norm(pool_, {x, nullptr, set.vector(role), nullptr, config_.norm.epsilon, n_rows_ * n_heads, spec.d_head, x});
    };
    norm_heads(TensorRole::kQueryNorm, plan.heads.size(), q());
    norm_heads(TensorRole::kKeyNorm, plan.kv_heads.size(), k());
  }
  if (!spec.rope) return;
  const std::size_t kind = config_.attention_of_layer.empty() ? 0 : config_.attention_of_layer[plan.layer];
  rotate(*spec.rope, kind, q(), plan.heads.size());
  rotate(*spec.rope, kind, k(), plan.kv_heads.size());
}

void Run::rotate(const RopeSpec& spec, std::size_t kind, float* x, std::size_t n_heads) {
  if (positions_.empty()) {
    for (std::size_t i = 0; i < batch_.n_sequences(); ++i) {
      for (std::size_t row = batch_.offsets[i]; row < batch_.offsets[i + 1]; ++row) {
        positions_.push_back(static_cast<std::int32_t>(n_past_ + row - batch_.offsets[i]));
      }
    }
  }
  const std::size_t d_head = config_.attention.d_head;
  RopeArgs args{nullptr, spec.d_rotary, spec.adjacent_pairs, positions_, x, n_heads * d_head, n_heads, d_head};
  if (spec.long_frequencies.empty()) {
    args.table = &rope_table(spec, kind, false);
    return rope(pool_, args);
  }
  for (std::size_t i = 0; i < batch_.n_sequences(); ++i) {  // how a text turns depends on its length
    const std::size_t first = batch_.offsets[i];
    const std::size_t n_tokens = batch_.offsets[i + 1] - first;
    args.table = &rope_table(spec, kind, n_past_ + n_tokens > spec.n_short);
    args.positions = std::span(positions_).subspan(first, n_tokens);
    args.x = x + first * args.x_stride;
    rope(pool_, args);
  }
}

const RopeTable& Run::rope_table(const RopeSpec& spec, std::size_t kind, bool is_long) {
  const auto [place, is_new] = rope_tables_.try_emplace({kind, is_long});
  if (is_new) {
    const auto n_positions = static_cast<std::size_t>(*std::max_element(positions_.begin(), positions_.end())) + 1;
    place->second = make_rope_table(is_long ? spec.long_frequencies : spec.inverse_frequencies, spec.attention_factor, n_positions);
  }
  return place->second;
}

void Run::show_projections(const LayerPlan& plan) const {
  const std::size_t group = config_.attention.n_head / config_.attention.n_kv_head;
  std::vector<std::size_t> kv_wanted;
  for (const std::size_t head : request_.heads) {
    if (kv_wanted.empty() || kv_wanted.back() != head / group) kv_wanted.push_back(head / group);
  }
  show_heads(TapKind::kQuery, plan.layer, plan.heads, request_.heads, q());
  show_heads(TapKind::kKey, plan.layer, plan.kv_heads, kv_wanted, k());
  show_heads(TapKind::kValue, plan.layer, plan.kv_heads, kv_wanted, v());
}

void Run::attend(const LayerPlan& plan) {
  AttentionArgs args;
  args.spec = &config_.attention_at(plan.layer);
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
  const std::size_t key_offsets[] = {0, n_past_ + n_rows_};
  if (cache_ != nullptr) {
    args.k = cache_->keys(plan.layer);
    args.v = cache_->values(plan.layer);
    args.key_offsets = key_offsets;
    args.n_past = n_past_;
  }
  if (!plan.output) args.query_rows = request_.rows;
  if (!distance_bias_.empty()) {
    args.distance_bias = distance_bias_.data();
    args.n_distance = n_distance_;
  }
  if (disentangled_) args.term = disentangled_->project(pool_, weights_.layer(plan.layer), plan.heads);
  if (plan.wanted) {
    args.tapped_heads = request_.heads;
    args.taps = taps_;
  }
  attention(pool_, args);
}

// y [sum T, D] from x [sum T, D], which may be one buffer
void Run::feed_forward(const TensorSet& set, const float* x, float* y) const {
  for (std::size_t row = 0; row < n_rows_; row += kFfnRows) {
    const std::size_t place = row * config_.d_model;
    feed_forward_rows(set, x + place, std::min(kFfnRows, n_rows_ - row), y + place);
  }
}

void Run::feed_forward_rows(const TensorSet& set, const float* x, std::size_t n_rows, float* y) const {
  const FfnSpec& spec = config_.ffn;
  float* other = hidden() + n_rows * spec.d_ffn;
  const auto multiply = [&](TensorRole role, const float* from, std::size_t d_in, float* to, std::size_t d_out) {
    attnviz::project(pool_, {&set, role, from, n_rows, d_in, to, is_step()}, d_out);
  };
  if (spec.gated) {
    multiply(TensorRole::kFfnGate, x, config_.d_model, hidden(), spec.d_ffn);
    multiply(TensorRole::kFfnUp, x, config_.d_model, other, spec.d_ffn);
    activate_gated(pool_, spec.activation, hidden(), other, n_rows * spec.d_ffn);
  } else {
    multiply(TensorRole::kFfnUp, x, config_.d_model, hidden(), spec.d_ffn);
    activate(pool_, spec.activation, hidden(), n_rows * spec.d_ffn);
  }
  multiply(TensorRole::kFfnDown, hidden(), spec.d_ffn, y, config_.d_model);
}

// y [sum T, d_out] = x [sum T, d_in] W^T + b
void Run::project(const TensorSet& set, TensorRole role, const float* x, std::size_t d_in, float* y, std::size_t d_out) const {
  attnviz::project(pool_, {&set, role, x, n_rows_, d_in, y, is_step()}, d_out);
}

// The same from x [sum T, D] for the rows of W that belong to `heads`.
void Run::project_heads(const TensorSet& set, TensorRole role, const float* x, std::span<const std::size_t> heads, float* y) const {
  attnviz::project_heads(pool_, {&set, role, x, n_rows_, config_.d_model, y, is_step()}, heads, config_.attention.d_head);
}

void Run::normalise(const TensorSet& set, TensorRole role, const float* x, const float* residual, std::size_t width,
                    float* y) const {
  const NormArgs args{x, residual, set.vector(role), set.vector(bias_of(role)), config_.norm.epsilon, n_rows_, width, y};
  if (config_.norm.kind == NormKind::kRms) {
    rms_norm(pool_, args);
  } else {
    layer_norm(pool_, args);
  }
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
          {kind, sequence, layer, head, n_past_, batch_.offsets[sequence + 1] - first, n_columns, values + first * stride, stride});
    }
  }
}

}  // namespace

Transformer::Transformer(ModelConfig config, BoundWeights weights, std::unique_ptr<WeightSource> source)
    : config_(std::move(config)), source_(std::move(source)), weights_(std::move(weights)) {
  const bool projected = weights_.model().has_matrix(TensorRole::kEmbeddingProjection);
  if (projected || config_.embedding.d_embedding == config_.d_model) return;
  throw Error(ErrorKind::kBug, config_.family + ": the embedding's width is not the model's, and no projection is expected");
}

void Transformer::run(ThreadPool& pool, const TokenBatch& batch, const Request& request, std::span<Tap* const> taps) const {
  const std::vector<LayerPlan> plan = plan_run(config_, request, taps);
  check_batch(config_, batch);
  if (batch.n_sequences() == 0) return;
  Run run({config_, weights_, pool, batch, request, taps});
  run.embed();
  for (const LayerPlan& step : plan) run.layer(step);
}

std::vector<float> Transformer::extend(ThreadPool& pool, KvCache& cache, std::span<const std::int32_t> ids, const Request& request,
                                       std::span<Tap* const> taps) const {
  check_predicts();
  const std::vector<LayerPlan> plan = plan_whole_run(config_, request);
  TokenBatch batch;
  batch.ids.assign(ids.begin(), ids.end());
  batch.segments.assign(ids.size(), 0);
  batch.offsets.push_back(ids.size());
  check_extension(config_, cache, batch);
  Run run({config_, weights_, pool, batch, request, taps, &cache});
  run.embed();
  for (const LayerPlan& step : plan) run.layer(step);
  cache.grow(ids.size());
  return logits_of(pool, run.last_row(), true);
}

}  // namespace attnviz

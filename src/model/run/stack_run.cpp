// See stack_run.h.
#include "model/run/stack_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "model/run/bound_ops.h"
#include "model/run/first_stream.h"
#include "model/run/relative_bias.h"
#include "ops/activation.h"
#include "ops/add.h"
#include "ops/attention.h"
#include "ops/norm.h"

namespace attnviz {
namespace {

// Rows that pass the feed-forward together: their hidden rows, the widest there are, stay in a cache between its steps.
constexpr std::size_t kFfnRows = 528;

std::size_t n_source_rows(const StackRunArgs& args) {
  return args.stack.cross && args.cache == nullptr && !args.source.offsets.empty() ? args.source.offsets.back() : 0;
}

}  // namespace

struct StackRun::AttentionRoles {
  TensorRole query, key, value, output, norm, post_norm;
};

namespace {

using enum TensorRole;
constexpr auto kNoPostNorm = TensorRole::kCount;

}  // namespace

StackRun::StackRun(const StackRunArgs& args)
    : stack_(args.stack),
      weights_(args.weights),
      pool_(args.pool),
      offsets_(args.offsets),
      cache_(args.cache),
      source_(args.source),
      times_(args.times),
      n_past_(args.cache != nullptr ? args.cache->n_tokens() : 0),
      n_rows_(args.offsets.back()),
      site_(self_site(args.stack.role)),
      taps_(args.taps, args.offsets, n_past_),
      edits_(args.edits, args.offsets, n_past_),
      rotation_(args.stack, args.offsets, n_past_),
      x_(n_rows_, stack_.d_model),
      normed_(n_rows_, stack_.d_model),
      y_(n_rows_, std::max(stack_.d_model, stack_.embedding.d_embedding)),
      scratch_(1, scratch_size()),
      cross_(n_source_rows(args), stack_.cross ? 2 * d_key(stack_.cross->attention) : 0) {}

std::size_t StackRun::scratch_size() const {
  const std::size_t d_heads = 2 * d_query(stack_.attention) + 2 * d_key(stack_.attention);
  const std::size_t d_cross = stack_.cross ? 2 * d_query(stack_.cross->attention) : 0;
  return std::max(checked_multiply(n_rows_, std::max(d_heads, d_cross), "run"),
                  std::min(n_rows_, kFfnRows) * (stack_.ffn.gated ? 2 : 1) * stack_.ffn.d_ffn);
}

void StackRun::start(const StackInput& input) {
  if (input.tokens != nullptr) {
    embed_tokens({pool_, stack_, weights_.model(), n_past_, is_step()}, *input.tokens, y_.data(), x_.data());
  } else {
    std::copy(input.stream.begin(), input.stream.end(), x_.data());
  }
  make_distances();
  if (input.tokens != nullptr) show_rows(TapKind::kResidual, kEmbeddingLayer, x_.data());
  lap(&StageTimes::embed);
}

// The bias on scores for the distance of query and key, for all layers.
void StackRun::make_distances() {
  for (std::size_t i = 0; i + 1 < offsets_.size(); ++i) {
    n_distance_ = std::max(n_distance_, n_past_ + offsets_[i + 1] - offsets_[i]);
  }
  const TensorSet& set = weights_.model();
  if (stack_.attention.disentangled) disentangled_.emplace(pool_, stack_, set, n_distance_);
  if (const auto& spec = stack_.attention.relative_bias) {
    distance_bias_ = distance_bias(*spec, set.vector(TensorRole::kRelativeBias), stack_.attention.n_head, n_distance_);
  }
}

void StackRun::layer(const LayerPlan& plan) {
  const TensorSet& set = weights_.layer(plan.layer);
  self_attention(plan);
  if (!plan.self.output) return;
  if (stack_.parallel_residual) {
    add_parallel(plan, set);
  } else {
    const bool is_shown = plan.self.request != nullptr;
    add_block(set, kAttentionNorm, kAttentionPostNorm, {plan.layer, Block::kAttention, site_}, is_shown);
    lap(&StageTimes::output);
    if (plan.cross) {
      cross_attention(plan);
      if (!plan.cross->output) return;
      add_block(set, kCrossNorm, kNoPostNorm, {plan.layer, Block::kAttention, Site::kCross}, plan.cross->request != nullptr);
      lap(&StageTimes::output);
    }
    if (!plan.feed_forward) return;
    const TapPlace norm{TapKind::kFeedForwardNorm, site_, plan.layer};
    feed_forward(set, block_input(set, kFfnNorm, is_shown ? std::optional(norm) : std::nullopt), y_.data());
    add_block(set, kFfnNorm, kFfnPostNorm, {plan.layer, Block::kFeedForward, site_}, is_shown);
  }
  if (plan.self.request != nullptr) show_rows(TapKind::kResidual, plan.layer, x_.data());
  lap(&StageTimes::feed_forward);
}

// Both blocks read the layer's input: x + attention(norm(x)) + ffn(norm'(x)). y_ holds the attention's part.
void StackRun::add_parallel(const LayerPlan& plan, const TensorSet& set) {
  const std::size_t n_values = n_rows_ * stack_.d_model;
  const bool is_shown = plan.self.request != nullptr;
  lap(&StageTimes::output);
  const TapPlace norm{TapKind::kFeedForwardNorm, site_, plan.layer};
  feed_forward(set, block_input(set, kFfnNorm, is_shown ? std::optional(norm) : std::nullopt), normed_.data());
  edits_.leave_out({plan.layer, Block::kAttention, site_}, stack_.d_model, y_.data());
  edits_.leave_out({plan.layer, Block::kFeedForward, site_}, stack_.d_model, normed_.data());
  if (is_shown) show_rows(TapKind::kAttentionOut, plan.layer, y_.data());
  if (is_shown) show_rows(TapKind::kFeedForwardOut, plan.layer, normed_.data());
  add(pool_, normed_.data(), n_values, y_.data());
  add(pool_, y_.data(), n_values, x_.data());
}

// What a block reads: the stream, or its norm, whose statistics are shown at `place`.
const float* StackRun::block_input(const TensorSet& set, TensorRole norm, const std::optional<TapPlace>& place) const {
  if (stack_.norm.placement == NormPlacement::kPost || set.vector(norm) == nullptr) return x_.data();
  if (place) show_norm(*place, x_.data(), nullptr);
  normalise(pool_, stack_.norm, set, norm, {x_.data(), nullptr, n_rows_, stack_.d_model, normed_.data()});
  return normed_.data();
}

// Adds a block's result, y_, to the stream.
void StackRun::add_block(const TensorSet& set, TensorRole norm, TensorRole post_norm, const BlockEdit& block, bool is_shown) const {
  const std::size_t d_model = stack_.d_model;
  const bool is_ffn = block.block == Block::kFeedForward;
  if (stack_.norm.placement == NormPlacement::kSandwich) {
    normalise(pool_, stack_.norm, set, post_norm, {y_.data(), nullptr, n_rows_, d_model, y_.data()});
  }
  edits_.leave_out(block, d_model, y_.data());
  if (is_shown) {
    taps_.show({is_ffn ? TapKind::kFeedForwardOut : TapKind::kAttentionOut, block.site, block.layer}, {y_.data(), d_model},
               d_model);
  }
  if (stack_.norm.placement != NormPlacement::kPost) return add(pool_, y_.data(), n_rows_ * d_model, x_.data());
  if (is_shown) {
    show_norm({is_ffn ? TapKind::kFeedForwardNorm : TapKind::kAttentionNorm, block.site, block.layer}, y_.data(), x_.data());
  }
  normalise(pool_, stack_.norm, set, norm, {y_.data(), x_.data(), n_rows_, d_model, x_.data()});
}

void StackRun::self_attention(const LayerPlan& plan) {
  static constexpr AttentionRoles kRoles{kQuery, kKey, kValue, kOutput, kAttentionNorm, kAttentionPostNorm};
  const AttentionPlan& part = plan.self;
  const AttentionSpec& spec = stack_.attention_at(plan.layer);
  const TensorSet& set = weights_.layer(plan.layer);
  const std::size_t d_keys = d_key(spec);
  float* q = scratch_.data();              // [sum T, heads * K]
  float* k = q + n_rows_ * d_query(spec);  // [sum T, kv_heads * K]
  float* v = k + n_rows_ * d_keys;         // [sum T, kv_heads * K]
  float* z = v + n_rows_ * d_keys;         // [sum T, heads * K]

  // Queries, keys and values of the planned heads, normalised and rotated.
  const TapPlace norm{TapKind::kAttentionNorm, site_, plan.layer};
  const float* input = block_input(set, kAttentionNorm, part.request != nullptr ? std::optional(norm) : std::nullopt);
  project_heads(pool_, {&set, kQuery, input, n_rows_, stack_.d_model, q, is_step()}, part.heads, spec.d_head);
  project_heads(pool_, {&set, kKey, input, n_rows_, stack_.d_model, k, is_step()}, part.kv_heads, spec.d_head);
  if (part.values) {
    project_heads(pool_, {&set, kValue, input, n_rows_, stack_.d_model, v, is_step()}, part.kv_heads, spec.d_head);
  }
  if (spec.qk_norm) {
    normalise_heads(set, kQueryNorm, part.heads.size(), q);
    normalise_heads(set, kKeyNorm, part.kv_heads.size(), k);
  }
  rotation_.apply(pool_, plan.layer, part.heads.size(), q);
  rotation_.apply(pool_, plan.layer, part.kv_heads.size(), k);
  if (cache_ != nullptr) {
    std::copy_n(k, n_rows_ * d_keys, cache_->keys(plan.layer) + n_past_ * d_keys);
    std::copy_n(v, n_rows_ * d_keys, cache_->values(plan.layer) + n_past_ * d_keys);
  }

  // Attention over them, or over all that the cache holds.
  const std::size_t q_stride = part.heads.size() * spec.d_head;
  const std::size_t k_stride = part.kv_heads.size() * spec.d_head;
  AttentionArgs args;
  args.spec = &spec;
  args.rows.offsets = offsets_;
  args.heads = part.heads;
  args.kv_heads = part.kv_heads;
  args.q = {q, q_stride};
  args.k = {k, k_stride};
  args.v = {part.values ? v : nullptr, k_stride};
  args.z = {z, q_stride};
  if (part.request != nullptr) show_projections(plan, part, args);
  lap(&StageTimes::project);
  const std::size_t key_offsets[] = {0, n_past_ + n_rows_};
  if (cache_ != nullptr) {
    args.k.data = cache_->keys(plan.layer);
    args.v.data = cache_->values(plan.layer);
    args.rows.key_offsets = key_offsets;
    args.rows.n_past = n_past_;
  }
  if (!distance_bias_.empty()) {
    args.terms.distance_bias = distance_bias_.data();
    args.terms.n_distance = n_distance_;
  }
  if (part.scores && disentangled_) args.terms.term = disentangled_->project(pool_, set, part.heads);
  if (part.scores) attend(plan, part, kRoles, args);
  lap(&StageTimes::attend);
  if (part.output) project(pool_, {&set, kOutput, z, n_rows_, d_query(spec), y_.data(), is_step()}, stack_.d_model);
}

void StackRun::cross_attention(const LayerPlan& plan) {
  static constexpr AttentionRoles kRoles{kCrossQuery, kCrossKey, kCrossValue, kCrossOutput, kCrossNorm, kNoPostNorm};
  const AttentionPlan& part = *plan.cross;
  const AttentionSpec& spec = stack_.cross->attention;
  const TensorSet& set = weights_.layer(plan.layer);
  float* q = scratch_.data();              // [sum T, heads * K]
  float* z = q + n_rows_ * d_query(spec);  // [sum T, heads * K]
  const TapPlace norm{TapKind::kAttentionNorm, Site::kCross, plan.layer};
  const float* input = block_input(set, kCrossNorm, part.request != nullptr ? std::optional(norm) : std::nullopt);
  project_heads(pool_, {&set, kCrossQuery, input, n_rows_, stack_.d_model, q, is_step()}, part.heads, spec.d_head);

  // Keys and values of the encoder's rows: kept by encode_source, or made now.
  const std::size_t source_offsets[] = {0, cache_ != nullptr ? cache_->n_source() : 0};
  const std::size_t k_stride = (cache_ != nullptr ? spec.n_kv_head : part.kv_heads.size()) * spec.d_head;
  const float* k = cache_ != nullptr ? cache_->cross_keys(plan.layer) : cross_.data();
  const float* v = cache_ != nullptr ? cache_->cross_values(plan.layer) : nullptr;
  if (cache_ == nullptr) {
    const std::size_t n_source = source_.offsets.back();
    float* values = cross_.data() + n_source * d_key(spec);
    const std::size_t d_source = stack_.cross->d_source;
    project_heads(pool_, {&set, kCrossKey, source_.rows, n_source, d_source, cross_.data()}, part.kv_heads, spec.d_head);
    if (part.values) {
      project_heads(pool_, {&set, kCrossValue, source_.rows, n_source, d_source, values}, part.kv_heads, spec.d_head);
      v = values;
    }
  }
  AttentionArgs args;
  args.spec = &spec;
  args.rows.offsets = offsets_;
  args.rows.key_offsets = cache_ != nullptr ? std::span<const std::size_t>(source_offsets) : source_.offsets;
  args.rows.n_past = n_past_;
  args.heads = part.heads;
  args.kv_heads = part.kv_heads;
  args.q = {q, part.heads.size() * spec.d_head};
  args.k = {k, k_stride};
  args.v = {v, k_stride};
  args.z = {z, part.heads.size() * spec.d_head};
  if (part.request != nullptr) show_projections(plan, part, args);
  lap(&StageTimes::project);
  if (part.scores) attend(plan, part, kRoles, args);
  lap(&StageTimes::attend);
  if (part.output) project(pool_, {&set, kCrossOutput, z, n_rows_, d_query(spec), y_.data(), is_step()}, stack_.d_model);
}

// RMS norm over each head of q or k.
void StackRun::normalise_heads(const TensorSet& set, TensorRole role, std::size_t n_heads, float* x) const {
  rms_norm(pool_, {x, nullptr, set.vector(role), nullptr, stack_.norm.epsilon, n_rows_ * n_heads, stack_.attention.d_head, x});
}

// Attention of the planned heads, with the run's cuts, edits and taps. args holds queries, keys, values and the place of z.
void StackRun::attend(const LayerPlan& plan, const AttentionPlan& part, const AttentionRoles& roles, AttentionArgs args) {
  const AttentionSpec& spec = *args.spec;
  if (part.queries) args.rows.queries = QueryRange{part.queries->begin, part.queries->end};
  const std::unique_ptr<ScoreTerm> cuts = edits_.cuts(part.site, plan.layer);
  args.terms.cuts = cuts.get();
  AttentionTaps sink(taps_, part, plan.layer);
  if (part.request != nullptr) args.sink = &sink;
  const bool shows_pairs = part.request != nullptr && taps_.wants(TapKind::kPairNorm);
  const bool shows_heads = part.request != nullptr && (taps_.wants(TapKind::kHeadOut) || taps_.wants(TapKind::kHeadOutNorm));
  std::optional<HeadOutputs> outputs;
  if (shows_pairs || shows_heads) outputs.emplace(pool_, weights_.layer(plan.layer), roles.output, spec.d_head);
  if (shows_pairs) {
    const auto key_offsets = args.rows.key_offsets.empty() ? args.rows.offsets : args.rows.key_offsets;
    std::vector<std::vector<float>> lengths;
    for (const std::size_t head : part.request->heads) {
      const std::size_t kv_head = head / (spec.n_head / spec.n_kv_head);
      const auto place = std::lower_bound(part.kv_heads.begin(), part.kv_heads.end(), kv_head) - part.kv_heads.begin();
      const float* values = args.v.data + static_cast<std::size_t>(place) * spec.d_head;
      lengths.push_back(outputs->lengths(head, {values, args.v.stride}, key_offsets.back()));
    }
    sink.set_key_lengths(std::move(lengths), key_offsets);
  }
  if (!part.context) args.v = {}, args.z = {};
  attention(pool_, args);
  if (!part.context) return;
  edits_.edit_context(part.site, plan.layer, part.heads, spec.d_head, args.z);
  if (part.request == nullptr) return;
  for (const std::size_t head : part.request->heads) {
    const auto place = static_cast<std::size_t>(std::find(part.heads.begin(), part.heads.end(), head) - part.heads.begin());
    const HeadRows<const float> z{args.z.data + place * spec.d_head, args.z.stride};
    taps_.show({TapKind::kContext, part.site, plan.layer, head}, z, spec.d_head, part.queries);
    if (shows_heads) outputs->show(taps_, {TapKind::kHeadOut, part.site, plan.layer, head}, z, part.queries);
  }
}

// y [sum T, D] from x [sum T, D], which may be one buffer
void StackRun::feed_forward(const TensorSet& set, const float* x, float* y) const {
  for (std::size_t row = 0; row < n_rows_; row += kFfnRows) {
    const std::size_t place = row * stack_.d_model;
    feed_forward_rows(set, x + place, std::min(kFfnRows, n_rows_ - row), y + place);
  }
}

void StackRun::feed_forward_rows(const TensorSet& set, const float* x, std::size_t n_rows, float* y) const {
  const FfnSpec& spec = stack_.ffn;
  float* hidden = scratch_.data();              // [n_rows, F]
  float* other = hidden + n_rows * spec.d_ffn;  // [n_rows, F], where the block is gated
  const auto multiply = [&](TensorRole role, const float* from, std::size_t d_in, float* to, std::size_t d_out) {
    project(pool_, {&set, role, from, n_rows, d_in, to, is_step()}, d_out);
  };
  if (spec.gated) {
    multiply(kFfnGate, x, stack_.d_model, hidden, spec.d_ffn);
    multiply(kFfnUp, x, stack_.d_model, other, spec.d_ffn);
    activate_gated(pool_, spec.activation, hidden, other, n_rows * spec.d_ffn);
  } else {
    multiply(kFfnUp, x, stack_.d_model, hidden, spec.d_ffn);
    activate(pool_, spec.activation, hidden, n_rows * spec.d_ffn);
  }
  multiply(kFfnDown, hidden, spec.d_ffn, y, stack_.d_model);
}

std::vector<float> StackRun::output() const {
  std::vector<float> rows(stream().begin(), stream().end());
  if (weights_.model().vector(kFinalNorm) != nullptr) {
    normalise(pool_, stack_.norm, weights_.model(), kFinalNorm, {rows.data(), nullptr, n_rows_, stack_.d_model, rows.data()});
  }
  return rows;
}

// Statistics of the norm of x [sum T, D] (+ residual).
void StackRun::show_norm(const TapPlace& place, const float* x, const float* residual) const {
  if (!taps_.wants(place.kind)) return;
  std::vector<float> factors(n_rows_ * 2);
  norm_factors({x, residual, nullptr, nullptr, stack_.norm.epsilon, n_rows_, stack_.d_model, nullptr},
               stack_.norm.kind == NormKind::kRms, factors.data());
  taps_.show(place, {factors.data(), 2}, 2);
}

void StackRun::show_projections(const LayerPlan& plan, const AttentionPlan& part, const AttentionArgs& args) const {
  const std::size_t d_head = args.spec->d_head;
  const auto show = [&](TapKind kind, const RunTaps& taps, std::span<const std::size_t> computed,
                        std::span<const std::size_t> wanted, HeadRows<const float> rows) {
    for (std::size_t i = 0; rows.data != nullptr && i < computed.size(); ++i) {
      if (!std::binary_search(wanted.begin(), wanted.end(), computed[i])) continue;
      taps.show({kind, part.site, plan.layer, computed[i]}, {rows.data + i * d_head, rows.stride}, d_head);
    }
  };
  // Keys of another text are at its positions.
  const bool of_source = part.site == Site::kCross;
  const RunTaps key_taps(taps_.taps(), of_source ? args.rows.key_offsets : offsets_, of_source ? 0 : n_past_);
  show(TapKind::kQuery, taps_, part.heads, part.request->heads, args.q);
  show(TapKind::kKey, key_taps, part.kv_heads, part.kv_shown, args.k);
  show(TapKind::kValue, key_taps, part.kv_heads, part.kv_shown, args.v);
}

// rows [sum T, D]
void StackRun::show_rows(TapKind kind, std::size_t layer, const float* rows) const {
  taps_.show({kind, site_, layer}, {rows, stack_.d_model}, stack_.d_model);
}

void keep_cross_keys(ThreadPool& pool, const StackSpec& stack, const StackWeights& weights, std::span<const float> source,
                     KvCache* cache) {
  const AttentionSpec& spec = stack.cross->attention;
  const std::size_t n_source = source.size() / stack.cross->d_source;
  const std::size_t width = spec.n_kv_head * spec.d_head;
  cache->keep_source(n_source);
  for (std::size_t layer = 0; layer < stack.n_layer; ++layer) {
    const TensorSet& set = weights.layer(layer);
    project(pool, {&set, kCrossKey, source.data(), n_source, stack.cross->d_source, cache->cross_keys(layer)}, width);
    project(pool, {&set, kCrossValue, source.data(), n_source, stack.cross->d_source, cache->cross_values(layer)}, width);
  }
}

}  // namespace attnviz

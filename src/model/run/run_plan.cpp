// See run_plan.h.
#include "model/run/run_plan.h"

#include <attnviz/error.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "model/run/run_checks.h"

namespace attnviz {
namespace {

std::vector<std::size_t> key_value_heads(const AttentionSpec& attention, std::span<const std::size_t> heads) {
  const std::size_t group = attention.n_head / attention.n_kv_head;
  std::vector<std::size_t> kv_heads;
  for (const std::size_t head : heads) {
    if (kv_heads.empty() || kv_heads.back() != head / group) kv_heads.push_back(head / group);
  }
  return kv_heads;
}

std::vector<std::size_t> all_of(std::size_t n) {
  std::vector<std::size_t> indices(n);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

AttentionPlan whole_attention(const AttentionSpec& spec, Site site, const Request* request, std::size_t layer) {
  AttentionPlan plan;
  plan.site = site;
  plan.heads = all_of(spec.n_head);
  plan.kv_heads = key_value_heads(spec, plan.heads);
  if (request == nullptr || !std::binary_search(request->layers.begin(), request->layers.end(), layer)) return plan;
  plan.request = request;
  plan.kv_shown = key_value_heads(spec, request->heads);
  return plan;
}

LayerPlan whole_layer(const StackSpec& stack, const StackRequests& requests, std::size_t layer) {
  LayerPlan plan;
  plan.layer = layer;
  plan.self = whole_attention(stack.attention, self_site(stack.role), requests.self, layer);
  if (stack.cross) plan.cross = whole_attention(stack.cross->attention, Site::kCross, requests.cross, layer);
  return plan;
}

// Leaves out the parts of an attention that no tap needs, if the run stops after it.
void make_last(const AttentionSpec& spec, std::span<Tap* const> taps, AttentionPlan* plan) {
  const auto wants = [&](std::initializer_list<TapKind> kinds) {
    return std::any_of(kinds.begin(), kinds.end(), [&](TapKind kind) { return any_wants(taps, kind); });
  };
  plan->heads = plan->request->heads;
  plan->kv_heads = key_value_heads(spec, plan->heads);
  plan->output = false;
  plan->context = wants({TapKind::kContext, TapKind::kHeadOut, TapKind::kHeadOutNorm});
  plan->values = plan->context || wants({TapKind::kValue, TapKind::kPairNorm});
  plan->scores = plan->context || wants({TapKind::kScores, TapKind::kPattern, TapKind::kPairNorm});
  plan->queries = plan->request->rows;
}

}  // namespace

StageTimes* StackRequests::times() const {
  if (self != nullptr && self->times != nullptr) return self->times;
  return cross != nullptr ? cross->times : nullptr;
}

Site self_site(StackRole role) {
  switch (role) {
    case StackRole::kText: return Site::kSelf;
    case StackRole::kEncoder: return Site::kEncoder;
    case StackRole::kDecoder: return Site::kDecoder;
    case StackRole::kVision: return Site::kVision;
  }
  return Site::kSelf;
}

StackRequests requests_of(const StackSpec& stack, std::span<const Request> requests) {
  StackRequests found;
  for (const Request& request : requests) {
    if (request.site == self_site(stack.role)) found.self = &request;
    if (request.site == Site::kCross && stack.cross) found.cross = &request;
  }
  return found;
}

bool any_wants(std::span<Tap* const> taps, TapKind kind) {
  return std::any_of(taps.begin(), taps.end(), [&](const Tap* tap) { return tap->wants(kind); });
}

std::vector<LayerPlan> plan_run(const StackSpec& stack, const StackRequests& requests, std::span<Tap* const> taps,
                                std::size_t first_layer) {
  check_request(stack, requests.self, first_layer);
  check_request(stack, requests.cross, first_layer);
  std::size_t last = 0;
  for (const Request* request : {requests.self, requests.cross}) {
    if (request != nullptr) last = std::max(last, request->layers.back());
  }
  std::vector<LayerPlan> plan;
  for (std::size_t layer = first_layer; requests.any() && layer <= last; ++layer) {
    plan.push_back(whole_layer(stack, requests, layer));
  }
  constexpr TapKind kAfterAttention[] = {TapKind::kResidual, TapKind::kAttentionOut, TapKind::kFeedForwardOut,
                                         TapKind::kAttentionNorm, TapKind::kFeedForwardNorm};
  const bool is_whole =
      std::any_of(std::begin(kAfterAttention), std::end(kAfterAttention), [&](TapKind kind) { return any_wants(taps, kind); });
  if (plan.empty() || is_whole) return plan;
  LayerPlan& step = plan.back();
  step.feed_forward = false;
  if (step.cross && step.cross->request != nullptr) {
    make_last(stack.cross->attention, taps, &*step.cross);
  } else {
    step.cross.reset();
    make_last(stack.attention, taps, &step.self);
  }
  return plan;
}

std::vector<LayerPlan> plan_whole_run(const StackSpec& stack, const StackRequests& requests, std::size_t first_layer) {
  check_request(stack, requests.self, first_layer);
  check_request(stack, requests.cross, first_layer);
  std::vector<LayerPlan> plan;
  for (std::size_t layer = first_layer; layer < stack.n_layer; ++layer) plan.push_back(whole_layer(stack, requests, layer));
  return plan;
}

}  // namespace attnviz

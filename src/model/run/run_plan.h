// What each layer of a run has to compute.
//
// The plan is where "do only what the Request asks" is decided; the forward pass (stack_run.cpp) just follows it.
// Tested in tests/unit/model/run/run_plan_test.cpp.
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/request.h>
#include <attnviz/token.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace attnviz {

// One attention of a layer: over the stack's own rows, or over the encoder's.
struct AttentionPlan {
  Site site = Site::kSelf;
  const Request* request = nullptr;    // of this site, where taps see this layer; null: they do not
  std::vector<std::size_t> heads;      // query heads to compute
  std::vector<std::size_t> kv_heads;   // key/value heads they read, sorted
  std::vector<std::size_t> kv_shown;   // key/value heads of the request's heads
  bool scores = true;                  // q.k, softmax and what depends on them
  bool values = true;                  // V
  bool context = true;                 // z
  bool output = true;                  // the output projection: the block's part of the stream
  std::optional<QueryRows> queries{};  // the only ones that are computed
};

struct LayerPlan {
  std::size_t layer = 0;
  AttentionPlan self;
  std::optional<AttentionPlan> cross{};
  bool feed_forward = true;  // the rest of the layer: the stream after it
};

// What is wanted of one stack.
struct StackRequests {
  const Request* self = nullptr;   // null: nothing
  const Request* cross = nullptr;  // the same

  bool any() const { return self != nullptr || cross != nullptr; }
  StageTimes* times() const;  // of the first that has them
};

// The site of a stack's own attention.
Site self_site(StackRole role);

// The requests whose sites are of that stack.
StackRequests requests_of(const StackSpec& stack, std::span<const Request> requests);

// Layers [first_layer, last wanted]. Throws Error(kInput) for a layer or head the stack does not have, Error(kBug) for a request
// that names nothing, is not sorted and unique, or wants a layer before the first.
std::vector<LayerPlan> plan_run(const StackSpec& stack, const StackRequests& requests, std::span<Tap* const> taps,
                                std::size_t first_layer = 0);

// All layers from the first with all of their work, for a run whose stream is read at its end: requests only say what taps see.
std::vector<LayerPlan> plan_whole_run(const StackSpec& stack, const StackRequests& requests, std::size_t first_layer = 0);

bool any_wants(std::span<Tap* const> taps, TapKind kind);

}  // namespace attnviz

// What each layer of a run has to compute, and the checks of everything a caller can get wrong.
//
// The plan is where "do only what the Request asks" is decided; the forward pass (forward.cpp) just follows it.
// Tested in tests/unit/model/run_plan_test.cpp.
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/request.h>
#include <attnviz/token.h>

#include <cstddef>
#include <span>
#include <vector>

namespace attnviz {

class KvCache;

struct LayerPlan {
  std::size_t layer = 0;
  bool wanted = false;                // taps see this layer
  std::vector<std::size_t> heads;     // query heads to compute
  std::vector<std::size_t> kv_heads;  // key/value heads they read, sorted
  bool scores = true;                 // q.k, softmax and what depends on them
  bool values = true;                 // V
  bool context = true;                // z
  bool output = true;                 // output projection and feed-forward: the stream after the layer
};

// Layers 0 .. last wanted. Throws Error(kInput) for a layer or head the model does not have, Error(kBug) for a request that names
// nothing or is not sorted and unique.
std::vector<LayerPlan> plan_run(const ModelConfig& config, const Request& request, std::span<Tap* const> taps);

// All layers with all of their work, for a run whose stream is read at its end: the request only says what taps see.
std::vector<LayerPlan> plan_whole_run(const ModelConfig& config, const Request& request);

bool any_wants(std::span<Tap* const> taps, TapKind kind);

// Throws Error(kInput): an empty sequence, one that is too long, an id outside the vocabulary, a segment the model has not.
void check_batch(const ModelConfig& config, const TokenBatch& batch);

// The same for a batch of one text that goes on from the cache; see Model::extend.
void check_extension(const ModelConfig& config, const KvCache& cache, const TokenBatch& batch);

}  // namespace attnviz

// Checks of everything that a caller of a run can get wrong: the input, the requests, the edits.
// Tested in tests/unit/model/run/run_plan_test.cpp and tests/unit/model.
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/request.h>
#include <attnviz/token.h>

#include <cstddef>
#include <span>

namespace attnviz {

class KvCache;

// Throws Error(kInput) for a layer or head the stack does not have, Error(kBug) for a request that names nothing, is not sorted and
// unique, or wants a layer before the first. A null request is fine.
void check_request(const StackSpec& stack, const Request* request, std::size_t first_layer);

// Throws Error(kInput) for a request of a site that the model does not have, Error(kBug) for two requests of one site.
void check_sites(const ModelConfig& config, std::span<const Request> requests);

// Throws Error(kInput): an empty sequence, one that is too long, an id outside the vocabulary, a segment the model has not.
void check_batch(const StackSpec& stack, const TokenBatch& batch);

// The same for any start: a kept stream must be of whole rows and begin at one of the stack's layers (Error(kBug)).
void check_input(const StackSpec& stack, const StackInput& input);

// The same for a batch of one text that goes on from the cache; see Model::extend.
void check_extension(const StackSpec& stack, const KvCache& cache, const TokenBatch& batch);

// The rows of each text [B + 1], of tokens or of a kept stream.
std::span<const std::size_t> offsets_of(const StackInput& input);

// Throws Error(kInput) for an edit of a layer, head or position that does not exist, of a layer before the one where the run
// starts, or with a replacement of another width than K; Error(kBug) where there are neither one nor as many edits as texts.
void check_edits(const ModelConfig& config, const RunInput& input);

}  // namespace attnviz

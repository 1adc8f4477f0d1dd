// The first stream of a stack over tokens:
//   x = norm(scale * word + segment + position), each part where the model has it, projected to D where the embedding has another
//   width: after the norm (ALBERT, ELECTRA), or the word rows alone before anything is added to them (OPT 350m).
// Tested through every family in tests/parity.
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/token.h>

#include <cstddef>

#include "base/thread_pool.h"
#include "model/binder.h"

namespace attnviz {

struct Embedding {
  ThreadPool& pool;
  const StackSpec& stack;
  const TensorSet& set;
  std::size_t n_past = 0;  // position of the first token of every text
  bool any_order = false;  // see linear_one_row
};

// x [sum T, D]; `scratch` [sum T, E] is used where rows are projected.
void embed_tokens(const Embedding& embedding, const TokenBatch& batch, float* scratch, float* x);

}  // namespace attnviz

// From rows of a stack's last stream to scores over the vocabulary: final norm, the transform of a masked-token head, output
// matrix, soft cap, each part where the model has it (OutputSpec). Tested in tests/parity/families_test.cpp and logits_test.cpp.
#pragma once

#include <attnviz/model_config.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "model/binder.h"

namespace attnviz {

// Whether the file holds the matrix and vectors that the stack's output head needs.
bool has_output_weights(const StackSpec& stack, const TensorSet& set);

struct Readout {
  ThreadPool& pool;
  const StackSpec& stack;
  const TensorSet& set;
  bool any_order = false;  // see linear_one_row
};

// Scores [n, V] from rows [n, D] of the stream after the last layer.
std::vector<float> read_logits(const Readout& readout, std::span<const float> stream_rows);

// The factors [n, 2] of the final norm of such rows (ops/norm.h: norm_factors); empty where there is no final norm.
std::vector<float> final_norm_factors(const Readout& readout, std::span<const float> stream_rows);

}  // namespace attnviz

// Element-wise activations, in place: gelu x/2 (1 + erf(x/sqrt 2)), its tanh form (Hendrycks & Gimpel 2016), relu, silu
// x*sigmoid(x). Tested in tests/unit/ops/activation_test.cpp.
#pragma once

#include <attnviz/model_config.h>

#include <cstddef>

#include "base/thread_pool.h"

namespace attnviz {

void activate(ThreadPool& pool, Activation activation, float* values, std::size_t n);

// values = activation(values) * factors (Shazeer 2020, "GLU Variants Improve Transformer")
void activate_gated(ThreadPool& pool, Activation activation, float* values, const float* factors, std::size_t n);

}  // namespace attnviz

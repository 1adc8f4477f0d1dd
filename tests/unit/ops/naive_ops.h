// Plain versions of the operations, in f64 and without any cleverness: what the fast ones are compared with.
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace attnviz::naive {

using Values = std::vector<float>;

// Deterministic numbers in [-scale, scale].
inline Values random_values(std::size_t n, unsigned seed, float scale = 1.0F) {
  std::mt19937 generator(seed);
  Values values(n);
  for (float& value : values) value = (static_cast<float>(generator() % 200001) / 100000.0F - 1.0F) * scale;
  return values;
}

// [M, N] = x [M, K] w^T [K, N] + bias
inline Values linear(const Values& x, const Values& w, const Values* bias, std::size_t n_rows, std::size_t n_inputs) {
  const std::size_t n_outputs = n_inputs == 0 ? 0 : w.size() / n_inputs;
  Values y(n_rows * n_outputs);
  for (std::size_t m = 0; m < n_rows; ++m) {
    for (std::size_t n = 0; n < n_outputs; ++n) {
      double sum = bias != nullptr ? (*bias)[n] : 0.0;
      for (std::size_t k = 0; k < n_inputs; ++k) sum += static_cast<double>(x[m * n_inputs + k]) * w[n * n_inputs + k];
      y[m * n_outputs + n] = static_cast<float>(sum);
    }
  }
  return y;
}

// One sequence, one head: [Tq, Tk] patterns and scores, [Tq, K] context.
struct Head {
  std::vector<double> scores;
  std::vector<double> pattern;
  std::vector<double> context;
};

struct HeadInput {
  const float* q;
  std::size_t q_stride;
  const float* k;
  std::size_t k_stride;
  const float* v;
  std::size_t v_stride;
  const float* bias;  // [2 n_distance - 1] of this head, or null
  std::size_t n_distance;
  const double* term = nullptr;  // [T, T] added to the scores, or null
};

inline Head attention(const HeadInput& in, std::size_t n_tokens, const AttentionSpec& spec) {
  const double none = -std::numeric_limits<double>::infinity();
  Head head;
  head.scores.assign(n_tokens * n_tokens, none);
  head.pattern.assign(n_tokens * n_tokens, 0.0);
  head.context.assign(n_tokens * spec.d_head, 0.0);
  for (std::size_t query = 0; query < n_tokens; ++query) {
    double* scores = head.scores.data() + query * n_tokens;
    double* pattern = head.pattern.data() + query * n_tokens;
    double largest = none;
    for (std::size_t key = 0; key < n_tokens; ++key) {
      if (!spec.mask.allows(query, key)) continue;
      double dot = 0;
      for (std::size_t i = 0; i < spec.d_head; ++i)
        dot += static_cast<double>(in.q[query * in.q_stride + i]) * in.k[key * in.k_stride + i];
      scores[key] = dot * spec.scale;
      if (spec.softcap > 0) scores[key] = spec.softcap * std::tanh(scores[key] / spec.softcap);
      if (in.bias != nullptr) scores[key] += in.bias[key + in.n_distance - 1 - query];
      if (in.term != nullptr) scores[key] += in.term[query * n_tokens + key];
      largest = std::max(largest, scores[key]);
    }
    double sum = 0;
    for (std::size_t key = 0; largest != none && key < n_tokens; ++key) sum += std::exp(scores[key] - largest);
    for (std::size_t key = 0; largest != none && key < n_tokens; ++key) {
      pattern[key] = std::exp(scores[key] - largest) / sum;
      for (std::size_t i = 0; i < spec.d_head; ++i)
        head.context[query * spec.d_head + i] += pattern[key] * in.v[key * in.v_stride + i];
    }
  }
  return head;
}

inline double activation(Activation kind, double x) {
  switch (kind) {
    case Activation::kGelu: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::kGeluTanh: return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::kRelu: return std::max(x, 0.0);
    case Activation::kSilu: return x / (1 + std::exp(-x));
  }
  return 0;
}

}  // namespace attnviz::naive

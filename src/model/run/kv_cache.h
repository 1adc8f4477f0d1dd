// Keys and values of the tokens of a growing text, for every layer, so that a new token can be run without running the
// whole text again ("KV cache"; Pope et al. 2022, "Efficiently Scaling Transformer Inference", section 3.3).
//
// A cache belongs to one text and one model. Keys are kept as attention reads them: normalised and rotated. Memory is touched as
// tokens are added, whatever the capacity. For a decoder with cross-attention it also holds the keys and values of the source,
// which do not grow. Tested in tests/parity/generation_test.cpp and two_stacks_test.cpp.
#pragma once

#include <attnviz/model_config.h>

#include <cstddef>
#include <vector>

#include "model/run/buffer.h"

namespace attnviz {

class KvCache {
 public:
  // Room for `capacity` tokens of the stack that is generated from: the decoder, or the only one.
  KvCache(const ModelConfig& config, std::size_t capacity);

  std::size_t n_tokens() const { return n_tokens_; }
  std::size_t capacity() const { return capacity_; }

  // For the forward pass: rows [capacity, G*K] of a layer; those from n_tokens() on are free.
  float* keys(std::size_t layer) const { return keys_[layer].data(); }
  float* values(std::size_t layer) const { return values_[layer].data(); }
  void grow(std::size_t n) { n_tokens_ += n; }

  // Cross-attention's rows [n_source, G*K] of a layer, once keep_source has made room for them.
  void keep_source(std::size_t n_source);
  std::size_t n_source() const { return n_source_; }
  float* cross_keys(std::size_t layer) const { return cross_keys_[layer].data(); }
  float* cross_values(std::size_t layer) const { return cross_values_[layer].data(); }

  void clear() { n_tokens_ = 0; }

 private:
  std::size_t capacity_;
  std::size_t n_tokens_ = 0;
  std::vector<FloatBuffer> keys_;    // [L]
  std::vector<FloatBuffer> values_;  // [L]
  std::size_t cross_width_ = 0;      // G*K of cross-attention; 0: there is none
  std::size_t n_source_ = 0;
  std::vector<FloatBuffer> cross_keys_;    // [L], or empty
  std::vector<FloatBuffer> cross_values_;  // [L], or empty
};

// Whether the keys in the cache are rotated as they would be in a text with n_new more tokens. Some models rotate all positions
// differently once a text is long (RopeSpec::long_frequencies); such a text has to be run again from its beginning.
bool keeps_rotation(const StackSpec& stack, const KvCache& cache, std::size_t n_new);

}  // namespace attnviz

// Rotary positions of a run: where each row is in its text, and the tables of cosines and sines, made once per kind of
// attention. Tested through every rotary family in tests/parity.
#pragma once

#include <attnviz/model_config.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "ops/attention.h"
#include "ops/rope.h"

namespace attnviz {

class Rotation {
 public:
  // Rows [offsets[b], offsets[b + 1]) of text b are its positions from n_past on.
  Rotation(const StackSpec& stack, std::span<const std::size_t> offsets, std::size_t n_past)
      : stack_(stack), offsets_(offsets), n_past_(n_past) {}

  // Turns x [sum T, n_heads * K], queries or keys of that layer, in place. Nothing happens where the layer does not rotate.
  void apply(ThreadPool& pool, std::size_t layer, std::size_t n_heads, float* x);

 private:
  const RopeTable& table(const RopeSpec& spec, std::size_t kind, bool is_long);

  const StackSpec& stack_;
  std::span<const std::size_t> offsets_;
  std::size_t n_past_;
  std::vector<std::int32_t> positions_;                       // [sum T] in its text; filled when a layer rotates
  std::map<std::pair<std::size_t, bool>, RopeTable> tables_;  // by kind of attention, for long texts or not
};

}  // namespace attnviz

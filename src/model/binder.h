// Finds a model's expected tensors in a weight source: every error about the name, shape or type of a weight comes from here.
//
// Matrices stay where the source has them (mapped, untouched until used) unless their address is not a multiple of their element's
// size; vectors are unpacked to f32. Tensors that the table does not name (task heads, poolers, position_ids) are ignored.
// Tested in tests/unit/model/binder_test.cpp.
#pragma once

#include <attnviz/weights.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/tensor_table.h"

namespace attnviz {

struct BoundTensor {
  TensorView view;              // as stored; data is null where the tensor is absent or is in `values`
  bool transposed = false;      // the view is [inputs, outputs]
  std::size_t first_row = 0;    // the role's first row (column where transposed) in a view that several roles share
  std::size_t head_stride = 0;  // rows from one head's first to the next one's; 0: K
  std::vector<float> values;    // [element_count] of vectors and of rows that ask for unpacking
};

// The tensors of one layer, or those that exist once.
class TensorSet {
 public:
  BoundTensor& at(TensorRole role) { return tensors_[static_cast<std::size_t>(role)]; }
  const BoundTensor& at(TensorRole role) const { return tensors_[static_cast<std::size_t>(role)]; }

  const TensorView& matrix(TensorRole role) const { return at(role).view; }
  bool has_matrix(TensorRole role) const { return at(role).view.data != nullptr; }
  // f32 values, or null where the tensor is absent.
  const float* vector(TensorRole role) const { return at(role).values.empty() ? nullptr : at(role).values.data(); }

 private:
  std::array<BoundTensor, kNTensorRole> tensors_;
};

// The tensors of one stack.
class StackWeights {
 public:
  const TensorSet& model() const { return model_; }
  const TensorSet& layer(std::size_t layer) const { return stored_layers_[stored_layer_of_[layer]]; }

 private:
  friend class Binder;

  TensorSet model_;
  std::vector<TensorSet> stored_layers_;
  std::vector<std::size_t> stored_layer_of_;  // [L]
  std::vector<std::unique_ptr<std::byte[]>> copies_;
};

struct BoundWeights {
  std::string prefix;                // the file's prefix of the family's names: "bert."
  std::vector<StackWeights> stacks;  // one for each of ModelConfig::stacks
};

// tables[i] lists the tensors of config.stacks[i]; all stacks share the prefix, which the first table's first row finds. The result
// points into `source`, which must outlive it. Throws Error(kModel); Error(kBug) for a table whose number of layers differs from
// its stack's (a forgotten number_layers).
BoundWeights bind_weights(const ModelConfig& config, std::span<const TensorTable> tables, const WeightSource& source);

}  // namespace attnviz

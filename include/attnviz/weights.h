// Named tensors of a model file of any format.
//
// A source is opened once, checks the whole structure of its files up front (see docs/FORMATS.md), and hands out views into
// mapped memory. It knows nothing about models: the binder decides which names must exist, and with which shapes.
#pragma once

#include <attnviz/tensor.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct StoredTensor {
  std::string name;  // as spelled in the file
  TensorView view;   // valid as long as the source lives
};

void sort_by_name(std::vector<StoredTensor>* tensors);  // as a WeightSource lists them

class WeightSource {
 public:
  virtual ~WeightSource() = default;

  // All tensors, sorted by name.
  virtual std::span<const StoredTensor> tensors() const = 0;

  // Where the weights come from, for messages: a file or folder path.
  virtual std::string where() const = 0;

  // True if the source has already undone its family's storage conventions: matrices are [outputs, inputs], the parts of a fused
  // matrix follow each other, and norm weights are the factors themselves.
  virtual bool is_plain() const { return false; }

  // The tensor of that exact name, or nullptr.
  const StoredTensor* find(std::string_view name) const;
};

}  // namespace attnviz

// Which tensors a torch.save pickle names, and where each is in its storage: from pickle values to checked descriptions.
//
// The top-level dict maps names to tensors, or contains exactly one dict that does ({"state_dict": {...}, "epoch": 3}). Values that
// are not tensors are skipped. Tested in tests/unit/formats/weights/torch_zip_test.cpp.
#pragma once

#include <attnviz/tensor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "formats/weights/pickle.h"

namespace attnviz {

// An element's place in the storage is offset + sum of index[d] * strides[d]; all are inside [0, n_storage).
struct TorchTensor {
  std::string_view name;
  DType dtype = DType::kF32;
  std::string_view storage;   // the key of the archive's entry: "0"
  std::size_t n_storage = 0;  // elements of the storage
  std::size_t offset = 0;     // in elements, like the strides
  Shape shape;
  std::vector<std::size_t> strides;  // [shape.size()]
  std::size_t n_element = 0;
  bool contiguous = true;  // row-major without gaps
};

// Throws Error(kModel). Names are those of the pickle, possibly with duplicates. The pickle's bytes must outlive the result.
std::vector<TorchTensor> find_torch_tensors(const Pickle& pickle, const std::string& where);

}  // namespace attnviz

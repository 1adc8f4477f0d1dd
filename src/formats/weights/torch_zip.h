// Files of torch.save since PyTorch 1.6 (pytorch_model.bin), memory-mapped: a zip archive of one pickle and one entry per storage.
//
// <root>/data.pkl names the tensors, <root>/data/<key> are the storages' bytes, <root>/byteorder is "little". Tensors that are
// row-major in their storage are views into the map. Transposed, sliced and expanded ones are copied into that order once; all
// copies together take no more bytes than the file. Nothing is executed (formats/weights/pickle.h), and nothing is extracted, so an
// entry's name is never used as a path. The layout: https://pytorch.org/docs/stable/notes/serialization.html. Tested in
// tests/unit/formats/weights/torch_zip_test.cpp and tests/parity/torch_zip_test.cpp, fuzzed by tests/fuzz/torch_zip_fuzz.cpp.
#pragma once

#include <attnviz/weights.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attnviz {

struct TorchTensors {
  std::vector<StoredTensor> tensors;           // sorted by name; views point into the file's bytes or into `copies`
  std::vector<std::vector<std::byte>> copies;  // of tensors whose elements are not row-major in the file
};

// The tensors of one file's bytes, which must outlive the result. Throws Error(kModel).
TorchTensors parse_torch_zip(std::span<const std::byte> bytes, const std::string& where);

std::unique_ptr<WeightSource> open_torch_zip(const std::filesystem::path& file);

}  // namespace attnviz

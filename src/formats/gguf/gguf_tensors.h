// The tensor infos of a GGUF file: from bytes to views into its data. Each info is checked on its own, then all of them together.
// Tested in tests/unit/formats/gguf/gguf_test.cpp.
#pragma once

#include <attnviz/weights.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace attnviz {

class ByteReader;

struct GgufInfo {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;             // outermost first: the reverse of the file's order
  std::size_t offset = 0;  // bytes from the start of the data
};

// `n` infos in the file's order. Throws Error(kModel).
std::vector<GgufInfo> read_gguf_infos(ByteReader* reader, std::size_t n, const std::string& where);

// Views into `data`, sorted by name. Throws Error(kModel) if an offset is not aligned or tensors leave the data, overlap or share a
// name.
std::vector<StoredTensor> place_gguf_tensors(std::vector<GgufInfo> infos, std::span<const std::byte> data, std::size_t alignment,
                                             const std::string& where);

}  // namespace attnviz

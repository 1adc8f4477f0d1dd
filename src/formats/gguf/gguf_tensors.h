// The tensor infos of a GGUF file: from bytes to views into its data, each checked on its own and all of them together.
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
  Shape shape;  // outermost first: the reverse of the file's order
  std::size_t offset = 0;
};

// `n` infos in the file's order. Throws Error(kModel).
std::vector<GgufInfo> read_gguf_infos(ByteReader* reader, std::size_t n, const std::string& where);

// Views into `data`, sorted by name: offsets aligned, inside, and without overlap. Throws Error(kModel).
std::vector<StoredTensor> place_gguf_tensors(std::vector<GgufInfo> infos, std::span<const std::byte> data, std::size_t alignment,
                                             const std::string& where);

}  // namespace attnviz

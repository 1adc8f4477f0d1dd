// The JSON header of a safetensors file: from text to entries, with each field checked on its own.
//
// Read event by event (SAX), never as a tree: duplicate names stay visible, and a hostile header costs no more memory than its
// size justifies, however deep it is nested. Tested in tests/unit/formats/weights/safetensors_test.cpp.
#pragma once

#include <attnviz/tensor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  std::size_t begin = 0;  // byte offsets into the data that follows the header
  std::size_t end = 0;
};

// The entries in the header's order, with all fields and no duplicate names. Throws Error(kModel).
std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view json, const std::string& where);

}  // namespace attnviz

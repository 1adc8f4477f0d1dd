// A checkout without Git LFS has a small text file in place of the weights: the most common kind of "damaged" file.
// Tested in tests/unit/formats/weights/safetensors_test.cpp and torch_zip_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace attnviz {

// Throws Error(kModel), with advice, if the file is such a text.
void refuse_lfs_pointer(std::span<const std::byte> bytes, const std::string& where);

}  // namespace attnviz

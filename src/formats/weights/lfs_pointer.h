// A checkout without Git LFS leaves a small text where the weights should be: the usual way to get a "damaged" file.
// Tested in tests/unit/formats/weights/safetensors_test.cpp and torch_zip_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace attnviz {

// Throws Error(kModel) if the file is such a text, with the way to get the weights.
void refuse_lfs_pointer(std::span<const std::byte> bytes, const std::string& where);

}  // namespace attnviz

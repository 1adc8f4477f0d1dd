// safetensors files, memory-mapped. weights_folder.h chooses the files of a folder.
//
// Layout (https://huggingface.co/docs/safetensors): u64 header size N, N bytes of JSON {name: {dtype, shape, data_offsets}}, then
// the data, which the tensors must cover exactly, without overlap or hole. Every kind of damage has its own message
// (docs/FORMATS.md). Tested in tests/unit/formats/weights/safetensors_test.cpp, fuzzed by tests/fuzz/safetensors_fuzz.cpp.
#pragma once

#include <attnviz/weights.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attnviz {

// The tensors of one safetensors file's bytes, sorted by name; views point into `bytes`. Throws Error(kModel).
std::vector<StoredTensor> parse_safetensors(std::span<const std::byte> bytes, const std::string& where);

// Maps and checks one file. Throws Error(kModel).
std::unique_ptr<WeightSource> open_safetensors(const std::filesystem::path& file);

}  // namespace attnviz

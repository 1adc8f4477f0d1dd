// The weights of a model folder in any format: one file, or shards that an index lists.
//
// Looked for in this order, as the reference does: model.safetensors, model.safetensors.index.json, pytorch_model.bin,
// pytorch_model.bin.index.json. The first that exists is opened. If it is broken, that is an error; the next is not tried.
// Tested in tests/unit/formats/weights/weights_folder_test.cpp.
#pragma once

#include <attnviz/weights.h>

#include <filesystem>
#include <memory>

namespace attnviz {

// Throws Error(kModel): none of the files (the message names them all), or a broken one.
std::unique_ptr<WeightSource> open_weights_folder(const std::filesystem::path& folder);

// The file of the folder that open_weights_folder would open; empty where there is none.
std::filesystem::path find_weights_file(const std::filesystem::path& folder);

}  // namespace attnviz

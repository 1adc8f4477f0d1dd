// A GGUF file as a model of one of the families: llama.cpp's names and settings become those of the hub's checkpoints.
//
// Changes that llama.cpp's converter made to the tensors are kept (WeightSource::is_plain) or undone by how a view is read: the
// rows of rotary heads that it interleaved are put back by TensorView::interleaved_group. No bytes are copied. Tested in
// tests/unit/model/gguf/gguf_map_test.cpp and tests/parity/gguf_test.cpp.
#pragma once

#include <attnviz/weights.h>

#include <memory>
#include <string>
#include <vector>

#include "formats/gguf/gguf.h"

namespace attnviz {

struct GgufModel {
  std::string settings;  // the text of a config.json
  std::string where;     // for messages about the settings
  std::unique_ptr<WeightSource> weights;
};

// Throws Error(kModel): an architecture that is not supported (named, with the nearest), settings missing or contradictory.
GgufModel map_gguf(std::shared_ptr<const GgufFile> file);

// What general.architecture may be, sorted.
std::vector<std::string> gguf_architectures();

}  // namespace attnviz

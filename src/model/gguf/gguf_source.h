// The tensors of a GGUF file under the names that the hub's checkpoints of the family have. Tested in
// tests/unit/model/gguf/gguf_map_test.cpp.
#pragma once

#include <attnviz/weights.h>

#include <cstddef>
#include <memory>

#include "formats/gguf/gguf.h"
#include "model/gguf/gguf_names.h"

namespace attnviz {

// Leaves out tensors that the family does not have. Marks rows of queries and keys that the converter interleaved (see
// TensorView::interleaved_group). The source keeps the file. Throws Error(kModel) if heads of that width do not fit the rows.
std::unique_ptr<WeightSource> rename_tensors(std::shared_ptr<const GgufFile> file, const GgufArchitecture& architecture,
                                             std::size_t d_head);

}  // namespace attnviz

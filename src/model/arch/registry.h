// Which families there are, and which one a config.json asks for. Tested in tests/unit/model/families_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "model/arch/families.h"

namespace attnviz {

std::span<const Family* const> families();  // by name

// By "model_type"; where that is absent (checkpoints before 2020), by the class named in "architectures". Throws Error(kModel) with
// the supported names and the nearest one.
const Family& find_family(const ConfigObject& config);

// The family's reading of a config.json, validated. Throws Error(kModel).
ModelConfig read_model_config(const Family& family, const ConfigObject& config);

// The tensors that each of the model's stacks must have.
std::vector<TensorTable> tensor_tables(const Family& family, const ModelConfig& model, const ConfigObject& config);

}  // namespace attnviz

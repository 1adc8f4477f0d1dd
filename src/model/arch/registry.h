// Which families there are, and which one a config.json asks for. Tested in tests/unit/model/registry_test.cpp.
#pragma once

#include "model/arch/families.h"

#include <span>

namespace attnviz {

std::span<const Family* const> families();  // by name

// By "model_type"; where that is absent (checkpoints before 2020), by the class named in "architectures". Throws Error(kModel) with
// the supported names and the nearest one.
const Family& find_family(const ConfigObject& config);

}  // namespace attnviz

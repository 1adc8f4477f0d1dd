// The common parts of Qwen2 and Qwen3 that Llama does not have.
#pragma once

#include <attnviz/model_config.h>

#include <string_view>

#include "formats/weights/config_json.h"

namespace attnviz {

// Llama's layers with rotary positions; layers from "max_window_layers" on see a window where "use_sliding_window" is on.
StackSpec read_qwen_stack(const ConfigObject& config, bool qk_norm);

}  // namespace attnviz

// The common parts of Gemma 2 and 3 that Llama does not have. Implemented in gemma2.cpp.
#pragma once

#include <attnviz/model_config.h>

#include <string_view>

#include "formats/weights/config_json.h"
#include "model/arch/decoder_common.h"
#include "model/tensor_table.h"

namespace attnviz {

// The reference's defaults, on which files rely.
DecoderKeys gemma_keys();

// Word rows times sqrt(D), norms around both blocks, scores scaled by query_pre_attn_scalar and capped where the file says so.
StackSpec read_gemma_stack(const ConfigObject& config, const DecoderKeys& keys);

// Llama's names with four norms per layer; every norm weight is stored minus one.
TensorTable gemma_tensors(const StackSpec& stack, const ConfigObject& config);

}  // namespace attnviz

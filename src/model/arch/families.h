// The families: each one file in this folder, with two functions and nothing else. registry.cpp lists them.
//
// read_config turns config.json into a ModelConfig; expected_tensors lists what the weights must hold. The forward pass is shared
// (model/forward.cpp) and reads only these. How to add a family: docs/ADDING_A_MODEL.md.
#pragma once

#include <attnviz/model_config.h>

#include "formats/weights/config_json.h"
#include "model/tensor_table.h"

#include <string_view>

namespace attnviz {

struct Family {
  std::string_view name;  // config.json's model_type
  ModelConfig (*read_config)(const ConfigObject& config);
  TensorTable (*expected_tensors)(const ModelConfig& model, const ConfigObject& config);
};

extern const Family kAlbert;
extern const Family kBert;
extern const Family kCamembert;
extern const Family kDebertaV2;
extern const Family kDistilBert;
extern const Family kElectra;
extern const Family kGemma2;
extern const Family kGemma3;
extern const Family kGemma3Text;
extern const Family kGpt2;
extern const Family kGptNeox;
extern const Family kLlama;
extern const Family kMistral;
extern const Family kModernBert;
extern const Family kMpnet;
extern const Family kOpt;
extern const Family kPhi3;
extern const Family kQwen2;
extern const Family kQwen3;
extern const Family kRoberta;
extern const Family kXlmRoberta;

}  // namespace attnviz

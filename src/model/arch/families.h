// The families: each is one file in this folder, with two functions and nothing else. registry.cpp lists them.
//
// read_stack turns config.json into a StackSpec (read_stacks into several); expected_tensors lists what the weights of a stack must
// hold. The forward pass (model/run) is shared and reads only these. How to add a family: docs/ADDING_A_MODEL.md.
#pragma once

#include <attnviz/model_config.h>

#include <string_view>
#include <vector>

#include "formats/weights/config_json.h"
#include "model/tensor_table.h"

namespace attnviz {

class Family {
 public:
  using ReadStack = StackSpec (*)(const ConfigObject& config);
  using ReadStacks = std::vector<StackSpec> (*)(const ConfigObject& config);
  using ExpectedTensors = TensorTable (*)(const StackSpec& stack, const ConfigObject& config);

  // Models of one text stack, or of several: see ModelConfig::stacks.
  constexpr Family(std::string_view family_name, ReadStack read, ExpectedTensors tensors)
      : name(family_name), expected_tensors(tensors), read_stack_(read) {}
  constexpr Family(std::string_view family_name, ReadStacks read, ExpectedTensors tensors)
      : name(family_name), expected_tensors(tensors), read_stacks_(read) {}

  std::vector<StackSpec> read_stacks(const ConfigObject& config) const {
    return read_stacks_ != nullptr ? read_stacks_(config) : std::vector<StackSpec>{read_stack_(config)};
  }

  std::string_view name;             // config.json's model_type
  ExpectedTensors expected_tensors;  // of one of the stacks

 private:
  ReadStack read_stack_ = nullptr;
  ReadStacks read_stacks_ = nullptr;
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

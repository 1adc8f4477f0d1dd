// See registry.h.
#include "model/arch/registry.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggest.h"
#include "model/model.h"

namespace attnviz {
namespace {

// By name, one per line: a new family is a new line.
const std::array kFamilies = {
    &kAlbert,      //
    &kBert,        //
    &kCamembert,   //
    &kDebertaV2,   //
    &kDistilBert,  //
    &kElectra,     //
    &kGemma2,      //
    &kGemma3,      //
    &kGemma3Text,  //
    &kGpt2,        //
    &kGptNeox,     //
    &kLlama,       //
    &kMistral,     //
    &kModernBert,  //
    &kMpnet,       //
    &kOpt,         //
    &kPhi3,        //
    &kQwen2,       //
    &kQwen3,       //
    &kRoberta,     //
    &kXlmRoberta,  //
};

// "DistilBertForMaskedLM" names the family whose name it starts with, "XLMRobertaModel" is xlm-roberta; what follows says what the
// class is for, or the name would be that of a family which goes on ("Qwen2MoeModel").
const Family* family_of_class(const std::string& class_name) {
  const auto same = [](char a, char b) { return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b))); };
  for (const Family* family : kFamilies) {
    std::string name(family->name);
    std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
    if (class_name.size() <= name.size() || !std::equal(name.begin(), name.end(), class_name.begin(), same)) continue;
    const std::string_view purpose = std::string_view(class_name).substr(name.size());
    for (const std::string_view begin : {"For", "Model", "LMHead", "PreTrained"}) {
      if (purpose.starts_with(begin)) return family;
    }
  }
  return nullptr;
}

[[noreturn]] void fail_unknown(const std::string& where, const std::string& what, const std::string& name) {
  const std::vector<std::string> known = supported_families();
  const auto nearest = closest_name(name, known);
  throw Error(ErrorKind::kModel, fmt::format("{}: {} is not supported; expected one of {}{}", where, what, fmt::join(known, ", "),
                                             nearest ? fmt::format("; did you mean {}?", *nearest) : ""));
}

}  // namespace

std::span<const Family* const> families() { return kFamilies; }

const Family& find_family(const ConfigObject& config) {
  if (config.has("model_type")) {
    const std::string name = config.text("model_type");
    for (const Family* family : kFamilies) {
      if (family->name == name) return *family;
    }
    fail_unknown(config.where(), fmt::format("model_type '{}'", name), name);
  }
  const std::vector<std::string> classes = config.texts("architectures");
  if (!classes.empty()) {
    if (const Family* family = family_of_class(classes.front())) return *family;
    fail_unknown(config.where(), fmt::format("the class '{}'", classes.front()), classes.front());
  }
  throw Error(ErrorKind::kModel,
              fmt::format("{}: has no \"model_type\"; expected one of {}", config.where(), fmt::join(supported_families(), ", ")));
}

ModelConfig read_model_config(const Family& family, const ConfigObject& config) {
  ModelConfig model{std::string(family.name), family.read_stacks(config)};
  model.validate(config.where());
  return model;
}

std::vector<TensorTable> tensor_tables(const Family& family, const ModelConfig& model, const ConfigObject& config) {
  std::vector<TensorTable> tables;
  for (const StackSpec& stack : model.stacks) tables.push_back(family.expected_tensors(stack, config));
  return tables;
}

std::vector<std::string> supported_families() {
  std::vector<std::string> names;
  for (const Family* family : kFamilies) names.emplace_back(family->name);
  return names;
}

}  // namespace attnviz

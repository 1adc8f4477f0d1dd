// From a folder, or parts already open, to a model: configuration, family, weights. See model.h.
#include <attnviz/error.h>

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/weights/config_json.h"
#include "formats/weights/weights_folder.h"
#include "model/arch/decoder_common.h"
#include "model/arch/registry.h"
#include "model/binder.h"
#include "model/gguf/gguf_map.h"
#include "model/model.h"

namespace attnviz {
namespace {

std::unique_ptr<Model> assemble(const ConfigObject& settings, const Family& family, ModelConfig config,
                                std::unique_ptr<WeightSource> source) {
  BoundWeights weights = bind_weights(config, tensor_tables(family, config, settings), *source);
  return std::make_unique<Model>(std::move(config), std::move(weights), std::move(source));
}

}  // namespace

std::unique_ptr<Model> load_model(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: is not a folder; expected a model folder with config.json and weights", folder.string()));
  }
  const std::filesystem::path file = folder / "config.json";
  if (!std::filesystem::exists(file, ignored)) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: has no config.json; expected a model folder as save_pretrained writes it", folder.string()));
  }
  // The configuration first: an unknown family matters more than a fault of the weights.
  const ConfigObject settings = ConfigObject::read(file);
  const Family& family = find_family(settings);
  ModelConfig config = read_model_config(family, settings);
  const std::filesystem::path generation = folder / "generation_config.json";
  for (StackSpec& stack : config.stacks) {
    if (stack.output.kind != OutputKind::kNextToken || !std::filesystem::exists(generation, ignored)) continue;
    const ConfigObject more = ConfigObject::read(generation);  // its end tokens take precedence, as in the reference
    if (more.has("eos_token_id")) stack.output.end_ids = read_end_ids(more, stack.embedding.n_vocab);
  }
  return assemble(settings, family, std::move(config), open_weights_folder(folder));
}

std::unique_ptr<Model> make_model(const std::string& config_text, const std::string& where, std::unique_ptr<WeightSource> weights) {
  const ConfigObject settings = ConfigObject::parse(config_text, where);
  const Family& family = find_family(settings);
  ModelConfig config = read_model_config(family, settings);
  return assemble(settings, family, std::move(config), std::move(weights));
}

std::unique_ptr<Model> load_gguf_model(std::shared_ptr<const GgufFile> file) {
  GgufModel mapped = map_gguf(std::move(file));
  return make_model(mapped.settings, mapped.where, std::move(mapped.weights));
}

}  // namespace attnviz

// attnviz models: list the models known by name, and whether they are here. Tested in tests/cli.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands/commands.h"
#include "formats/manifest.h"
#include "hub/cache.h"
#include "pipeline/resolve.h"

namespace attnviz {
namespace {

// Models in the hub's cache, whichever program downloaded them. Some may be of a family that attnviz does not know.
std::string cached_models() {
  const std::filesystem::path cache = hub_cache_folder();
  std::string text;
  if (cache.empty()) return text;
  for (const std::string& id : cached_hub_ids(cache)) {
    std::error_code ignored;
    if (std::filesystem::exists(hub_model_folder(cache, id) / "refs" / kDefaultRevision, ignored)) text += "  " + id + "\n";
  }
  return text.empty() ? text : fmt::format("\nIn the hub's cache ({}):\n{}", cache.string(), text);
}

int run_models() {
  const std::filesystem::path shared = shared_folder();
  const Manifest manifest = read_manifest(shared / "models.json");
  std::string text;
  for (const ManifestModel& model : manifest.models) {
    const bool here = is_model_complete(shared, model);
    text += fmt::format("{}{}\n    {}\n    family {}, licence {}\n    {}\n", model.name,
                        model.name == manifest.default_model ? "  (default)" : "", model.description, model.family, model.licence,
                        here ? "here: " + (shared / "models" / model.name).string()
                             : "not here yet; get it with: " + command_to_get(shared, model.name));
  }
  text += cached_models();
  text +=
      "\nAny folder with config.json, weights (safetensors or pytorch_model.bin) and tokenizer files works too: attnviz -m FOLDER "
      "TEXT\n"
      "To use a model from the hub: attnviz pull ORG/NAME, then attnviz -m ORG/NAME TEXT\n";
  write_descriptor(STDOUT_FILENO, text);
  return 0;
}

}  // namespace

CommandRun declare_models(CLI::App&) {
  return [](const CommandContext&) { return run_models(); };
}

}  // namespace attnviz

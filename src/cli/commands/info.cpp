// attnviz info [-m MODEL]: describe a model from its files. Tested in tests/cli.
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "formats/gguf/gguf.h"
#include "formats/weights/weights_folder.h"
#include "pipeline/tokenizer_cache.h"

namespace attnviz {
namespace {

void add_line(std::string& text, std::string_view name, const std::string& value) {
  text += fmt::format("{:<12} {}\n", name, value);
}

std::string describe_weights(const std::filesystem::path& folder) {
  const auto gguf = find_gguf(folder);
  const std::shared_ptr<const WeightSource> source =
      gguf ? std::shared_ptr<const WeightSource>(open_gguf(*gguf)) : open_weights_folder(folder);
  std::map<std::string, std::size_t> elements_by_type;
  std::size_t n_byte = 0;
  for (const StoredTensor& tensor : source->tensors()) {
    const std::size_t n_element = element_count(tensor.view.shape);
    elements_by_type[std::string(dtype_name(tensor.view.dtype))] += n_element;
    n_byte += tensor.view.n_bytes();
  }
  std::string types;
  for (const auto& [type, n_element] : elements_by_type) {
    types += fmt::format("{}{:.1f} M {}", types.empty() ? "" : ", ", static_cast<double>(n_element) / 1e6, type);
  }
  return fmt::format("{} tensors, {} ({:.1f} MB)", source->tensors().size(), types, static_cast<double>(n_byte) / 1e6);
}

// The files of the model's folder that this program reads, with their sizes.
std::string describe_files(const std::filesystem::path& folder) {
  std::string text;
  std::error_code ignored;                // a single file is not a folder
  std::set<std::filesystem::path> files;  // sorted
  if (std::filesystem::is_regular_file(folder)) {
    files.insert(folder);
  } else {
    // Only one format: files of other formats beside it are not read.
    const bool is_gguf = find_gguf(folder).has_value();
    const bool is_torch = !is_gguf && find_weights_file(folder).filename().string().starts_with("pytorch_model.bin");
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      if (!entry.is_regular_file(ignored)) continue;  // a folder, a pipe, a link to nothing
      const std::string name = entry.path().filename().string();
      const bool is_weights = is_gguf    ? name.ends_with(".gguf")
                              : is_torch ? name.starts_with("pytorch_model") && name.ends_with(".bin")
                                         : name.ends_with(".safetensors");
      if (is_weights || name.ends_with(".json") || name == "vocab.txt" || name == "merges.txt" || name.ends_with(".model")) {
        files.insert(entry.path());
      }
    }
  }
  for (const std::filesystem::path& file : files) {
    const double size = static_cast<double>(std::filesystem::file_size(file));
    const std::string pad(text.empty() ? 0 : 13, ' ');
    text += fmt::format("{}{}{} ({})", text.empty() ? "" : "\n", pad, file.filename().string(),
                        size < 1e6 ? fmt::format("{:.1f} kB", size / 1e3) : fmt::format("{:.1f} MB", size / 1e6));
  }
  return text;
}

int run_info(const ModelOptions& options) {
  const ModelPlace place = resolve_model(shared_folder(), options.model);
  const LoadedModel loaded = open_model(place, program_cache_folder());
  const ModelConfig& config = loaded.model->config();
  const StackSpec& stack = config.first();
  const AttentionSpec& attention = stack.attention;
  std::string text;
  add_line(text, "model", loaded.info.name);
  add_line(text, "folder", place.folder.string());
  add_line(text, "family", config.family);
  add_line(text, "layers", fmt::format("{} (0 to {})", stack.n_layer, stack.n_layer - 1));
  add_line(text, "heads", fmt::format("{} (0 to {})", attention.n_head, attention.n_head - 1));
  if (attention.n_kv_head != attention.n_head) add_line(text, "kv heads", fmt::to_string(attention.n_kv_head));
  add_line(text, "d_model", fmt::to_string(stack.d_model));
  add_line(text, "d_head", fmt::to_string(attention.d_head));
  add_line(text, "d_ffn", fmt::to_string(stack.ffn.d_ffn));
  add_line(text, "vocabulary", fmt::to_string(stack.embedding.n_vocab));
  add_line(text, "max tokens", fmt::to_string(stack.max_tokens()));
  add_line(text, "weights", describe_weights(place.folder));
  add_line(text, "files", describe_files(place.folder));
  write_descriptor(STDOUT_FILENO, text);
  return 0;
}

}  // namespace

CommandRun declare_info(CLI::App& app) {
  auto options = std::make_shared<ModelOptions>();
  add_model_options(app, *options);
  return [options](const CommandContext&) { return run_info(*options); };
}

}  // namespace attnviz

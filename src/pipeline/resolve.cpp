// See resolve.h.
#include "pipeline/resolve.h"

#include <attnviz/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <vector>

#include "base/suggest.h"
#include "formats/gguf.h"
#include "formats/manifest.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifestFile = "models.json";

ModelPlace place_of_folder(const fs::path& given) {
  fs::path folder = fs::absolute(given).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  return {folder.filename().string(), given};
}

[[noreturn]] void throw_unknown(const std::string& wanted, const Manifest& manifest) {
  std::vector<std::string> names;
  for (const ManifestModel& model : manifest.models) names.push_back(model.name);
  const std::optional<std::string> close = closest_name(wanted, names);
  throw Error(ErrorKind::kModel,
              fmt::format("model {}: is neither a known name nor a folder; {}expected one of: {}, or the path of a folder with "
                          "config.json or of a .gguf file",
                          wanted, close ? fmt::format("did you mean {}? ", *close) : "", fmt::join(names, ", ")));
}

}  // namespace

fs::path shared_folder() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) throw Error(ErrorKind::kBug, "the program cannot find its own place: /proc/self/exe: " + failed.message());
  return program.parent_path().parent_path() / "share" / "attnviz";
}

std::string command_to_get(const fs::path& shared, const std::string& name) {
  return fmt::format("python3 {} {}", (shared / "get_model.py").string(), name);
}

bool is_model_complete(const fs::path& shared, const ManifestModel& model) {
  std::error_code ignored;
  for (const ManifestFile& file : model.files) {
    if (!fs::exists(shared / "models" / model.name / file.name, ignored)) return false;
  }
  return true;
}

ModelPlace resolve_model(const fs::path& shared, const std::string& wanted) {
  std::error_code ignored;
  if (!wanted.empty() && fs::is_directory(wanted, ignored)) return place_of_folder(wanted);
  if (!wanted.empty() && find_gguf(wanted)) return {fs::path(wanted).stem().string(), wanted};
  if (!wanted.empty() && fs::exists(wanted, ignored)) {
    throw Error(ErrorKind::kModel,
                fmt::format("model {}: is a file; expected a folder with config.json, or a .gguf file; try -m {}", wanted,
                            fs::absolute(wanted).parent_path().string()));
  }
  const Manifest manifest = read_manifest(shared / kManifestFile);
  const std::string name = wanted.empty() ? manifest.default_model : wanted;
  for (const ManifestModel& model : manifest.models) {
    if (model.name != name) continue;
    const fs::path folder = shared / "models" / name;
    if (is_model_complete(shared, model)) return {name, folder};
    throw Error(ErrorKind::kModel, fmt::format("model {}: is not on this machine yet (looked in {}); get it with: {}", name,
                                               folder.string(), command_to_get(shared, name)));
  }
  if (wanted.find('/') != std::string::npos) {
    throw Error(ErrorKind::kModel, fmt::format("model {}: no such folder; expected the path of a folder with config.json", wanted));
  }
  throw_unknown(name, manifest);
}

}  // namespace attnviz

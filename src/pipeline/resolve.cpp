// See resolve.h.
#include "pipeline/resolve.h"

#include <attnviz/error.h>

#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggest.h"
#include "formats/gguf/gguf.h"
#include "formats/manifest.h"
#include "hub/cache.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifestFile = "models.json";

ModelPlace place_of_folder(const fs::path& given) {
  fs::path folder = fs::absolute(given).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  return {folder.filename().string(), given};
}

// `name` is what the model is called from now on. A .gguf file is a whole model; other files stand for their folder.
ModelPlace place_of_file(const fs::path& file, const std::string& name) {
  if (file.extension() == ".gguf") return {name, file};
  throw Error(ErrorKind::kModel, fmt::format("model {}: is a file; expected a folder with config.json, or a .gguf file; try -m {}",
                                             file.string(), fs::absolute(file).parent_path().string()));
}

// Nothing where `wanted` is not an id, or one the cache does not hold.
std::optional<ModelPlace> place_in_cache(const std::string& wanted) {
  const std::optional<HubId> id = parse_hub_id(wanted);
  const fs::path cache = hub_cache_folder();
  if (!id || cache.empty()) return std::nullopt;
  const std::optional<fs::path> snapshot = find_hub_snapshot(cache, *id);
  if (!snapshot) return std::nullopt;
  const fs::path place = model_in_snapshot(*snapshot, *id);
  std::error_code ignored;
  if (fs::is_directory(place, ignored)) return ModelPlace{id->id, place};
  return place_of_file(place, id->id);
}

// The message names the places searched, and how to get the model.
[[noreturn]] void throw_unknown(const std::string& wanted, const Manifest& manifest) {
  std::vector<std::string> names;
  for (const ManifestModel& model : manifest.models) names.push_back(model.name);
  const std::string known = fmt::format("{}", fmt::join(names, ", "));
  const std::optional<HubId> id = parse_hub_id(wanted);
  if (!id) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("model {}: no such folder; expected the path of a folder with config.json, one of the known names ({}), or "
                    "an id of the hub as ORG/NAME or ORG/NAME@REVISION",
                    wanted, known));
  }
  const fs::path cache = hub_cache_folder();
  for (std::string& cached : cached_hub_ids(cache)) names.push_back(std::move(cached));
  const std::optional<std::string> close = closest_name(wanted, names);
  const std::string revision = id->revision == kDefaultRevision ? "" : "@" + id->revision;
  throw Error(
      ErrorKind::kModel,
      fmt::format("model {}: {}no such folder here, not one of the known names ({}), and not in the hub's cache ({}); if it is a "
                  "model of the hub, get it with: attnviz pull {}{}",
                  wanted, close && *close != wanted ? fmt::format("did you mean {}? ", *close) : "", known,
                  cache.empty() ? "no HOME" : hub_model_folder(cache, id->id).string(), id->id, revision));
}

}  // namespace

fs::path shared_folder() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) throw Error(ErrorKind::kBug, "the program cannot find its own path: /proc/self/exe: " + failed.message());
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
  if (!wanted.empty() && fs::exists(wanted, ignored)) return place_of_file(wanted, fs::path(wanted).stem().string());
  const Manifest manifest = read_manifest(shared / kManifestFile);
  const std::string name = wanted.empty() ? manifest.default_model : wanted;
  for (const ManifestModel& model : manifest.models) {
    if (model.name != name) continue;
    const fs::path folder = shared / "models" / name;
    if (is_model_complete(shared, model)) return {name, folder};
    throw Error(ErrorKind::kModel, fmt::format("model {}: is not on this machine yet (looked in {}); get it with: {}", name,
                                               folder.string(), command_to_get(shared, name)));
  }
  if (const auto cached = place_in_cache(name)) return *cached;
  throw_unknown(name, manifest);
}

}  // namespace attnviz

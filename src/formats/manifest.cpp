// See manifest.h. Names of models and files become paths, so only plain file names are accepted.
#include "formats/manifest.h"

#include <attnviz/error.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "base/quote.h"
#include "formats/weights/config_json.h"

namespace attnviz {
namespace {

constexpr std::size_t kMaxManifestBytes = 4 << 20;
constexpr const char* kSchema = "attnviz.models/1";

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kModel, fmt::format("{}: {}; correct the file", where, what));
}

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string plain_name(const ConfigObject& entry) {
  const std::string name = entry.text("name");
  if (!is_plain_file_name(name)) fail(entry.where(), fmt::format("name: expected a plain file name, found {}", quote_text(name)));
  return name;
}

ManifestFile read_file_entry(const ConfigObject& entry) {
  ManifestFile file{plain_name(entry), entry.text("sha256")};
  if (!is_sha256(file.sha256)) {
    fail(entry.where(), fmt::format("sha256: expected 64 digits of 0-9 and a-f, found {}", quote_text(file.sha256)));
  }
  return file;
}

ManifestModel read_model_entry(const ConfigObject& entry) {
  ManifestModel model;
  model.name = plain_name(entry);
  model.title = entry.text("title");
  model.family = entry.text("family");
  model.licence = entry.text("licence");
  model.description = entry.text("description", "");
  const auto source = entry.object("source");
  if (!source) fail(entry.where(), "source: expected an object, found nothing");
  // The other fields belong to the kind "pypi"; other kinds may lack them.
  model.source = {source->text("kind"), source->text("package", ""), source->text("version", ""), source->text("folder", "")};
  for (const ConfigObject& file : entry.objects("files")) model.files.push_back(read_file_entry(file));
  if (model.files.empty()) fail(entry.where(), "files: expected at least one file, found none");
  return model;
}

// The first entry, by name, whose name another entry shares; null if all differ.
template <typename Entry>
const Entry* find_twin(const std::vector<Entry>& entries) {
  std::vector<const Entry*> sorted;
  for (const Entry& entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) { return a->name < b->name; });
  const auto twin =
      std::adjacent_find(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) { return a->name == b->name; });
  return twin == sorted.end() ? nullptr : *twin;
}

}  // namespace

Manifest parse_manifest(std::string_view text, const std::string& where) {
  const ConfigObject root = ConfigObject::parse(text, where);
  if (const std::string schema = root.text("schema"); schema != kSchema) {
    fail(where, fmt::format("schema: expected \"{}\", found {}", kSchema, quote_text(schema)));
  }
  Manifest manifest;
  manifest.default_model = root.text("default");
  for (const ConfigObject& entry : root.objects("models")) {
    manifest.models.push_back(read_model_entry(entry));
    if (const ManifestFile* twin = find_twin(manifest.models.back().files)) {
      fail(entry.where(), fmt::format("files: expected each name once, found {} twice", quote_text(twin->name)));
    }
  }
  if (const ManifestModel* twin = find_twin(manifest.models)) {
    fail(where, fmt::format("models: expected each name once, found {} twice", quote_text(twin->name)));
  }
  const auto is_default = [&](const ManifestModel& model) { return model.name == manifest.default_model; };
  if (std::none_of(manifest.models.begin(), manifest.models.end(), is_default)) {
    fail(where, fmt::format("default: expected the name of one of the models, found {}", quote_text(manifest.default_model)));
  }
  return manifest;
}

Manifest read_manifest(const std::filesystem::path& file) {
  return parse_manifest(read_text_file(file, kMaxManifestBytes, ErrorKind::kModel), file.string());
}

}  // namespace attnviz

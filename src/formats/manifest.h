// data/models.json: the models known by name. Tested in tests/unit/formats/manifest_test.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace attnviz {

struct ManifestFile {
  std::string name;    // as it lies in the model's folder
  std::string sha256;  // 64 hex digits
};

struct ManifestModel {
  std::string name;         // "minilm-l6"
  std::string title;        // "all-MiniLM-L6-v2"
  std::string family;       // "bert"
  std::string licence;      // SPDX: "Apache-2.0"
  std::string description;  // one line: layers x heads, what it is good for
  std::vector<ManifestFile> files;
};

struct Manifest {
  std::string default_model;
  std::vector<ManifestModel> models;
};

Manifest read_manifest(const std::filesystem::path& file);  // throws Error(kModel)

}  // namespace attnviz

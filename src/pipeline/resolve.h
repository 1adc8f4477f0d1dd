// From what a user calls a model to the folder that holds it.
//
// A name is looked up in the manifest (share/attnviz/models.json) and lies in share/attnviz/models/NAME; anything that names a
// folder is that folder. The shared files are found from the program's own place, so that nothing need be set in the environment.
// Tested in tests/unit/pipeline/resolve_test.cpp.
#pragma once

#include <filesystem>
#include <string>

#include "formats/manifest.h"

namespace attnviz {

struct ModelPlace {
  std::string name;              // the manifest's name, or the folder's
  std::filesystem::path folder;  // or a .gguf file
};

// <folder of the running program>/../share/attnviz
std::filesystem::path shared_folder();

// The one command that brings a model of the manifest.
std::string command_to_get(const std::filesystem::path& shared, const std::string& name);

// Whether all files of a manifest model are in place.
bool is_model_complete(const std::filesystem::path& shared, const ManifestModel& model);

// `wanted` empty: the manifest's default model. Throws Error(kModel): an unknown name (with the nearest one), a known model that is
// not there yet (with the command that gets it), a file that is not a model.
ModelPlace resolve_model(const std::filesystem::path& shared, const std::string& wanted);

}  // namespace attnviz

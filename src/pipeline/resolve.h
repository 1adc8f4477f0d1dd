// From the name that a user gives a model to the folder that holds it.
//
// In this order: a path that exists is that folder; a name of the manifest (share/attnviz/models.json) is in
// share/attnviz/models/NAME; an id ("org/name", "org/name@revision") is looked up in the hub's cache on this machine, never on the
// network. The shared files are found from the program's own path, so that the environment need not name them.
// Tested in tests/unit/pipeline/resolve_test.cpp.
#pragma once

#include <filesystem>
#include <string>

#include "formats/manifest.h"

namespace attnviz {

struct ModelPlace {
  std::string name;              // the manifest's name, the hub's id, or the folder's
  std::filesystem::path folder;  // or a .gguf file, which holds all of a model
};

// <folder of the running program>/../share/attnviz
std::filesystem::path shared_folder();

// The command that downloads a model of the manifest.
std::string command_to_get(const std::filesystem::path& shared, const std::string& name);

// Whether all files of a manifest model are in place.
bool is_model_complete(const std::filesystem::path& shared, const ManifestModel& model);

// `wanted` empty: the manifest's default model. Throws Error(kModel): an unknown name (with the nearest one and the places
// searched), a known model that is not on this machine (with the command that gets it), a file where a folder is expected, a cached
// snapshot that is not complete.
ModelPlace resolve_model(const std::filesystem::path& shared, const std::string& wanted);

}  // namespace attnviz

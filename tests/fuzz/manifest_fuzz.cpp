// Any bytes as a models.json. No accepted name may lead out of its folder, and the default must exist.
#include <cstdint>

#include "base/file.h"
#include "formats/manifest.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attnviz;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Manifest manifest;
  if (!fuzz::accepts([&] { manifest = parse_manifest(text, "models.json"); })) return 0;
  bool has_default = false;
  for (const ManifestModel& model : manifest.models) {
    fuzz::require(is_plain_file_name(model.name), "a model name that is a path");
    for (const ManifestFile& file : model.files) {
      fuzz::require(is_plain_file_name(file.name), "a file name that is a path");
      fuzz::require(file.sha256.size() == 64, "a hash of another length");
    }
    has_default = has_default || model.name == manifest.default_model;
  }
  fuzz::require(has_default, "a default that is not there");
  return 0;
}

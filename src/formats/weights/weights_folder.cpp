// See weights_folder.h. An index is {"weight_map": {"tensor": "file"}}; the files it names are beside it.
#include "formats/weights/weights_folder.h"

#include <attnviz/error.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/quote.h"
#include "formats/weights/config_json.h"
#include "formats/weights/safetensors.h"
#include "formats/weights/torch_zip.h"

namespace attnviz {
namespace {

struct Format {
  const char* single;
  const char* index;
  const char* shard;  // an example of a shard's name
  std::unique_ptr<WeightSource> (*open)(const std::filesystem::path& file);
};

constexpr Format kFormats[] = {
    {"model.safetensors", "model.safetensors.index.json", "model-00001-of-00002.safetensors", open_safetensors},
    {"pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-00001-of-00002.bin", open_torch_zip},
};

// Several sources as one.
class JoinedSource final : public WeightSource {
 public:
  JoinedSource(std::string where, std::vector<std::unique_ptr<WeightSource>> parts, std::vector<StoredTensor> tensors)
      : where_(std::move(where)), parts_(std::move(parts)), tensors_(std::move(tensors)) {}

  std::span<const StoredTensor> tensors() const override { return tensors_; }
  std::string where() const override { return where_; }

 private:
  std::string where_;
  std::vector<std::unique_ptr<WeightSource>> parts_;  // own the bytes that the views point into
  std::vector<StoredTensor> tensors_;
};

// True for anything of that name. A dangling link is an error: falling back to other weights would hide it.
bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  const auto kind = std::filesystem::symlink_status(file, error).type();
  if (kind == std::filesystem::file_type::not_found) return false;
  if (kind == std::filesystem::file_type::none) {
    throw Error(ErrorKind::kModel, fmt::format("{}: cannot be examined: {}", file.string(), error.message()));
  }
  if (kind == std::filesystem::file_type::symlink && !std::filesystem::exists(file, error)) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("{}: is a link to a file that is missing or cannot be reached; download the model again", file.string()));
  }
  return true;
}

// Shard -> names of its tensors, as the index lists them.
std::map<std::string, std::vector<std::string>> read_weight_map(const std::filesystem::path& index, const Format& format) {
  const auto weight_map = ConfigObject::read(index).object("weight_map");
  const std::string where = index.string();
  if (!weight_map) throw Error(ErrorKind::kModel, where + ": has no \"weight_map\"; expected an object of tensor: file");
  std::map<std::string, std::vector<std::string>> shards;
  for (const std::string& tensor : weight_map->keys()) {
    const std::string shard = weight_map->text(tensor);
    if (!is_plain_file_name(shard)) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: tensor {}: the file name {} leaves the model's folder; expected a plain name such as \"{}\"",
                              where, quote_text(tensor), quote_text(shard), format.shard));
    }
    shards[shard].push_back(tensor);
  }
  if (shards.empty()) throw Error(ErrorKind::kModel, where + ": \"weight_map\" is empty; expected at least one tensor");
  return shards;
}

// Every listed tensor must be in its shard. A shard may hold more: the reference loads those too.
void check_listed(const std::vector<std::string>& listed, const WeightSource& found, const std::string& index,
                  const std::string& shard) {
  for (const std::string& name : listed) {
    if (found.find(name) != nullptr) continue;
    throw Error(ErrorKind::kModel,
                fmt::format("{}: tensor {}: expected it in {}, which does not hold it; the index and the files do not "
                            "belong together: download or save all of them again",
                            index, quote_text(name), quote_text(shard)));
  }
}

void refuse_twins(const std::vector<StoredTensor>& tensors, const std::string& index) {
  const auto twin =
      std::adjacent_find(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twin == tensors.end()) return;
  throw Error(ErrorKind::kModel,
              fmt::format("{}: tensor {}: is in two of the files; expected it in one; the files do not belong together: "
                          "download or save all of them again",
                          index, quote_text(twin->name)));
}

std::unique_ptr<WeightSource> open_shards(const std::filesystem::path& folder, const Format& format) {
  const std::filesystem::path index = folder / format.index;
  const auto shards = read_weight_map(index, format);
  std::vector<std::unique_ptr<WeightSource>> parts;
  std::vector<StoredTensor> tensors;
  for (const auto& [shard, listed] : shards) {
    if (!is_there(folder / shard)) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: the file {} of tensor {} is missing; expected it beside the index; download it", index.string(),
                              quote_text(shard), quote_text(listed.front())));
    }
    parts.push_back(format.open(folder / shard));
    check_listed(listed, *parts.back(), index.string(), shard);
    const auto found = parts.back()->tensors();
    tensors.insert(tensors.end(), found.begin(), found.end());
  }
  sort_by_name(&tensors);
  refuse_twins(tensors, index.string());
  return std::make_unique<JoinedSource>(folder.string(), std::move(parts), std::move(tensors));
}

}  // namespace

std::filesystem::path find_weights_file(const std::filesystem::path& folder) {
  for (const Format& format : kFormats) {
    if (is_there(folder / format.single)) return folder / format.single;
    if (is_there(folder / format.index)) return folder / format.index;
  }
  return {};
}

std::unique_ptr<WeightSource> open_weights_folder(const std::filesystem::path& folder) {
  const std::filesystem::path file = find_weights_file(folder);
  for (const Format& format : kFormats) {
    if (file == folder / format.single) return format.open(file);
    if (file == folder / format.index) return open_shards(folder, format);
  }
  std::string names;
  for (const Format& format : kFormats) {
    names += fmt::format("{}{}, {}", names.empty() ? "" : ", ", format.single, format.index);
  }
  throw Error(ErrorKind::kModel,
              fmt::format("{}: has no weights; expected one of {}; give the folder of a model as save_pretrained writes it",
                          folder.string(), names));
}

}  // namespace attnviz

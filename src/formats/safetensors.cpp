// See safetensors.h. A file is checked as a whole before any tensor is handed out, so nothing later needs to distrust a view.
#include "formats/safetensors.h"

#include "base/byte_reader.h"
#include "base/checked.h"
#include "base/file.h"
#include "base/quote.h"
#include "formats/config_json.h"
#include "formats/safetensors_header.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace attnviz {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit
constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kModel, fmt::format("{}: {}; the file is damaged or cut short: download or save it again", where, what));
}

[[noreturn]] void fail(const std::string& where, const SafetensorsEntry& entry, const std::string& what) {
  fail(where, fmt::format("tensor {}: {}", quote_text(entry.name), what));
}

// The entry's own range, against its shape and the size of the data.
void check_range(const SafetensorsEntry& entry, std::size_t n_data, const std::string& where) {
  std::optional<std::size_t> bits = dtype_bits(entry.dtype);
  for (const std::size_t extent : entry.shape) {
    if (bits) bits = try_multiply(*bits, extent);
  }
  const std::string described = fmt::format("{} {}", dtype_name(entry.dtype), shape_text(entry.shape).substr(0, 100));
  if (!bits) fail(where, entry, described + " has more bits than a 64-bit number can count");
  if (*bits % 8 != 0) fail(where, entry, fmt::format("{} takes {} bits; expected a multiple of 8", described, *bits));
  if (entry.begin > entry.end) {
    fail(where, entry, fmt::format("begins at {} after its end {}; expected begin <= end", entry.begin, entry.end));
  }
  if (entry.end - entry.begin != *bits / 8) {
    fail(where, entry,
         fmt::format("{}: expected {} bytes, found the range [{}, {}) of {}", described, *bits / 8, entry.begin, entry.end,
                     entry.end - entry.begin));
  }
  if (entry.end > n_data) {
    fail(where, entry,
         fmt::format("ends at byte {} of the data; expected at most {}, which is all the file holds", entry.end, n_data));
  }
}

// The ranges together: every data byte belongs to one tensor.
void check_cover(std::vector<SafetensorsEntry>* entries, std::size_t n_data, const std::string& where) {
  std::sort(entries->begin(), entries->end(),
            [](const auto& a, const auto& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::size_t covered = 0;
  const SafetensorsEntry* previous = nullptr;
  for (const SafetensorsEntry& entry : *entries) {
    if (entry.begin < covered) {
      fail(where, entry,
           fmt::format("overlaps tensor {}: expected it to begin at {}, found {}", quote_text(previous->name), covered,
                       entry.begin));
    }
    if (entry.begin > covered) {
      fail(where, entry, fmt::format("leaves a hole before it: expected it to begin at {}, found {}", covered, entry.begin));
    }
    covered = entry.end;
    previous = &entry;
  }
  if (covered != n_data) {
    fail(where, fmt::format("expected the data to end with the last tensor at {}, found {} more bytes", covered, n_data - covered));
  }
}

void sort_by_name(std::vector<StoredTensor>* tensors) {
  std::sort(tensors->begin(), tensors->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

// Maps of one or more files and the views into them.
class MappedSource final : public WeightSource {
 public:
  MappedSource(std::string where, std::vector<MappedFile> files, std::vector<StoredTensor> tensors)
      : where_(std::move(where)), files_(std::move(files)), tensors_(std::move(tensors)) {}

  std::span<const StoredTensor> tensors() const override { return tensors_; }
  std::string where() const override { return where_; }

 private:
  std::string where_;
  std::vector<MappedFile> files_;
  std::vector<StoredTensor> tensors_;
};

// A checkout without Git LFS leaves a small text where the weights should be: the usual way to get a "damaged" file.
void refuse_pointer(std::span<const std::byte> bytes, const std::string& where) {
  constexpr std::string_view kPointer = "version https://git-lfs.github.com/spec/";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kPointer.size()));
  if (text != kPointer) return;
  throw Error(ErrorKind::kModel,
              fmt::format("{}: is a Git LFS pointer; expected the weights themselves; get them with: git lfs pull", where));
}

// Tensor names by shard, as the index lists them.
std::map<std::string, std::vector<std::string>> read_weight_map(const std::filesystem::path& index) {
  const auto weight_map = ConfigObject::read(index).object("weight_map");
  const std::string where = index.string();
  if (!weight_map) throw Error(ErrorKind::kModel, where + ": has no \"weight_map\"; expected an object of tensor: file");
  std::map<std::string, std::vector<std::string>> shards;
  for (const std::string& tensor : weight_map->keys()) {
    const std::string shard = weight_map->text(tensor);
    if (!is_plain_file_name(shard)) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: tensor {}: the file name {} leaves the model's folder; expected a plain name such as "
                              "\"model-00001-of-00002.safetensors\"",
                              where, quote_text(tensor), quote_text(shard)));
    }
    shards[shard].push_back(tensor);
  }
  if (shards.empty()) throw Error(ErrorKind::kModel, where + ": \"weight_map\" is empty; expected at least one tensor");
  return shards;
}

// Every listed tensor must be in its shard. A shard may hold more: the reference loads those too.
void check_listed(const std::vector<std::string>& listed, const std::vector<StoredTensor>& found, const std::string& index,
                  const std::string& shard) {
  for (const std::string& name : listed) {
    const auto at = std::lower_bound(found.begin(), found.end(), name, [](const auto& t, const auto& n) { return t.name < n; });
    if (at == found.end() || at->name != name) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: tensor {}: expected it in {}, which does not hold it; the index and the files do not "
                              "belong together: download or save all of them again",
                              index, quote_text(name), quote_text(shard)));
    }
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

std::unique_ptr<WeightSource> open_shards(const std::filesystem::path& folder) {
  const std::filesystem::path index = folder / kIndexFile;
  const auto shards = read_weight_map(index);
  std::vector<MappedFile> files;
  std::vector<StoredTensor> tensors;
  for (const auto& [shard, listed] : shards) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder / shard, ignored)) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: the file {} of tensor {} is missing; expected it beside the index; download it", index.string(),
                              quote_text(shard), quote_text(listed.front())));
    }
    files.emplace_back(folder / shard);
    auto found = parse_safetensors(files.back().bytes(), (folder / shard).string());
    check_listed(listed, found, index.string(), shard);
    std::move(found.begin(), found.end(), std::back_inserter(tensors));
  }
  sort_by_name(&tensors);
  refuse_twins(tensors, index.string());
  return std::make_unique<MappedSource>(folder.string(), std::move(files), std::move(tensors));
}

}  // namespace

std::vector<StoredTensor> parse_safetensors(std::span<const std::byte> bytes, const std::string& where) {
  if (bytes.size() < sizeof(std::uint64_t)) {
    fail(where, fmt::format("expected at least 8 bytes, found {}", bytes.size()));
  }
  refuse_pointer(bytes, where);
  ByteReader reader(bytes, where);
  const auto n_header = reader.read<std::uint64_t>("header size");
  if (n_header > kMaxHeaderBytes) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: expected a header of at most {} bytes, found the size {}; this is not a safetensors "
                            "file, or it is damaged: download or save it again",
                            where, kMaxHeaderBytes, n_header));
  }
  if (n_header > reader.remaining()) {
    fail(where, fmt::format("expected a header of {} bytes, found {} bytes after its size", n_header, reader.remaining()));
  }
  auto entries = parse_safetensors_header(reader.take_text(n_header, "header"), where);
  const std::span<const std::byte> data = reader.take(reader.remaining(), "data");
  for (const SafetensorsEntry& entry : entries) check_range(entry, data.size(), where);
  check_cover(&entries, data.size(), where);

  std::vector<StoredTensor> tensors;
  tensors.reserve(entries.size());
  for (SafetensorsEntry& entry : entries) {
    tensors.push_back({std::move(entry.name), {entry.dtype, std::move(entry.shape), data.data() + entry.begin}});
  }
  sort_by_name(&tensors);
  return tensors;
}

std::unique_ptr<WeightSource> open_safetensors(const std::filesystem::path& file) {
  std::vector<MappedFile> files;
  files.emplace_back(file);
  auto tensors = parse_safetensors(files.front().bytes(), file.string());
  return std::make_unique<MappedSource>(file.string(), std::move(files), std::move(tensors));
}

std::unique_ptr<WeightSource> open_safetensors_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder / kSingleFile, ignored)) return open_safetensors(folder / kSingleFile);
  if (std::filesystem::exists(folder / kIndexFile, ignored)) return open_shards(folder);
  throw Error(ErrorKind::kModel,
              fmt::format("{}: has no weights; expected {} or {}; give the folder of a model saved as safetensors", folder.string(),
                          kSingleFile, kIndexFile));
}

}  // namespace attnviz

// See gguf.h. A file is checked as a whole before any tensor is handed out, so nothing later needs to distrust a view.
#include "formats/gguf/gguf.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "base/file.h"
#include "base/quote.h"
#include "formats/gguf/gguf_tensors.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "GGUF";
constexpr std::string_view kExtension = ".gguf";
constexpr std::size_t kDefaultAlignment = 32;
constexpr std::size_t kMaxAlignment = 1 << 20;
constexpr std::size_t kPairBytes = 8 + 4 + 1;          // the shortest key-value pair: an empty key and a byte
constexpr std::size_t kInfoBytes = 8 + 4 + 8 + 4 + 8;  // the shortest tensor info: an empty name and one dimension

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kModel, fmt::format("{}: {}; the file is damaged or cut short: download or save it again", where, what));
}

void check_magic(std::span<const std::byte> bytes, const std::string& where) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 64));
  if (text.starts_with(kMagic)) return;
  if (text.starts_with("version https://git-lfs.github.com/spec/")) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: is a Git LFS pointer; expected the weights themselves; get them with: git lfs pull", where));
  }
  for (const std::string_view old : {"lmgg", "fmgg", "tjgg", "algg"}) {  // GGML, GGMF, GGJT, GGLA of before August 2023
    if (!text.starts_with(old)) continue;
    throw Error(ErrorKind::kModel,
                fmt::format("{}: is of a format before GGUF ({}); expected GGUF; convert the model again", where, quote_text(old)));
  }
  fail(where, fmt::format("begins with {}; expected \"GGUF\"", quote_text(text.substr(0, 4))));
}

std::uint32_t read_version(ByteReader* reader, const std::string& where) {
  const auto version = reader->read<std::uint32_t>("version");
  if (version == 2 || version == 3) return version;
  if (version == 1) {
    throw Error(ErrorKind::kModel, fmt::format("{}: is GGUF version 1; expected 2 or 3; convert the model again", where));
  }
  if ((version & 0xFFFF) == 0 && version != 0) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: is a big-endian GGUF file; expected little-endian; convert the model for this machine", where));
  }
  throw Error(
      ErrorKind::kModel,
      fmt::format("{}: is GGUF version {}; expected 2 or 3; the file is newer than this program, or damaged", where, version));
}

std::size_t read_count(ByteReader* reader, std::size_t shortest, const char* what, const std::string& where) {
  const auto count = reader->read<std::uint64_t>(what);
  if (count > reader->remaining() / shortest) {
    fail(where, fmt::format("announces {} {}, more than its {} remaining bytes can hold", count, what, reader->remaining()));
  }
  return count;
}

std::size_t read_alignment(const GgufMetadata& metadata) {
  const std::size_t alignment = metadata.size("general.alignment", kDefaultAlignment);
  if (alignment == 0 || alignment > kMaxAlignment || (alignment & (alignment - 1)) != 0) {
    metadata.fail("general.alignment", fmt::format("expected a power of two up to {}, found {}", kMaxAlignment, alignment));
  }
  return alignment;
}

// "NAME-00002-of-00003.gguf": the names of all parts, and which one this is.
struct SplitName {
  std::string stem;
  std::size_t number = 0;  // from 1
  std::size_t count = 0;

  std::string part(std::size_t index) const { return fmt::format("{}-{:05}-of-{:05}{}", stem, index + 1, count, kExtension); }
};

std::optional<std::size_t> five_digits(std::string_view text) {
  std::size_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::size_t>(c - '0');
  }
  return value;
}

std::optional<SplitName> split_name(const std::string& name) {
  constexpr std::size_t kTail = 20;  // "-00001-of-00003.gguf"
  if (name.size() <= kTail || !name.ends_with(kExtension)) return std::nullopt;
  const std::string_view tail = std::string_view(name).substr(name.size() - kTail);
  const auto number = five_digits(tail.substr(1, 5));
  const auto count = five_digits(tail.substr(10, 5));
  if (tail[0] != '-' || tail.substr(6, 4) != "-of-" || !number || !count || *number == 0 || *number > *count) return std::nullopt;
  return SplitName{name.substr(0, name.size() - kTail), *number, *count};
}

void check_part(const GgufMetadata& metadata, std::size_t index, std::size_t count) {
  const std::size_t found_count = metadata.size("split.count", 1);
  const std::size_t found_index = metadata.size("split.no", 0);
  if (found_count != count)
    metadata.fail("split.count", fmt::format("expected {}, as in the file's name, found {}", count, found_count));
  if (found_index != index)
    metadata.fail("split.no", fmt::format("expected {}, as in the file's name, found {}", index, found_index));
}

}  // namespace

GgufContents parse_gguf(std::span<const std::byte> bytes, const std::string& where) {
  check_magic(bytes, where);
  ByteReader reader(bytes, where);
  reader.take(kMagic.size(), "magic");
  GgufContents contents;
  contents.version = read_version(&reader, where);
  const std::size_t n_tensors = read_count(&reader, kInfoBytes, "tensors", where);
  const std::size_t n_pairs = read_count(&reader, kPairBytes, "key-value pairs", where);
  contents.metadata = GgufMetadata(&reader, n_pairs, where);
  const std::size_t alignment = read_alignment(contents.metadata);
  if (n_tensors > reader.remaining() / kInfoBytes) {
    fail(where, fmt::format("announces {} tensors, more than its {} remaining bytes can hold", n_tensors, reader.remaining()));
  }
  std::vector<GgufInfo> infos = read_gguf_infos(&reader, n_tensors, where);
  const std::size_t padding = (alignment - reader.position() % alignment) % alignment;
  reader.take(std::min(padding, reader.remaining()), "padding");  // a file without tensors may end before its data
  contents.tensors = place_gguf_tensors(std::move(infos), reader.take(reader.remaining(), "data"), alignment, where);
  return contents;
}

struct GgufFile::Impl {
  std::string where;
  std::vector<MappedFile> files;
  GgufContents first;
  std::vector<StoredTensor> tensors;
};

std::span<const StoredTensor> GgufFile::tensors() const { return impl_->tensors; }
std::string GgufFile::where() const { return impl_->where; }
std::uint32_t GgufFile::version() const { return impl_->first.version; }
const GgufMetadata& GgufFile::metadata() const { return impl_->first.metadata; }
std::size_t GgufFile::n_parts() const { return impl_->files.size(); }

std::shared_ptr<const GgufFile> open_gguf(const fs::path& file) {
  const auto name = split_name(file.filename().string());
  const std::size_t n_parts = name ? name->count : 1;
  auto impl = std::make_shared<GgufFile::Impl>();
  impl->where = file.string();
  for (std::size_t index = 0; index < n_parts; ++index) {
    const fs::path part = name ? file.parent_path() / name->part(index) : file;
    std::error_code ignored;
    if (name && !fs::exists(part, ignored)) {
      throw Error(ErrorKind::kModel, fmt::format("{}: is one of {} parts, and {} is missing; expected all of them in one folder",
                                                 file.string(), n_parts, part.filename().string()));
    }
    impl->files.emplace_back(part);
    GgufContents contents = parse_gguf(impl->files.back().bytes(), part.string());
    if (!name && contents.metadata.size("split.count", 1) > 1) {
      contents.metadata.fail("split.count",
                             fmt::format("is one of {} parts; expected a name that ends in -00001-of-{:05}.gguf",
                                         contents.metadata.size("split.count"), contents.metadata.size("split.count")));
    }
    check_part(contents.metadata, index, n_parts);
    std::move(contents.tensors.begin(), contents.tensors.end(), std::back_inserter(impl->tensors));
    if (index == 0) impl->first = std::move(contents);
  }
  auto& tensors = impl->tensors;
  const std::size_t n_expected = impl->first.metadata.size("split.tensors.count", tensors.size());
  if (n_expected != tensors.size()) {
    impl->first.metadata.fail("split.tensors.count",
                              fmt::format("expected {} tensors in all parts, found {}", n_expected, tensors.size()));
  }
  sort_by_name(&tensors);
  const auto twin =
      std::adjacent_find(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twin != tensors.end()) fail(impl->where, fmt::format("tensor {} is in two of the parts", quote_text(twin->name)));
  return std::shared_ptr<const GgufFile>(new GgufFile(std::move(impl)));
}

std::optional<fs::path> find_gguf(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) {
    if (path.extension() == kExtension) return path;
    char magic[4] = {};
    std::ifstream(path, std::ios::binary).read(magic, sizeof(magic));
    return std::string_view(magic, sizeof(magic)) == kMagic ? std::optional(path) : std::nullopt;
  }
  if (!fs::is_directory(path, ignored) || fs::exists(path / "config.json", ignored)) return std::nullopt;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(path, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (entry->path().extension() != kExtension) continue;
    const auto name = split_name(entry->path().filename().string());
    if (!name || name->number == 1) found.push_back(entry->path());
  }
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

}  // namespace attnviz

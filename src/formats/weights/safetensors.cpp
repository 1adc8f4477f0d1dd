// See safetensors.h. A file is checked as a whole before any tensor is handed out, so later code can trust every view.
#include "formats/weights/safetensors.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "base/checked.h"
#include "base/file.h"
#include "base/quote.h"
#include "formats/weights/lfs_pointer.h"
#include "formats/weights/safetensors_header.h"

namespace attnviz {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kModel, fmt::format("{}: {}; the file is damaged or cut short: download or save it again", where, what));
}

[[noreturn]] void fail(const std::string& where, const SafetensorsEntry& entry, const std::string& what) {
  fail(where, fmt::format("tensor {}: {}", quote_text(entry.name), what));
}

// Checks one entry's range against its shape and the size of the data.
void check_range(const SafetensorsEntry& entry, std::size_t n_data, const std::string& where) {
  std::optional<std::size_t> bits = dtype_bits(entry.dtype);
  for (const std::size_t extent : entry.shape) {
    if (bits) bits = try_multiply(*bits, extent);
  }
  const auto described = [&] { return fmt::format("{} {}", dtype_name(entry.dtype), shape_text(entry.shape).substr(0, 100)); };
  if (!bits) fail(where, entry, described() + " has more bits than a 64-bit number can count");
  if (*bits % 8 != 0) fail(where, entry, fmt::format("{} takes {} bits; expected a multiple of 8", described(), *bits));
  if (entry.begin > entry.end) {
    fail(where, entry, fmt::format("begins at {} after its end {}; expected begin <= end", entry.begin, entry.end));
  }
  if (entry.end - entry.begin != *bits / 8) {
    fail(where, entry,
         fmt::format("{}: expected {} bytes, found the range [{}, {}) of {}", described(), *bits / 8, entry.begin, entry.end,
                     entry.end - entry.begin));
  }
  if (entry.end > n_data) {
    fail(where, entry,
         fmt::format("ends at byte {} of the data; expected at most {}, which is all the file holds", entry.end, n_data));
  }
}

// Checks all ranges together: every byte of the data belongs to exactly one tensor.
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

// A mapped file and the views into it.
class MappedSource final : public WeightSource {
 public:
  explicit MappedSource(const std::filesystem::path& path)
      : where_(path.string()), file_(path), tensors_(parse_safetensors(file_.bytes(), where_)) {}

  std::span<const StoredTensor> tensors() const override { return tensors_; }
  std::string where() const override { return where_; }

 private:
  std::string where_;
  MappedFile file_;
  std::vector<StoredTensor> tensors_;
};

}  // namespace

std::vector<StoredTensor> parse_safetensors(std::span<const std::byte> bytes, const std::string& where) {
  if (bytes.size() < sizeof(std::uint64_t)) {
    fail(where, fmt::format("expected at least 8 bytes, found {}", bytes.size()));
  }
  refuse_lfs_pointer(bytes, where);
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

std::unique_ptr<WeightSource> open_safetensors(const std::filesystem::path& file) { return std::make_unique<MappedSource>(file); }

}  // namespace attnviz

// See npz_reader.h.
#include "formats/maps/npz_reader.h"

#include <attnviz/error.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <libdeflate.h>

#include "base/quote.h"

namespace attnviz {
namespace {

constexpr std::string_view kEnding = ".npy";
constexpr std::uint64_t kMostRatio = 1032;     // of deflate: 258 bytes from two bits
constexpr std::uint64_t kUsualRatio = 200;     // of maps: half of a causal map is zeros, and nearly all of a hard one
constexpr std::uint64_t kAnyRatio = 64 << 20;  // an array of fewer bytes may have any ratio
constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kInput, fmt::format("{}: {}", name, what));
}

}  // namespace

NpzReader::NpzReader(std::span<const std::byte> bytes, std::string where) : where_(std::move(where)) {
  for (const ZipEntry& entry : parse_zip(bytes, where_, ZipContent::kStoredOrDeflated)) {
    if (!entry.name.ends_with(kEnding)) continue;
    entries_.push_back(entry);
    names_.emplace_back(entry.name.substr(0, entry.name.size() - kEnding.size()));
  }
}

bool NpzReader::has(const std::string& name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

NpyArray NpzReader::read(const std::string& name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min<std::size_t>(names_.size(), 40); ++i) shown.push_back(quote_text(names_[i]));
    fail(where_, fmt::format("has no array {}; expected one of: {}", quote_text(name), fmt::join(shown, ", ")));
  }
  const ZipEntry& entry = entries_[static_cast<std::size_t>(found - names_.begin())];
  const std::string full_name = fmt::format("{}: array {}", where_, quote_text(name));
  const auto data = entry.deflated ? unpacked(entry, full_name) : entry.data;
  if (libdeflate_crc32(0, data.data(), data.size()) != entry.crc) {
    fail(full_name, "its checksum does not fit its bytes; the file is damaged: save or copy it again");
  }
  return parse_npy(data, full_name);
}

std::span<const std::byte> NpzReader::unpacked(const ZipEntry& entry, const std::string& name) {
  const std::uint64_t n_stored = entry.data.size();
  if (entry.size > kMostBytes || entry.size / kMostRatio > n_stored ||
      (entry.size > kAnyRatio && entry.size / kUsualRatio > n_stored)) {
    fail(name,
         fmt::format("claims to unpack {} bytes into {}, which no map of attention does; expected at most {} and a ratio of {}; "
                     "if you trust it, save it with numpy.savez, not compressed",
                     n_stored, entry.size, kMostBytes, kUsualRatio));
  }
  std::vector<std::byte>& bytes = unpacked_.emplace_back(entry.size);
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> unpacker(libdeflate_alloc_decompressor(),
                                                                                                   libdeflate_free_decompressor);
  if (!unpacker) throw std::bad_alloc();
  const auto result =
      libdeflate_deflate_decompress(unpacker.get(), entry.data.data(), n_stored, bytes.data(), bytes.size(), nullptr);
  if (result != LIBDEFLATE_SUCCESS) {
    fail(name,
         fmt::format("its compressed bytes do not unpack into the {} that the archive says; the file is damaged: save or copy "
                     "it again",
                     entry.size));
  }
  return bytes;
}

}  // namespace attnviz

// The directory of a zip archive: names and where their bytes are in the map. Weights must be stored, not compressed; arrays of
// maps may be deflated, which npz_reader.h undoes.
//
// Why not libzip: it copies entries and does not report where they are, and half a gigabyte of weights should be mapped, not
// copied. The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (sections 4.3.7, 4.3.12 to 4.3.16). CRC-32
// checksums are not verified here, because that would read every byte of the weights; safetensors files have none. Tested in
// tests/unit/formats/weights/torch_zip_test.cpp, fuzzed by tests/fuzz/torch_zip_fuzz.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct ZipEntry {
  std::string_view name;            // as the directory spells it; points into the archive
  std::span<const std::byte> data;  // as stored, inside the archive; no two entries overlap
  bool deflated = false;            // only with ZipContent::kStoredOrDeflated
  std::uint64_t size = 0;           // of the uncompressed data, as the archive declares it
  std::uint32_t crc = 0;            // of the uncompressed data; not checked here
};

enum class ZipContent {
  kStored,            // entries that can be used in place
  kStoredOrDeflated,  // also what numpy.savez_compressed writes
};

// True if the bytes begin like every zip archive with at least one entry.
bool looks_like_zip(std::span<const std::byte> bytes);

// Sorted by name, no duplicates. Throws Error(kModel) for anything that is not one whole archive of entries of that kind.
std::vector<ZipEntry> parse_zip(std::span<const std::byte> bytes, const std::string& where,
                                ZipContent content = ZipContent::kStored);

}  // namespace attnviz

// The directory of a zip archive whose entries are stored, not compressed: names and where their bytes lie in the map.
//
// Why not libzip: it hands out entries by copying them and does not say where they lie, and half a gigabyte of weights shall be
// mapped, not copied. The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (sections 4.3.7, 4.3.12 to 4.3.16).
// Sums (CRC-32) are not computed, for they would read every byte of the weights; safetensors files have none either. Tested in
// tests/unit/formats/torch_zip_test.cpp, fuzzed by tests/fuzz/torch_zip_fuzz.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct ZipEntry {
  std::string_view name;            // as the directory spells it, points into the archive
  std::span<const std::byte> data;  // inside the archive; no two entries overlap
};

// True where the bytes begin as every zip archive with an entry does.
bool looks_like_zip(std::span<const std::byte> bytes);

// Sorted by name, no name twice. Throws Error(kModel): anything that is not one whole archive of stored entries.
std::vector<ZipEntry> parse_zip(std::span<const std::byte> bytes, const std::string& where);

}  // namespace attnviz

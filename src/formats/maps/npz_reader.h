// The arrays of an .npz archive, as numpy.savez and numpy.savez_compressed write it. Uncompressed arrays are read in place.
// Compressed ones are unpacked on demand, unless one claims more than its compressed bytes could hold. Tested in
// tests/unit/formats/maps/npz_reader_test.cpp, fuzzed by tests/fuzz/map_file_fuzz.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "formats/maps/npy.h"
#include "formats/weights/zip.h"

namespace attnviz {

class NpzReader {
 public:
  // `bytes` must outlive the reader and its arrays. Throws Error(kModel or kInput).
  NpzReader(std::span<const std::byte> bytes, std::string where);

  const std::vector<std::string>& names() const { return names_; }  // sorted, without ".npy"
  bool has(const std::string& name) const;

  // Throws Error(kInput): no such array, damaged, or a decompression bomb. The data lives as long as the reader.
  NpyArray read(const std::string& name);

 private:
  std::span<const std::byte> unpacked(const ZipEntry& entry, const std::string& name);

  std::string where_;
  std::vector<ZipEntry> entries_;  // [names]
  std::vector<std::string> names_;
  std::vector<std::vector<std::byte>> unpacked_;  // the unpacked arrays; the inner vectors' bytes do not move
};

}  // namespace attnviz

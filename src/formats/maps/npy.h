// One array of NumPy's .npy format (versions 1 to 3), read in place: its header, and its numbers as f32. Arrays of Python objects
// (pickles) are refused and never loaded.
//
// The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Tested in
// tests/unit/formats/maps/npy_test.cpp, fuzzed by tests/fuzz/map_file_fuzz.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attnviz {

struct NpyArray {
  std::string name;           // opens messages: "maps.npz: array \"maps\""
  char kind = 'f';            // as NumPy spells it: 'f' float, 'i' signed, 'u' unsigned, 'U' UTF-32 text, ...
  std::size_t item_size = 0;  // bytes per item
  bool big_endian = false;
  bool fortran_order = false;      // the first index runs fastest
  std::vector<std::size_t> shape;  // {}: a single value
  std::span<const std::byte> data;

  std::size_t n_item() const;
  bool is_real() const { return kind == 'f' && (item_size == 2 || item_size == 4 || item_size == 8); }
};

bool looks_like_npy(std::span<const std::byte> bytes);

// The data must fill the rest of `bytes` exactly. Throws Error(kInput) for anything that is not one whole array.
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name);

// One matrix of the last two axes -> values [rows, columns], f32, row-major. `index` counts over all other axes, the last of them
// fastest. The array must be is_real() and have at least two axes.
void read_matrix(const NpyArray& array, std::size_t index, float* values);

// Instead of the number of a layer or head: the map combines several.
inline constexpr std::size_t kSeveral = static_cast<std::size_t>(-1);

// All items [n] of an array of whole numbers; -1 becomes kSeveral. Throws Error(kInput) for arrays of other kinds and for other
// numbers below 0.
std::vector<std::size_t> read_indices(const NpyArray& array);

// All items of a text array as UTF-8. Throws Error(kInput) for arrays of other kinds and for invalid code points.
std::vector<std::string> read_texts(const NpyArray& array);

}  // namespace attnviz

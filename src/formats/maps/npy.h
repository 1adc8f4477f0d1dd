// One array of NumPy's .npy format (versions 1 to 3), read in place: its description, and its numbers as f32. Objects
// (pickles) are refused by name and never touched.
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
  char kind = 'f';            // 'f' real, 'i' whole, 'u' not negative, 'U' text of UTF-32, others as NumPy spells them
  std::size_t item_size = 0;  // bytes
  bool big_endian = false;
  bool fortran_order = false;      // the first index runs fastest
  std::vector<std::size_t> shape;  // {}: a single value
  std::span<const std::byte> data;

  std::size_t n_item() const;
  bool is_real() const { return kind == 'f' && (item_size == 2 || item_size == 4 || item_size == 8); }
};

bool looks_like_npy(std::span<const std::byte> bytes);

// The data must fill the rest of `bytes` to the byte. Throws Error(kInput): anything that is not one whole array.
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name);

// The matrix of the last two axes at place `index` of all the others (last one fastest), rows first, as f32. The array must be
// is_real() and have two axes at least.
void read_matrix(const NpyArray& array, std::size_t index, float* values);

// In the place of a layer or head: the map combines several.
inline constexpr std::size_t kSeveral = static_cast<std::size_t>(-1);

// All items of a whole-number array, in the order of a [n] array; -1 is kSeveral. Throws Error(kInput) for other kinds and for
// other numbers below 0.
std::vector<std::size_t> read_indices(const NpyArray& array);

// All items of a text array as UTF-8. Throws Error(kInput) for other kinds and for what is not a code point.
std::vector<std::string> read_texts(const NpyArray& array);

}  // namespace attnviz

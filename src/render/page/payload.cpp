// See payload.h. Level 6: on the 72 maps of 512 tokens, levels 8, 10 and 12 save 0.7%, 3.2% and 3.7% for 2, 6 and 9 times its 0.25
// s.
#include "render/page/payload.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include <libdeflate.h>

namespace attnviz {
namespace {

constexpr int kCompressionLevel = 6;
constexpr std::size_t kTransposeBlock = 32;  // cells a side; keeps reads and writes of a block in the nearest cache

constexpr unsigned kBitsOfPair = 13;
constexpr unsigned kBitsOfLastCharacter = 6;
constexpr std::size_t kBase = 91;

constexpr std::array<char, kBase> kAlphabet = [] {
  std::array<char, kBase> alphabet{};
  std::size_t n = 0;
  for (char c = '!'; c <= '~'; ++c) {
    if (c != '<' && c != '>' && c != '&') alphabet[n++] = c;
  }
  return alphabet;
}();

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};

bool is_weight(float value) { return value >= 0 && std::isfinite(value); }

std::uint8_t code_with(float weight, float inverse_maximum) {
  if (weight == 0) return 0;
  if (!is_weight(weight)) return kBadCode;
  const float code = std::sqrt(weight * inverse_maximum) * float{kTopCode} + 0.5f;
  return static_cast<std::uint8_t>(std::clamp(code, 1.0f, float{kTopCode}));
}

float inverse(float maximum) { return maximum > 0 ? 1 / maximum : 0; }

// Calls put(from, to) for every cell: `from` by rows, `to` by columns.
template <typename Put>
void for_each_transposed(const AttentionMap& map, Put put) {
  for (std::size_t row_begin = 0; row_begin < map.n_query; row_begin += kTransposeBlock) {
    const std::size_t row_end = std::min(row_begin + kTransposeBlock, map.n_query);
    for (std::size_t column_begin = 0; column_begin < map.n_key; column_begin += kTransposeBlock) {
      const std::size_t column_end = std::min(column_begin + kTransposeBlock, map.n_key);
      for (std::size_t column = column_begin; column < column_end; ++column) {
        for (std::size_t row = row_begin; row < row_end; ++row) put(row * map.n_key + column, column * map.n_query + row);
      }
    }
  }
}

}  // namespace

float maximum_of(const AttentionMap& map) {
  float maximum = 0;
  for (const float weight : map.pattern) {
    if (is_weight(weight) && weight > maximum) maximum = weight;
  }
  return maximum;
}

std::uint8_t code_of(float weight, float maximum) { return code_with(weight, inverse(maximum)); }

std::vector<std::uint8_t> thumbnail_of(const AttentionMap& map, float maximum, std::size_t side) {
  const std::size_t n_rows = std::min(side, map.n_query);
  const std::size_t n_columns = std::min(side, map.n_key);
  std::vector<std::uint8_t> codes(n_rows * n_columns);
  if (codes.empty()) return codes;
  for (std::size_t query_pos = 0; query_pos < map.n_query; ++query_pos) {
    std::uint8_t* const row = codes.data() + query_pos * n_rows / map.n_query * n_columns;
    const float* const weights = map.pattern.data() + query_pos * map.n_key;
    for (std::size_t column = 0; column < n_columns; ++column) {
      float largest = 0;
      const std::size_t end = ((column + 1) * map.n_key + n_columns - 1) / n_columns;
      for (std::size_t key_pos = column * map.n_key / n_columns; key_pos < end; ++key_pos) {
        if (is_weight(weights[key_pos])) largest = std::max(largest, weights[key_pos]);
      }
      row[column] = std::max(row[column], code_of(largest, maximum));
    }
  }
  return codes;
}

void append_codes(const AttentionMap& map, float maximum, std::string* out) {
  const float inverse_maximum = inverse(maximum);
  std::vector<std::uint8_t> by_rows(map.pattern.size());
  for (std::size_t i = 0; i < by_rows.size(); ++i) by_rows[i] = code_with(map.pattern[i], inverse_maximum);
  std::string bytes(by_rows.size(), '\0');
  for_each_transposed(map, [&](std::size_t from, std::size_t to) { bytes[to] = static_cast<char>(by_rows[from]); });
  append_packed(bytes, out);
}

void append_exact(const AttentionMap& map, std::string* out) {
  std::vector<float> by_columns(map.pattern.size());
  for_each_transposed(map, [&](std::size_t from, std::size_t to) { by_columns[to] = map.pattern[from]; });
  append_floats(by_columns, out);
}

void append_floats(std::span<const float> values, std::string* out) {
  const std::size_t n = values.size();
  std::string bytes(4 * n, '\0');
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    for (std::size_t plane = 0; plane < 4; ++plane) bytes[plane * n + i] = static_cast<char>(bits >> (8 * plane));
  }
  append_packed(bytes, out);
}

void append_packed(std::string_view bytes, std::string* out) {
  thread_local const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(kCompressionLevel));
  if (compressor == nullptr) throw std::bad_alloc();
  std::string packed(libdeflate_deflate_compress_bound(compressor.get(), bytes.size()), '\0');
  packed.resize(libdeflate_deflate_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
  append_encoded(packed, out);
}

void append_encoded(std::string_view bytes, std::string* out) {
  out->reserve(out->size() + bytes.size() * 16 / 13 + 2);
  std::uint32_t bits = 0;
  unsigned n_bit = 0;
  for (const char byte : bytes) {
    bits |= std::uint32_t{static_cast<std::uint8_t>(byte)} << n_bit;
    n_bit += 8;
    if (n_bit < kBitsOfPair) continue;
    const std::uint32_t pair = bits & ((1u << kBitsOfPair) - 1);
    const char characters[2] = {kAlphabet[pair % kBase], kAlphabet[pair / kBase]};
    out->append(characters, 2);
    bits >>= kBitsOfPair;
    n_bit -= kBitsOfPair;
  }
  if (n_bit == 0) return;
  out->push_back(kAlphabet[bits % kBase]);
  if (n_bit > kBitsOfLastCharacter) out->push_back(kAlphabet[bits / kBase]);
}

}  // namespace attnviz

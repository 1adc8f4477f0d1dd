// CRC-32 as zlib computes it, for golden values that are too many to keep in full.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace attnviz {

inline std::string crc32_text(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return fmt::format("{:08x}", ~crc);
}

inline std::string crc32_numbers(const std::vector<std::int32_t>& numbers) {
  return crc32_text({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int32_t)});
}

}  // namespace attnviz

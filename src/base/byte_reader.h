// Reads little-endian numbers and slices from a span of foreign bytes; every step is bounds-checked.
// Tested in tests/unit/base/byte_reader_test.cpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace attnviz {

static_assert(std::endian::native == std::endian::little, "model files are little-endian and are mapped as they are");

class ByteReader {
 public:
  // `where` opens every message: the file's path. The reader keeps references: both arguments must outlive it.
  ByteReader(std::span<const std::byte> bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }

  // The next `n` bytes; throws Error(kModel) "where: ends early; expected N bytes of `what` at offset P, found R; ...".
  std::span<const std::byte> take(std::size_t n, std::string_view what) {
    if (n > remaining()) fail_short(n, what);
    const auto bytes = bytes_.subspan(position_, n);
    position_ += n;
    return bytes;
  }

  std::string_view take_text(std::size_t n, std::string_view what) {
    auto bytes = take(n, what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  template <typename Number>
  Number read(std::string_view what) {
    Number value;
    std::memcpy(&value, take(sizeof(Number), what).data(), sizeof(Number));
    return value;
  }

 private:
  [[noreturn]] void fail_short(std::size_t n, std::string_view what) const;

  std::span<const std::byte> bytes_;
  std::string_view where_;
  std::size_t position_ = 0;
};

}  // namespace attnviz

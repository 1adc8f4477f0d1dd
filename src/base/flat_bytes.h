// One block of bytes that is used in place, in memory or in a mapped file: numbers, texts and arrays one after the other,
// without addresses. Reading copies no array; every step is bounds-checked.
//
//     number   its own bytes, little-endian
//     text     u64 length | bytes
//     array    u64 count | zeros up to a multiple of 8 from the block's begin | elements
//
// Tested in tests/unit/base/flat_bytes_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/byte_reader.h"

namespace attnviz {

constexpr std::size_t kFlatAlignment = 8;

template <typename T>
concept FlatItem = std::is_trivially_copyable_v<T> && alignof(T) <= kFlatAlignment;

// A block, and the owner that keeps it alive.
struct FlatBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;

  static FlatBytes of(std::string bytes) {
    auto kept = std::make_shared<const std::string>(std::move(bytes));
    const std::span<const char> all(*kept);
    return {kept, std::as_bytes(all)};
  }
};

class FlatWriter {
 public:
  template <FlatItem T>
  void number(T value) {
    append(&value, sizeof value);
  }
  void text(std::string_view value) {
    number<std::uint64_t>(value.size());
    append(value.data(), value.size());
  }
  template <FlatItem T>
  void array(std::span<const T> values) {
    number<std::uint64_t>(values.size());
    bytes_.resize((bytes_.size() + kFlatAlignment - 1) / kFlatAlignment * kFlatAlignment);
    append(values.data(), values.size_bytes());
  }

  // What has been written so far; valid until the next write.
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span<const char>(bytes_)); }
  std::string take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t n) { bytes_.append(static_cast<const char*>(data), n); }

  std::string bytes_;
};

class FlatReader {
 public:
  // `where` opens every message. Both must outlive the reader, and `bytes` also the texts and arrays that it returns. Throws
  // Error(kBug) for a block whose address is not a multiple of 8.
  FlatReader(std::span<const std::byte> bytes, std::string_view where);

  // All throw Error(kModel) if the block ends early.
  template <FlatItem T>
  T number() {
    return reader_.read<T>("a number");
  }
  std::string_view text() { return reader_.take_text(count(1), "a text"); }
  template <FlatItem T>
  std::span<const T> array() {
    const std::size_t n = count(sizeof(T));
    reader_.take((kFlatAlignment - reader_.position() % kFlatAlignment) % kFlatAlignment, "padding");
    const std::span<const std::byte> bytes = reader_.take(n * sizeof(T), "an array");
    return {reinterpret_cast<const T*>(bytes.data()), n};
  }

  // Reads a count of items that take at least `n_bytes` each. Throws Error(kModel) if the block cannot hold that many.
  std::size_t count(std::size_t n_bytes);

  std::size_t remaining() const { return reader_.remaining(); }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  ByteReader reader_;
  std::string_view where_;
};

// Detects accidental changes: any change within one 8-byte word, and all but one in 2^64 of other changes. It runs at the speed of
// memory, and gives no protection against deliberate changes.
std::uint64_t checksum_of(std::span<const std::byte> bytes);

}  // namespace attnviz

// The metadata of a GGUF file: typed values by key. Arrays are not copied: opening the file checks their structure, and their
// elements are read on demand, because a vocabulary is long and not every command needs it. Tested in
// tests/unit/formats/gguf/gguf_test.cpp, fuzzed by tests/fuzz/gguf_fuzz.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

class ByteReader;

// Numbered as in the file.
enum class GgufType : std::uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kText, kArray, kU64, kI64, kF64 };

std::string_view gguf_type_name(GgufType type);  // "u32", "text", ...

struct GgufValue {
  GgufType type = GgufType::kU8;
  GgufType item_type = GgufType::kU8;  // kArray
  std::size_t n_items = 0;             // kArray
  std::span<const std::byte> bytes;    // the bytes of a number or text; the encoded elements of an array
};

class GgufMetadata {
 public:
  GgufMetadata() = default;

  // Reads `n` key-value pairs. Throws Error(kModel) for malformed pairs and duplicate keys.
  GgufMetadata(ByteReader* reader, std::size_t n, const std::string& where);

  const std::string& where() const { return where_; }
  std::size_t n_keys() const { return entries_.size(); }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const GgufValue* find(std::string_view key) const;  // null: absent

  // The value, or `fallback` if the key is absent. Whole numbers may have any width. A value of the wrong type throws Error(kModel)
  // that names the key, the expected type and the type found.
  std::size_t size(std::string_view key) const;  // required
  std::size_t size(std::string_view key, std::size_t fallback) const;
  double number(std::string_view key, double fallback) const;
  bool flag(std::string_view key, bool fallback) const;
  std::string text(std::string_view key) const;  // required
  std::string text(std::string_view key, std::string_view fallback) const;

  // Arrays; [] if absent. The texts point into the file.
  std::vector<std::string_view> texts(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;  // of whole numbers or floats

  [[noreturn]] void fail(std::string_view key, std::string_view what) const;  // "where: "key": what"

 private:
  struct Entry {
    std::string_view key;  // points into the file
    GgufValue value;
  };

  const GgufValue& required(std::string_view key) const;

  std::string where_;
  std::vector<Entry> entries_;  // sorted by key
};

}  // namespace attnviz

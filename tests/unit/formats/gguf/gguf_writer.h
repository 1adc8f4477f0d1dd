// Writes GGUF files for tests field by field, so that each field can be made wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace attnviz::test {

template <typename Number>
std::string raw(Number number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

inline std::string gguf_text(const std::string& text) { return raw<std::uint64_t>(text.size()) + text; }

// Key-value pairs.
inline std::string pair_of(const std::string& key, std::uint32_t type, const std::string& value) {
  return gguf_text(key) + raw(type) + value;
}
inline std::string pair_u32(const std::string& key, std::uint32_t value) { return pair_of(key, 4, raw(value)); }
inline std::string pair_f32(const std::string& key, float value) { return pair_of(key, 6, raw(value)); }
inline std::string pair_flag(const std::string& key, bool value) { return pair_of(key, 7, std::string(1, value ? '\1' : '\0')); }
inline std::string pair_text(const std::string& key, const std::string& value) { return pair_of(key, 8, gguf_text(value)); }
inline std::string pair_texts(const std::string& key, const std::vector<std::string>& values) {
  std::string bytes = raw<std::uint32_t>(8) + raw<std::uint64_t>(values.size());
  for (const std::string& value : values) bytes += gguf_text(value);
  return pair_of(key, 9, bytes);
}
template <typename Number>
std::string pair_numbers(const std::string& key, std::uint32_t type, const std::vector<Number>& values) {
  std::string bytes = raw(type) + raw<std::uint64_t>(values.size());
  for (const Number value : values) bytes += raw(value);
  return pair_of(key, 9, bytes);
}

// A tensor info; `dims` innermost first, as the file has them.
inline std::string info_of(const std::string& name, const std::vector<std::uint64_t>& dims, std::uint32_t type,
                           std::uint64_t offset) {
  std::string bytes = gguf_text(name) + raw(static_cast<std::uint32_t>(dims.size()));
  for (const std::uint64_t dim : dims) bytes += raw(dim);
  return bytes + raw(type) + raw(offset);
}

struct GgufParts {
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::vector<std::string> pairs{};
  std::vector<std::string> infos{};
  std::string data{};
  std::size_t alignment = 32;
};

inline std::string gguf_file(const GgufParts& parts) {
  std::string bytes =
      parts.magic + raw(parts.version) + raw<std::uint64_t>(parts.infos.size()) + raw<std::uint64_t>(parts.pairs.size());
  for (const std::string& pair : parts.pairs) bytes += pair;
  for (const std::string& info : parts.infos) bytes += info;
  if (!parts.data.empty()) bytes.resize((bytes.size() + parts.alignment - 1) / parts.alignment * parts.alignment);
  return bytes + parts.data;
}

}  // namespace attnviz::test

// See gguf_metadata.h.
#include "formats/gguf/gguf_metadata.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "base/quote.h"

namespace attnviz {
namespace {

constexpr int kMaxDepth = 8;  // of arrays in arrays; one is usual

struct TypeFacts {
  GgufType type;
  std::string_view name;
  std::size_t n_bytes;  // 0: not of one size
};

constexpr TypeFacts kTypes[] = {
    {GgufType::kU8, "u8", 1},     {GgufType::kI8, "i8", 1},       {GgufType::kU16, "u16", 2}, {GgufType::kI16, "i16", 2},
    {GgufType::kU32, "u32", 4},   {GgufType::kI32, "i32", 4},     {GgufType::kF32, "f32", 4}, {GgufType::kBool, "flag", 1},
    {GgufType::kText, "text", 0}, {GgufType::kArray, "array", 0}, {GgufType::kU64, "u64", 8}, {GgufType::kI64, "i64", 8},
    {GgufType::kF64, "f64", 8},
};

const TypeFacts& facts(GgufType type) { return kTypes[static_cast<std::size_t>(type)]; }

// Walks over values and checks them; keeps nothing.
class ValueReader {
 public:
  ValueReader(ByteReader* reader, const std::string& where) : reader_(*reader), where_(where) {}

  std::string_view read_text(std::string_view what) {
    const auto n = reader_.read<std::uint64_t>(what);
    if (n > reader_.remaining()) {
      fail(fmt::format("{} of {} bytes is longer than the {} bytes that are left", what, n, reader_.remaining()));
    }
    return reader_.take_text(n, what);
  }

  GgufType read_type(std::string_view key) {
    const auto number = reader_.read<std::uint32_t>("value type");
    if (number >= std::size(kTypes)) {
      fail(
          fmt::format("the value of {} has the unknown type {}; expected 0 to {}", quote_text(key), number, std::size(kTypes) - 1));
    }
    return static_cast<GgufType>(number);
  }

  GgufValue read_value(GgufType type, std::string_view key, int depth) {
    GgufValue value;
    value.type = type;
    if (type == GgufType::kText) {
      const std::string_view text = read_text("text");
      value.bytes = std::as_bytes(std::span(text.data(), text.size()));
    } else if (type == GgufType::kArray) {
      read_array(&value, key, depth);
    } else {
      value.bytes = reader_.take(facts(type).n_bytes, "value");
    }
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: {}; the file is damaged or cut short: download or save it again", where_, what));
  }

 private:
  void read_array(GgufValue* value, std::string_view key, int depth) {
    if (depth == kMaxDepth)
      fail(fmt::format("the value of {} has more than {} arrays inside each other", quote_text(key), kMaxDepth));
    value->item_type = read_type(key);
    const auto n = reader_.read<std::uint64_t>("array length");
    const std::size_t item_bytes = facts(value->item_type).n_bytes;
    const std::size_t at_least = item_bytes != 0 ? item_bytes : value->item_type == GgufType::kText ? 8 : 12;
    if (n > reader_.remaining() / at_least) {
      fail(fmt::format("the array {} of {} elements is longer than the {} bytes that are left", quote_text(key), n,
                       reader_.remaining()));
    }
    value->n_items = n;
    if (item_bytes != 0) {
      value->bytes = reader_.take(n * item_bytes, "array");
      return;
    }
    ByteReader start = reader_;                 // the elements one by one, then all of them as one piece
    if (value->item_type == GgufType::kText) {  // a vocabulary, and its merges
      for (std::uint64_t i = 0; i < n; ++i) read_text("text");
    } else {
      for (std::uint64_t i = 0; i < n; ++i) read_value(value->item_type, key, depth + 1);
    }
    value->bytes = start.take(reader_.position() - start.position(), "array");
  }

  ByteReader& reader_;
  const std::string& where_;
};

template <typename Number>
Number number_at(std::span<const std::byte> bytes, std::size_t index) {
  Number number;
  std::memcpy(&number, bytes.data() + index * sizeof(Number), sizeof(Number));
  return number;
}

// The number at `index` as f64, which holds every count a file can have.
std::optional<double> any_number(GgufType type, std::span<const std::byte> bytes, std::size_t index) {
  switch (type) {
    case GgufType::kU8: return number_at<std::uint8_t>(bytes, index);
    case GgufType::kI8: return number_at<std::int8_t>(bytes, index);
    case GgufType::kU16: return number_at<std::uint16_t>(bytes, index);
    case GgufType::kI16: return number_at<std::int16_t>(bytes, index);
    case GgufType::kU32: return number_at<std::uint32_t>(bytes, index);
    case GgufType::kI32: return number_at<std::int32_t>(bytes, index);
    case GgufType::kU64: return static_cast<double>(number_at<std::uint64_t>(bytes, index));
    case GgufType::kI64: return static_cast<double>(number_at<std::int64_t>(bytes, index));
    case GgufType::kF32: return number_at<float>(bytes, index);
    case GgufType::kF64: return number_at<double>(bytes, index);
    default: return std::nullopt;
  }
}

bool is_float(GgufType type) { return type == GgufType::kF32 || type == GgufType::kF64; }

std::string described(const GgufValue& value) {
  if (value.type != GgufType::kArray) return std::string(gguf_type_name(value.type));
  return fmt::format("array of {}", gguf_type_name(value.item_type));
}

}  // namespace

std::string_view gguf_type_name(GgufType type) { return facts(type).name; }

GgufMetadata::GgufMetadata(ByteReader* reader, std::size_t n, const std::string& where) : where_(where) {
  ValueReader values(reader, where);
  entries_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view key = values.read_text("key");
    const GgufType type = values.read_type(key);
    entries_.push_back({key, values.read_value(type, key, 0)});
    const GgufValue& value = entries_.back().value;
    if (type == GgufType::kBool && std::to_integer<unsigned>(value.bytes[0]) > 1) {
      values.fail(fmt::format("the flag {} is {}; expected 0 or 1", quote_text(key), std::to_integer<unsigned>(value.bytes[0])));
    }
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  const auto twin =
      std::adjacent_find(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.key == b.key; });
  if (twin != entries_.end()) values.fail(fmt::format("the key {} occurs twice", quote_text(twin->key)));
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), key, [](const Entry& e, std::string_view k) { return e.key < k; });
  return at != entries_.end() && at->key == key ? &at->value : nullptr;
}

void GgufMetadata::fail(std::string_view key, std::string_view what) const {
  throw Error(ErrorKind::kModel, fmt::format("{}: {}: {}", where_, quote_text(key), what));
}

const GgufValue& GgufMetadata::required(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) fail(key, "is missing; expected it in the metadata; convert the model again");
  return *value;
}

std::size_t GgufMetadata::size(std::string_view key) const {
  const GgufValue& value = required(key);
  const auto number = is_float(value.type) ? std::nullopt : any_number(value.type, value.bytes, 0);
  if (!number) fail(key, fmt::format("expected a whole number, found {}", described(value)));
  if (*number < 0 || *number > 0x1p53) fail(key, fmt::format("expected a whole number from 0 to 2^53, found {:g}", *number));
  return static_cast<std::size_t>(*number);
}

std::size_t GgufMetadata::size(std::string_view key, std::size_t fallback) const { return has(key) ? size(key) : fallback; }

double GgufMetadata::number(std::string_view key, double fallback) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return fallback;
  const auto number = any_number(value->type, value->bytes, 0);
  if (!number) fail(key, fmt::format("expected a number, found {}", described(*value)));
  if (!std::isfinite(*number)) fail(key, "expected a number, found one that is not finite");
  return *number;
}

bool GgufMetadata::flag(std::string_view key, bool fallback) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return fallback;
  if (value->type != GgufType::kBool) fail(key, fmt::format("expected a flag, found {}", described(*value)));
  return value->bytes[0] != std::byte{0};
}

std::string GgufMetadata::text(std::string_view key) const {
  const GgufValue& value = required(key);
  if (value.type != GgufType::kText) fail(key, fmt::format("expected a text, found {}", described(value)));
  return {reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()};
}

std::string GgufMetadata::text(std::string_view key, std::string_view fallback) const {
  return has(key) ? text(key) : std::string(fallback);
}

std::vector<std::string_view> GgufMetadata::texts(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return {};
  if (value->type != GgufType::kArray || value->item_type != GgufType::kText) {
    fail(key, fmt::format("expected an array of texts, found {}", described(*value)));
  }
  std::vector<std::string_view> texts;
  texts.reserve(value->n_items);
  ByteReader reader(value->bytes, where_);
  for (std::size_t i = 0; i < value->n_items; ++i) {
    const auto n = reader.read<std::uint64_t>("text length");
    texts.push_back(reader.take_text(n, "text"));
  }
  return texts;
}

std::vector<double> GgufMetadata::numbers(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return {};
  if (value->type != GgufType::kArray) fail(key, fmt::format("expected an array of numbers, found {}", described(*value)));
  std::vector<double> numbers;
  numbers.reserve(value->n_items);
  for (std::size_t i = 0; i < value->n_items; ++i) {
    const auto number = any_number(value->item_type, value->bytes, i);
    if (!number) fail(key, fmt::format("expected an array of numbers, found {}", described(*value)));
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace attnviz

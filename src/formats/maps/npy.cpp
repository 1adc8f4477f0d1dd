// See npy.h.
#include "formats/maps/npy.h"

#include <attnviz/error.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "tensor/half.h"

namespace attnviz {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostAxes = 32;
constexpr std::size_t kMostHeaderBytes = 1 << 16;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kInput, fmt::format("{}: {}", name, what));
}

// The header is a Python dictionary of three entries: a string, a truth value, and numbers in brackets.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void read(NpyArray* array) {
    expect('{');
    std::vector<std::string_view> seen;
    while (!take('}')) {
      const std::string_view key = read_quoted();
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) damaged();
      seen.push_back(key);
      expect(':');
      if (key == "descr") {
        read_type(array);
      } else if (key == "fortran_order") {
        array->fortran_order = read_truth();
      } else if (key == "shape") {
        read_shape(&array->shape);
      } else {
        damaged();
      }
      if (take('}')) break;
      expect(',');
    }
    if (seen.size() != 3 || peek() != '\0') damaged();
  }

 private:
  [[noreturn]] void damaged() const {
    fail(name_, fmt::format("the array's header is not one that NumPy writes: {}; save it again with numpy.save or numpy.savez",
                            quote_text(text_, 80)));
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) damaged();
  }

  std::string_view read_quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') damaged();
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) damaged();
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return word;
  }

  void read_type(NpyArray* array) {
    if (peek() == '[') fail(name_, "is an array of records; expected plain numbers (float16, float32 or float64)");
    const std::string_view type = read_quoted();
    if (type.size() < 2) damaged();
    array->kind = type[1];
    if (array->kind == 'O')
      fail(name_, "holds Python objects, which are never loaded; save numbers: numpy.stack(...).astype(\"float32\")");
    const char* end = type.data() + type.size();
    const auto [stop, fault] = std::from_chars(type.data() + 2, end, array->item_size);
    // "<U0" is text without a character; "<M8[ns]" has a unit after its size and is refused later, by its kind.
    if (fault != std::errc() || (stop != end && *stop != '[')) damaged();
    if (array->kind == 'U') array->item_size = checked_multiply(array->item_size, 4, name_);
    array->big_endian = type[0] == '>';
  }

  bool read_truth() {
    peek();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    damaged();
  }

  void read_shape(std::vector<std::size_t>* shape) {
    expect('(');
    while (!take(')')) {
      std::size_t side = 0;
      peek();
      const auto [stop, fault] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), side);
      if (fault != std::errc() || shape->size() == kMostAxes) damaged();
      at_ = static_cast<std::size_t>(stop - text_.data());
      shape->push_back(side);
      if (take(')')) return;
      expect(',');
    }
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

template <typename Bits>
Bits bits_at(const std::byte* place, bool big_endian) {
  Bits bits;
  std::memcpy(&bits, place, sizeof(Bits));
  if (!big_endian || sizeof(Bits) == 1) return bits;
  if constexpr (sizeof(Bits) == 2) return __builtin_bswap16(bits);
  if constexpr (sizeof(Bits) == 4) return __builtin_bswap32(bits);
  if constexpr (sizeof(Bits) == 8) return __builtin_bswap64(bits);
}

float real_of(std::uint16_t bits) { return f16_to_f32(bits); }
float real_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
float real_of(std::uint64_t bits) { return static_cast<float>(std::bit_cast<double>(bits)); }

// Where a matrix is in the data, counted in items.
struct MatrixPlace {
  std::size_t first = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 1;
};

MatrixPlace place_of(const NpyArray& array, std::size_t index) {
  const std::size_t n_axis = array.shape.size();
  const std::size_t n_row = array.shape[n_axis - 2];
  const std::size_t n_column = array.shape[n_axis - 1];
  if (!array.fortran_order) return {index * n_row * n_column, n_column, 1};
  std::vector<std::size_t> strides(n_axis, 1);
  for (std::size_t axis = 1; axis < n_axis; ++axis) strides[axis] = strides[axis - 1] * array.shape[axis - 1];
  MatrixPlace place{0, strides[n_axis - 2], strides[n_axis - 1]};
  for (std::size_t axis = n_axis - 2; axis-- > 0; index /= array.shape[axis]) {
    place.first += index % array.shape[axis] * strides[axis];
  }
  return place;
}

template <typename Bits>
void copy_matrix(const NpyArray& array, std::size_t index, float* values) {
  const MatrixPlace place = place_of(array, index);
  const std::size_t n_row = array.shape[array.shape.size() - 2];
  const std::size_t n_column = array.shape.back();
  const bool as_it_lies = sizeof(Bits) == sizeof(float) && !array.big_endian && place.column_stride == 1;
  for (std::size_t row = 0; row < n_row; ++row, values += n_column) {
    const std::byte* from = array.data.data() + (place.first + row * place.row_stride) * sizeof(Bits);
    if (as_it_lies) {
      std::memcpy(values, from, n_column * sizeof(float));
      continue;
    }
    for (std::size_t column = 0; column < n_column; ++column) {
      values[column] = real_of(bits_at<Bits>(from + column * place.column_stride * sizeof(Bits), array.big_endian));
    }
  }
}

std::uint64_t whole_number(const NpyArray& array, std::size_t i) {
  const std::byte* place = array.data.data() + i * array.item_size;
  switch (array.item_size) {
    case 1: return bits_at<std::uint8_t>(place, false);
    case 2: return bits_at<std::uint16_t>(place, array.big_endian);
    case 4: return bits_at<std::uint32_t>(place, array.big_endian);
    default: return bits_at<std::uint64_t>(place, array.big_endian);
  }
}

}  // namespace

std::size_t NpyArray::n_item() const {
  std::size_t n = 1;
  for (const std::size_t side : shape) n = checked_multiply(n, side, name);
  return n;
}

bool looks_like_npy(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  if (!looks_like_npy(bytes)) fail(name, "is not a NumPy array; expected a .npy file, which begins with \\x93NUMPY");
  if (bytes.size() < 12) fail(name, "ends inside its header; was the file cut short?");
  const auto version = std::to_integer<unsigned>(bytes[6]);
  if (version < 1 || version > 3) fail(name, fmt::format("is of version {} of NumPy's format; expected 1, 2 or 3", version));
  const std::size_t n_before = version == 1 ? 10 : 12;
  const std::size_t n_header =
      version == 1 ? bits_at<std::uint16_t>(bytes.data() + 8, false) : bits_at<std::uint32_t>(bytes.data() + 8, false);
  if (n_header > bytes.size() - n_before) fail(name, "ends inside its header; was the file cut short?");
  if (n_header > kMostHeaderBytes)
    fail(name, fmt::format("has a header of {} bytes; expected at most {}", n_header, kMostHeaderBytes));
  NpyArray array;
  array.name = name;
  HeaderReader(std::string_view(reinterpret_cast<const char*>(bytes.data()) + n_before, n_header), name).read(&array);
  array.data = bytes.subspan(n_before + n_header);
  std::optional<std::size_t> n_byte = array.item_size;
  for (const std::size_t side : array.shape) n_byte = n_byte ? try_multiply(*n_byte, side) : n_byte;
  if (!n_byte) fail(name, "a size in the file does not fit 64 bits; the file is corrupt");
  if (*n_byte != array.data.size()) {
    fail(name,
         fmt::format("its header announces {} bytes of numbers, found {}; was the file cut short?", *n_byte, array.data.size()));
  }
  return array;
}

void read_matrix(const NpyArray& array, std::size_t index, float* values) {
  if (array.item_size == 2) return copy_matrix<std::uint16_t>(array, index, values);
  if (array.item_size == 4) return copy_matrix<std::uint32_t>(array, index, values);
  copy_matrix<std::uint64_t>(array, index, values);
}

std::vector<std::size_t> read_indices(const NpyArray& array) {
  const bool whole = (array.kind == 'i' || array.kind == 'u') && std::has_single_bit(array.item_size) && array.item_size <= 8;
  if (!whole) fail(array.name, "is not an array of whole numbers; expected one, as attnviz writes it");
  std::vector<std::size_t> numbers(array.n_item());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = whole_number(array, i);
    const auto n_bit = static_cast<unsigned>(8 * array.item_size);
    const bool negative = array.kind == 'i' && (numbers[i] >> (n_bit - 1)) != 0;
    if (negative && numbers[i] == kSeveral >> (64 - n_bit)) {
      numbers[i] = kSeveral;
      continue;
    }
    if (negative || numbers[i] > 0xFFFFFFFF) fail(array.name, fmt::format("item {} cannot be a layer or head", i));
  }
  return numbers;
}

std::vector<std::string> read_texts(const NpyArray& array) {
  if (array.kind != 'U') fail(array.name, "is not an array of texts (a NumPy type like <U7)");
  const std::size_t n_item = array.n_item();
  if (array.item_size == 0 && n_item > 0) fail(array.name, "holds empty texts only");
  std::vector<std::string> texts(n_item);
  for (std::size_t i = 0; i < n_item; ++i) {
    const auto item = array.data.subspan(i * array.item_size, array.item_size);
    std::size_t length = item.size() / 4;
    const auto code_at = [&](std::size_t c) { return bits_at<std::uint32_t>(item.data() + 4 * c, array.big_endian); };
    while (length > 0 && code_at(length - 1) == 0) --length;
    for (std::size_t c = 0; c < length; ++c) {
      const std::uint32_t code = code_at(c);
      if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) fail(array.name, fmt::format("text {} is not Unicode", i));
      append_utf8(&texts[i], code);
    }
  }
  return texts;
}

}  // namespace attnviz

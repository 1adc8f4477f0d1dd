// See json_scanner.h.
#include "formats/json_scanner.h"

#include <attnviz/error.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/utf8.h"

namespace attnviz {
namespace {

constexpr std::size_t kMostDepth = 64;   // of a value that is skipped
constexpr std::size_t kMostFields = 64;  // of one object; a document has a dozen

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

JsonScanner::JsonScanner(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {}

void JsonScanner::skip_space() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
}

char JsonScanner::peek() {
  skip_space();
  return position_ < text_.size() ? text_[position_] : '\0';
}

bool JsonScanner::take(char c) {
  if (peek() != c || position_ == text_.size()) return false;
  ++position_;
  return true;
}

void JsonScanner::expect(char c) {
  if (!take(c)) fail_unexpected(fmt::format("'{}'", c));
}

void JsonScanner::fail(const std::string& what) const {
  const std::string_view before = text_.substr(0, position_);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string place = place_.empty() ? "" : fmt::format("{}, row {}: ", place_, row_);
  throw Error(ErrorKind::kInput,
              fmt::format("{}: line {}, column {}: {}{}", where_, line, position_ - line_begin + 1, place, what));
}

void JsonScanner::fail_unexpected(std::string_view expected) {
  skip_space();
  if (position_ == text_.size()) fail(fmt::format("the JSON ends early; expected {}; was the file cut short?", expected));
  std::size_t n_shown = 1;  // a word, or one character
  const auto rest = text_.substr(position_);
  while (n_shown < rest.size() && n_shown < 24 && std::isalnum(static_cast<unsigned char>(rest[0])) &&
         std::isalnum(static_cast<unsigned char>(rest[n_shown]))) {
    ++n_shown;
  }
  fail(fmt::format("expected {}, found {}", expected, quote_text(rest.substr(0, n_shown))));
}

std::uint32_t JsonScanner::read_hex4(std::string_view what) {
  std::uint32_t value = 0;
  const char* begin = text_.data() + position_;
  const char* end = begin + std::min<std::size_t>(4, remaining());
  const auto [stop, fault] = std::from_chars(begin, end, value, 16);
  if (fault != std::errc() || stop != begin + 4) fail(fmt::format("{}: expected four hexadecimal digits after \\u", what));
  position_ += 4;
  return value;
}

// The cursor is just after the backslash.
void JsonScanner::append_escape(std::string* out, std::string_view what) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char letter = position_ < text_.size() ? text_[position_] : '\0';
  const std::size_t known = letter == '\0' ? std::string_view::npos : kLetters.find(letter);
  if (known != std::string_view::npos) {
    ++position_;
    out->push_back(kMeanings[known]);
    return;
  }
  if (letter != 'u') fail(fmt::format("{}: a backslash that does not begin a JSON escape", what));
  ++position_;
  std::uint32_t code = read_hex4(what);
  if (code >= 0xD800 && code < 0xDC00 && text_.substr(position_).starts_with("\\u")) {
    position_ += 2;
    const std::uint32_t low = read_hex4(what);
    if (low >= 0xDC00 && low < 0xE000) code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code >= 0xD800 && code < 0xE000) fail(fmt::format("{}: half of a surrogate pair; expected both halves", what));
  append_utf8(out, code);
}

std::string JsonScanner::read_string(std::string_view what) {
  if (peek() != '"') fail_unexpected(fmt::format("{}, a string", what));
  ++position_;
  std::string value;
  for (;;) {
    const std::size_t begin = position_;
    while (position_ < text_.size() && text_[position_] != '"' && text_[position_] != '\\' &&
           static_cast<unsigned char>(text_[position_]) >= 0x20) {
      ++position_;
    }
    value.append(text_, begin, position_ - begin);
    if (position_ == text_.size()) fail(fmt::format("the JSON ends early, inside {}; was the file cut short?", what));
    const char stop = text_[position_];
    if (stop != '"' && stop != '\\') fail(fmt::format("{}: a control character in a string; expected it escaped", what));
    ++position_;
    if (stop == '"') break;
    append_escape(&value, what);
  }
  if (find_invalid_utf8(value)) fail(fmt::format("{}: is not valid UTF-8", what));
  return value;
}

std::string JsonScanner::read_name(const std::vector<std::string>& before) {
  std::string name = read_string("the name of a field");
  if (std::find(before.begin(), before.end(), name) != before.end()) fail(fmt::format("field {}: occurs twice", quote_text(name)));
  if (before.size() == kMostFields) fail(fmt::format("an object with more than {} fields", kMostFields));
  return name;
}

std::int64_t JsonScanner::read_integer(std::string_view what) {
  peek();
  std::int64_t value = 0;
  const char* begin = text_.data() + position_;
  const auto [stop, fault] = std::from_chars(begin, text_.data() + text_.size(), value);
  const bool ends = stop == text_.data() + text_.size() || (*stop != '.' && *stop != 'e' && *stop != 'E');
  if (fault != std::errc() || !ends) fail_unexpected(fmt::format("{}, a whole number", what));
  position_ += static_cast<std::size_t>(stop - begin);
  return value;
}

// Updates most_decimals_ for the number [begin, end). A single digit has no decimals, and above kManyDecimals the rest does not
// matter.
void JsonScanner::note_decimals(const char* begin, const char* end) {
  if (most_decimals_ > kManyDecimals || end - begin == 1) return;
  const char* exponent = std::find_if(begin, end, [](char c) { return c == 'e' || c == 'E'; });
  const char* point = std::find(begin, exponent, '.');
  long decimals = point == exponent ? 0 : exponent - point - 1;
  if (exponent != end) {
    int power = 0;
    const char* digits = exponent + 1 + (exponent + 1 < end && exponent[1] == '+' ? 1 : 0);
    if (std::from_chars(digits, end, power).ec == std::errc()) decimals -= power;
  }
  most_decimals_ = std::max(most_decimals_, static_cast<std::size_t>(std::clamp<long>(decimals, 0, kManyDecimals + 1)));
}

// A number too small or too large for f32, rounded to 0 or infinity.
float JsonScanner::read_out_of_range(const char* begin, const char* end) const {
  double wide = 0;
  if (std::from_chars(begin, end, wide).ec == std::errc()) return static_cast<float>(wide);
  const std::string_view token(begin, static_cast<std::size_t>(end - begin));
  const bool small = token.find("e-") != std::string_view::npos || token.find("E-") != std::string_view::npos ||
                     token.starts_with("0.") || token.starts_with("-0.");
  if (small) return 0;
  return (token[0] == '-' ? -1.0F : 1.0F) * std::numeric_limits<float>::infinity();
}

float JsonScanner::read_word_or_fail() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::pair<std::string_view, float> kWords[] = {
      {"NaN", kNan}, {"Infinity", kInfinity}, {"-Infinity", -kInfinity}, {"null", kNan}};
  for (const auto& [word, value] : kWords) {
    if (!text_.substr(position_).starts_with(word)) continue;
    position_ += word.size();
    return value;
  }
  fail_unexpected("a number");
}

float JsonScanner::read_weight() {
  const char first = peek();
  const char* begin = text_.data() + position_;
  const char* const end = text_.data() + text_.size();
  const char* digits = begin + (first == '-' ? 1 : 0);
  if (digits == end || !is_digit(*digits)) return read_word_or_fail();
  if (*digits == '0' && digits + 1 != end && is_digit(digits[1])) fail_unexpected("a number without leading zeros");
  float value = 0;
  const auto [stop, fault] = std::from_chars(begin, end, value);
  if (stop[-1] == '.') fail_unexpected("a number with digits after its decimal point");
  if (fault == std::errc::result_out_of_range) value = read_out_of_range(begin, stop);
  position_ += static_cast<std::size_t>(stop - begin);
  return value;
}

std::size_t JsonScanner::read_row(WeightArray* row) {
  const std::size_t n_before = row->size();
  expect('[');
  if (take(']')) return 0;
  for (;;) {
    peek();
    const char* begin = text_.data() + position_;
    row->push_back(read_weight());
    note_decimals(begin, text_.data() + position_);
    if (take(',')) continue;
    if (take(']')) return row->size() - n_before;
    fail_unexpected("',' or ']'");
  }
}

void JsonScanner::skip_value(std::size_t depth) {
  if (depth > kMostDepth) fail(fmt::format("values nested more than {} deep", kMostDepth));
  const char first = peek();
  if (first == '{') return read_object([&](const std::string&) { skip_value(depth + 1); });
  if (first == '[') return read_list([&](std::size_t) { skip_value(depth + 1); });
  if (first == '"') {
    read_string("a string");
    return;
  }
  for (const std::string_view word : {"true", "false"}) {
    if (!text_.substr(position_).starts_with(word)) continue;
    position_ += word.size();
    return;
  }
  read_weight();
}

}  // namespace attnviz

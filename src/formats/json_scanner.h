// A cursor over JSON text that may be long: numbers go straight into arrays, and no tree of values is built. For files of attention
// maps, which are millions of numbers and a few words.
//
// Follows RFC 8259. In place of a number it also accepts NaN, Infinity and -Infinity, as Python's json module writes them, and
// reads null as NaN, as JavaScript writes it. Tested in tests/unit/formats/json_scanner_test.cpp, fuzzed by
// tests/fuzz/map_file_fuzz.cpp.
#pragma once

#include <attnviz/trace.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnviz {

class JsonScanner {
 public:
  // `where` opens every message: the file's name. `text` must outlive the scanner.
  JsonScanner(std::string_view text, std::string where);

  char peek();          // the next character after white space; '\0' at the end
  bool take(char c);    // steps over `c` if it is next; returns whether it was
  void expect(char c);  // steps over `c`; throws if another character is next
  bool at_end() { return peek() == '\0' && position_ == text_.size(); }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return text_.size() - position_; }
  const std::string& where() const { return where_; }

  // A string as valid UTF-8, its escapes replaced. `what` names it in messages.
  std::string read_string(std::string_view what);
  std::int64_t read_integer(std::string_view what);

  // Appends the numbers of one list to *row; returns how many there were.
  std::size_t read_row(WeightArray* row);

  // The most decimal digits of any number of read_row so far; kManyDecimals + 1 if there are more than kManyDecimals.
  std::size_t most_decimals() const { return most_decimals_; }
  static constexpr std::size_t kManyDecimals = 8;

  // Calls on_item(i) with the cursor at each item of a list; it must step over the item.
  template <typename OnItem>
  void read_list(OnItem on_item);

  // Calls on_field(name) with the cursor at each value; it must step over the value. Throws for a duplicate name.
  template <typename OnField>
  void read_object(OnField on_field);

  void skip_value() { skip_value(0); }

  // What is being read, for messages: row `row` of `place` ("layer 3, head 1"). Applies until the next call.
  void set_place(std::string place) { place_ = std::move(place); }
  void set_row(std::size_t row) { row_ = row; }

  // Throws Error(kInput) "where: line 3, column 7: layer 3, head 1, row 5: what".
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_unexpected(std::string_view expected);

 private:
  void skip_space();
  void skip_value(std::size_t depth);
  float read_weight();
  float read_word_or_fail();
  float read_out_of_range(const char* begin, const char* end) const;
  void note_decimals(const char* begin, const char* end);
  void append_escape(std::string* out, std::string_view what);
  std::uint32_t read_hex4(std::string_view what);
  std::string read_name(const std::vector<std::string>& before);

  std::string_view text_;
  std::string where_;
  std::size_t position_ = 0;
  std::size_t most_decimals_ = 0;
  std::string place_;
  std::size_t row_ = 0;
};

template <typename OnItem>
void JsonScanner::read_list(OnItem on_item) {
  expect('[');
  if (take(']')) return;
  for (std::size_t i = 0;; ++i) {
    on_item(i);
    if (take(']')) return;
    if (!take(',')) fail_unexpected("',' or ']'");
  }
}

template <typename OnField>
void JsonScanner::read_object(OnField on_field) {
  expect('{');
  if (take('}')) return;
  std::vector<std::string> names;
  for (;;) {
    names.push_back(read_name(names));
    expect(':');
    on_field(names.back());
    if (take('}')) return;
    if (!take(',')) fail_unexpected("',' or '}'");
  }
}

}  // namespace attnviz

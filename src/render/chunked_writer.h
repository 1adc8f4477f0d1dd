// Text gathered into chunks before it goes to a ByteSink, so that a large document never lies in memory whole.
// Numbers follow std::to_chars: the shortest decimal that reads back as the same value.
#pragma once

#include "render/byte_sink.h"

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace attnviz {

class ChunkedWriter {
 public:
  explicit ChunkedWriter(const ByteSink& sink) : sink_(sink) { buffer_.reserve(kChunk + 4096); }

  // False once the reader has gone away; what is put after that is dropped.
  bool open() const { return open_; }

  void put(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= kChunk) flush();
  }

  template <typename Number>
  void put_number(Number number) {
    char digits[32];
    const auto result = std::to_chars(digits, digits + sizeof digits, number);
    put({digits, static_cast<std::size_t>(result.ptr - digits)});
  }

  void flush() {
    if (open_ && !buffer_.empty()) open_ = sink_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{64} * 1024;
  const ByteSink& sink_;
  std::string buffer_;
  bool open_ = true;
};

}  // namespace attnviz

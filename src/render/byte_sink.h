// Where exporters write their bytes.
#pragma once

#include <charconv>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace attnviz {

// Takes bytes in order. Returns false once the reader has gone away; the exporter then stops.
using ByteSink = std::function<bool(std::string_view)>;

// Text gathered into chunks before it goes to a sink, so that a large document is never in memory whole. Numbers follow
// std::to_chars: the shortest decimal that reads back as the same value.
class ChunkedWriter {
 public:
  explicit ChunkedWriter(const ByteSink& sink) : sink_(sink) { buffer_.reserve(kChunk + 4096); }

  // False once the reader has gone away; later text is dropped.
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

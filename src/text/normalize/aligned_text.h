// Text as code points, each with the bytes of the user's text that it stands for, however it has been changed since.
// Tested in tests/unit/text/normalize/bert_normalizer_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct AlignedChar {
  char32_t code_point = 0;
  std::uint32_t begin = 0;  // bytes [begin, end) of the original text
  std::uint32_t end = 0;
};

using AlignedText = std::vector<AlignedChar>;
using AlignedView = std::span<const AlignedChar>;

// A stretch of an AlignedText: characters [begin, end).
struct CharRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The code points of valid UTF-8 of less than 4 GiB, each with its place.
AlignedText align_text(std::string_view text);

std::u32string code_points(AlignedView text);

}  // namespace attnviz

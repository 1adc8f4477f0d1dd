// The rule of every tokenizer that was read from foreign bytes: its tokens are inside their text, and its ids in the vocabulary.
#pragma once

#include <attnviz/token.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "fuzz.h"

namespace attnviz::fuzz {

inline constexpr std::size_t kTail = 48;

// The input's tail as UTF-8: invalid bytes are replaced by code points of Latin-1.
inline std::string text_of(std::string_view bytes) {
  const std::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), kTail));
  if (!find_invalid_utf8(tail)) return std::string(tail);
  std::string text;
  for (const char byte : tail) append_utf8(&text, static_cast<unsigned char>(byte));
  return text;
}

inline void check_tokens(const Tokenizer& tokenizer, const TextInput& input) {
  for (const Token& token : tokenizer.encode(input)) {
    const std::string& text = token.segment == 0 ? input.text : *input.text2;
    require(token.begin <= token.end && token.end <= text.size(), "a place outside the text");
    require(token.id >= 0 && static_cast<std::size_t>(token.id) < tokenizer.n_vocab(), "an id past the vocabulary");
    static_cast<void>(tokenizer.token_text(token.id));
  }
}

}  // namespace attnviz::fuzz

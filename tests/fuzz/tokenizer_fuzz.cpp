// A hostile tokenizer.json: whatever its bytes say, the library answers with a tokenizer or with attnviz::Error, nothing else. A
// tokenizer that comes out of it encodes a text made of the input's tail, and every token's place must lie in that text.
#include <attnviz/error.h>
#include <attnviz/token.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "formats/tokenizer_files.h"
#include "text/make_tokenizer.h"

namespace {

constexpr std::size_t kTail = 48;

// The input's tail as UTF-8: bytes that are not are written as code points of Latin-1.
std::string text_of(std::string_view bytes) {
  const std::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), kTail));
  if (!attnviz::find_invalid_utf8(tail)) return std::string(tail);
  std::string text;
  for (const char byte : tail) attnviz::append_utf8(&text, static_cast<unsigned char>(byte));
  return text;
}

void check_places(const attnviz::Tokenizer& tokenizer, const attnviz::TextInput& input) {
  for (const attnviz::Token& token : tokenizer.encode(input)) {
    const std::string& text = token.segment == 0 ? input.text : *input.text2;
    const bool sound = token.begin <= token.end && token.end <= text.size() && token.id >= 0 &&
                       static_cast<std::size_t>(token.id) < tokenizer.n_vocab();
    if (!sound) std::abort();
    static_cast<void>(tokenizer.token_text(token.id));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto tokenizer = attnviz::make_tokenizer(attnviz::parse_tokenizer_json(bytes, "fuzz"));
    const std::string text = text_of(bytes);
    check_places(*tokenizer, {text, std::nullopt});
    check_places(*tokenizer, {text + " [MASK] \u00e9t\u00e9's", text});
    tokenizer->truncate(tokenizer->encode({text, text}), 3);
  } catch (const attnviz::Error&) {
  }
  return 0;
}

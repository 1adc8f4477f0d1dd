// A hostile block in place of a frozen tokenizer: whatever its bytes say, opening it ends in a tokenizer whose tokens lie in their
// text, or in attnviz::Error. Then the same bytes as a whole file of the cache, which must count for nothing: no damage gets past
// the checksum, and behind a checksum that is right stands the same block.
#include <attnviz/error.h>
#include <attnviz/token.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "fuzz.h"
#include "pipeline/tokenizer_cache.h"
#include "text/frozen_tokenizer.h"

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

void check_tokens(const attnviz::Tokenizer& tokenizer, const attnviz::TextInput& input) {
  for (const attnviz::Token& token : tokenizer.encode(input)) {
    const std::string& text = token.segment == 0 ? input.text : *input.text2;
    attnviz::fuzz::require(token.begin <= token.end && token.end <= text.size(), "a place outside the text");
    attnviz::fuzz::require(token.id >= 0 && static_cast<std::size_t>(token.id) < tokenizer.n_vocab(), "an id past the vocabulary");
    static_cast<void>(tokenizer.token_text(token.id));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const attnviz::FlatBytes block = attnviz::FlatBytes::of(std::string(bytes));
  const auto tokenize = [&](const attnviz::Tokenizer& tokenizer) {
    const std::string text = text_of(bytes);
    check_tokens(tokenizer, {text, std::nullopt});
    check_tokens(tokenizer, {"a bab [MASK] <x> \u00e9t\u00e9's", text});
    std::string spelled;
    const std::int32_t ids[] = {0, static_cast<std::int32_t>(tokenizer.n_vocab()) - 1};
    if (tokenizer.n_vocab() > 0) tokenizer.decode_after(&spelled, {}, ids);
  };
  try {
    tokenize(*attnviz::open_tokenizer(block, "fuzz"));
  } catch (const attnviz::Error&) {
  }
  attnviz::fuzz::require(attnviz::open_kept_tokenizer(block, "identity", {"fuzz"}) == nullptr, "a file without a checksum counted");
  const std::string kept = attnviz::kept_bytes(block, "fuzz", "identity", {"fuzz"});
  try {
    const auto tokenizer = attnviz::open_kept_tokenizer(attnviz::FlatBytes::of(kept), "identity", {"fuzz"});
    if (tokenizer != nullptr) tokenize(*tokenizer);
  } catch (const attnviz::Error&) {
  }
  return 0;
}

// Any bytes as a frozen tokenizer: opening it gives a tokenizer whose tokens are inside their text, or attnviz::Error. Then the
// same bytes as a file of the cache: without a valid checksum the file must be ignored, and with one it is read as the same block.
#include <attnviz/error.h>
#include <attnviz/token.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz.h"
#include "pipeline/tokenizer_cache.h"
#include "text/frozen_tokenizer.h"
#include "tokenizer_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const attnviz::FlatBytes block = attnviz::FlatBytes::of(std::string(bytes));
  const auto tokenize = [&](const attnviz::Tokenizer& tokenizer) {
    const std::string text = attnviz::fuzz::text_of(bytes);
    attnviz::fuzz::check_tokens(tokenizer, {text, std::nullopt});
    attnviz::fuzz::check_tokens(tokenizer, {"a bab [MASK] <x> \u00e9t\u00e9's", text});
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

// Any bytes as a tokenizer.json: the result must be a tokenizer or attnviz::Error. A tokenizer then encodes the input's tail as
// text, and every token must be inside that text.
#include <attnviz/error.h>
#include <attnviz/token.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/tokenizer/tokenizer_files.h"
#include "text/make_tokenizer.h"
#include "tokenizer_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto tokenizer = attnviz::make_tokenizer(attnviz::parse_tokenizer_json(bytes, "fuzz"));
    const std::string text = attnviz::fuzz::text_of(bytes);
    attnviz::fuzz::check_tokens(*tokenizer, {text, std::nullopt});
    attnviz::fuzz::check_tokens(*tokenizer, {text + " [MASK] \u00e9t\u00e9's", text});
    tokenizer->truncate(tokenizer->encode({text, text}), 3);
  } catch (const attnviz::Error&) {
  }
  return 0;
}

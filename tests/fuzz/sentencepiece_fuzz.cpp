// Any bytes as a SentencePiece .model: read, made into both kinds of tokenizer, and used on a text. The result must be a tokenizer
// whose tokens are inside the text, or attnviz::Error.
#include <attnviz/error.h>
#include <attnviz/token.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "formats/tokenizer/sentencepiece_model.h"
#include "text/make_tokenizer.h"

namespace {

void check(attnviz::TokenizerSpec spec) {
  const attnviz::TextInput input{"The ﬁnal e\u0301 ①\t１２  日本 <0x41>a", std::nullopt};
  const auto tokenizer = attnviz::make_tokenizer(std::move(spec));
  for (const attnviz::Token& token : tokenizer->encode(input)) {
    const bool sound = token.begin <= token.end && token.end <= input.text.size() && token.id >= 0 &&
                       static_cast<std::size_t>(token.id) < tokenizer->n_vocab();
    if (!sound) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto model = attnviz::parse_sentencepiece_model({reinterpret_cast<const char*>(data), size}, "fuzz");
    attnviz::UnigramSpec unigram{.pieces = {}, .unknown_id = 0, .byte_fallback = model.byte_fallback};
    for (const attnviz::SpmPiece& piece : model.pieces) unigram.pieces.push_back({piece.text, static_cast<double>(piece.score)});
    attnviz::TokenizerSpec spec = attnviz::make_spm_tokenizer_spec({.pieces = model.pieces, .bos_id = 0}, "fuzz");
    attnviz::TokenizerSpec other = spec;
    other.normalizers = {};
    if (!model.charsmap.empty()) other.normalizers.emplace_back(attnviz::PrecompiledSpec{model.charsmap});
    other.pre_tokenizers = {attnviz::MetaspaceSpec{}};
    other.model = std::move(unigram);
    try {
      check(std::move(spec));
    } catch (const attnviz::Error&) {
    }
    check(std::move(other));
  } catch (const attnviz::Error&) {
  }
  return 0;
}

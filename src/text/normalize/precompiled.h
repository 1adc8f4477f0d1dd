// SentencePiece's character map ("nmt_nfkc" and its kind), as .model files and tokenizer.json carry it: a Darts double-array trie
// from UTF-8 to places in a block of NUL-ended replacements.
//
//     u32 size of the trie in bytes | trie: u32 units | replacements, each ended by a NUL
//
// It is applied as the tokenizers library does: to each grapheme of fewer than six bytes, or else to each of its characters; the
// shortest entry the grapheme begins with stands for all of it. Tested in tests/unit/text/normalize/precompiled_test.cpp and
// against the reference in tests/parity/tokenizer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/stages.h"

namespace attnviz {

// Every step stays inside the bytes, whatever they are.
class CharsMap {
 public:
  // `bytes` must outlive this. Throws Error(kModel) where they cannot be a map.
  CharsMap(std::string_view bytes, const std::string& where);

  // What stands for a text that begins with an entry, the shortest that there is.
  std::optional<std::string_view> replacement(std::string_view text) const;

 private:
  std::optional<std::uint32_t> unit(std::size_t index) const;

  std::string_view trie_;
  std::string_view replacements_;
};

class PrecompiledNormalizer final : public Normalizer {
 public:
  PrecompiledNormalizer(const PrecompiledSpec& spec, const std::string& where) : map_(spec.charsmap, where) {}
  AlignedText normalize(AlignedText text) const override;

 private:
  bool replace(AlignedView source, AlignedText* out) const;

  CharsMap map_;
};

}  // namespace attnviz

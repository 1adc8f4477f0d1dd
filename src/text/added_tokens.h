// Finds added tokens ("[MASK]") in a text, as the reference tokenizers library does: the leftmost match, the longest there; a match
// that its token's rules refuse is skipped as a whole.
// Tested in tests/unit/text/added_tokens_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/normalize/aligned_text.h"

namespace attnviz {

class AddedTokenFinder {
 public:
  // A stretch of text, or an added token.
  struct Piece {
    CharRange range;
    const AddedTokenSpec* token = nullptr;  // null: ordinary text
  };

  // Finds `token` by `pattern`. `token` must outlive the finder. Of equal patterns the first one counts.
  void add(std::u32string pattern, const AddedTokenSpec* token);

  // The pieces that cover `text`, in order, none empty. `plain` passes over special tokens.
  std::vector<Piece> split(AlignedView text, bool plain) const;

 private:
  using Patterns = std::unordered_map<std::u32string, const AddedTokenSpec*>;
  using Pattern = Patterns::value_type;

  const Pattern* match_at(AlignedView text, std::size_t position) const;

  Patterns patterns_;  // vocabularies list thousands of them ("<unused0>", ...) that begin alike
  std::unordered_map<char32_t, std::set<std::size_t, std::greater<>>> lengths_by_first_;
};

}  // namespace attnviz

// See bert_pre_tokenizer.h.
#include "text/split/bert_pre_tokenizer.h"

#include "text/unicode/unicode.h"

namespace attnviz {
namespace {

bool is_apostrophe(char32_t c) { return c == '\'' || c == 0x2019; }

// A mark belongs to the letter before it (rule WB4).
bool ends_in_word(char32_t c) { return is_word_character(c) && !is_bert_punctuation(c); }

void join_words_at_apostrophes(AlignedView text, std::vector<PreToken>* pieces) {
  for (std::size_t i = 1; i + 1 < pieces->size(); ++i) {
    const CharRange& middle = (*pieces)[i].range;
    if (middle.end - middle.begin != 1 || !is_apostrophe(text[middle.begin].code_point)) continue;
    const CharRange& before = (*pieces)[i - 1].range;
    const CharRange& after = (*pieces)[i + 1].range;
    if (before.end != middle.begin || middle.end != after.begin) continue;
    if (!ends_in_word(text[before.end - 1].code_point) || !is_letter_or_digit(text[after.begin].code_point)) continue;
    (*pieces)[i].continues_word = (*pieces)[i + 1].continues_word = true;
  }
}

}  // namespace

std::vector<PreToken> pre_tokenize_bert(AlignedView normalized) {
  std::vector<PreToken> pieces;
  std::size_t start = 0;
  const auto close = [&](std::size_t end) {
    if (start < end) pieces.push_back({{start, end}});
  };
  for (std::size_t i = 0; i < normalized.size(); ++i) {
    const char32_t c = normalized[i].code_point;
    const bool space = is_white_space(c);
    if (!space && !is_bert_punctuation(c)) continue;
    close(i);
    if (!space) pieces.push_back({{i, i + 1}});
    start = i + 1;
  }
  close(normalized.size());
  join_words_at_apostrophes(normalized, &pieces);
  return pieces;
}

}  // namespace attnviz

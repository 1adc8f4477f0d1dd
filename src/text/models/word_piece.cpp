// See word_piece.h.
#include "text/models/word_piece.h"

#include <attnviz/error.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.h"

namespace attnviz {

std::string WordPiece::freeze(const WordPieceSpec& spec, const std::string& where) {
  FlatWriter out;
  PieceTable::freeze(std::vector<std::string_view>(spec.vocab.begin(), spec.vocab.end()), PieceIndex::Twins::kRefused, where, &out);
  const auto unknown = std::find(spec.vocab.begin(), spec.vocab.end(), spec.unknown);
  if (unknown == spec.vocab.end() || spec.unknown.empty()) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: the unknown token \"{}\" is not in the vocabulary of {} entries; check that the tokenizer files "
                            "belong together",
                            where, spec.unknown, spec.vocab.size()));
  }
  out.number(static_cast<std::int32_t>(unknown - spec.vocab.begin()));
  return out.take();
}

WordPiece::WordPiece(const WordPieceSpec& settings, FlatReader* frozen)
    : settings_(settings), pieces_(frozen), unknown_id_(read_id(pieces_.texts.size(), frozen)) {
  if (unknown_id_ < 0) frozen->fail("there is no unknown token");
}

std::optional<WordPiece::Piece> WordPiece::longest_piece(AlignedView text, CharRange word, std::size_t begin) const {
  std::string candidate = begin > word.begin ? settings_.continuing_prefix : std::string();
  std::vector<std::size_t> ends;  // bytes of the candidate up to and with each character
  for (std::size_t i = begin; i < word.end; ++i) {
    append_utf8(&candidate, text[i].code_point);
    if (candidate.size() > pieces_.index.longest(candidate.front())) break;
    ends.push_back(candidate.size());
  }
  for (std::size_t n = ends.size(); n > 0; --n) {
    const auto id = pieces_.index.find(std::string_view(candidate).substr(0, ends[n - 1]));
    if (id) return Piece{*id, {begin, begin + n}};
  }
  return std::nullopt;
}

void WordPiece::split(AlignedView text, CharRange word, std::vector<Piece>* pieces) const {
  const std::size_t n_before = pieces->size();
  bool covered = word.end - word.begin <= settings_.max_characters_per_word;
  for (std::size_t begin = word.begin; covered && begin < word.end;) {
    const auto piece = longest_piece(text, word, begin);
    covered = piece.has_value();
    if (!covered) break;
    pieces->push_back(*piece);
    begin = piece->range.end;
  }
  if (covered) return;
  pieces->resize(n_before);
  pieces->push_back({unknown_id_, word});
}

}  // namespace attnviz

// See sentencepiece_bpe.h.
#include "text/sentencepiece_bpe.h"

#include <attnviz/error.h>

#include <fmt/format.h>

#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "base/utf8.h"

namespace attnviz {
namespace {

using Type = SpmPiece::Type;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// The texts of the pieces of these types; the others' are empty.
std::vector<std::string_view> texts_of(const std::vector<SpmPiece>& pieces, std::initializer_list<Type> types) {
  std::vector<std::string_view> texts(pieces.size());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    for (const Type type : types) {
      if (pieces[id].type == type) texts[id] = pieces[id].text;
    }
  }
  return texts;
}

// A piece so far: characters [begin, end) of the word; `previous` and `next` are its neighbours' places in the list.
struct Symbol {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t previous = kNone;
  std::size_t next = kNone;
  bool fixed = false;  // a user-defined piece is joined to nothing
};

// Two neighbours that spell a piece.
struct Candidate {
  float score = 0;
  std::size_t left = 0;
  std::size_t right = 0;
  std::size_t begin = 0;  // as they were: a symbol that has grown or gone since makes this one void
  std::size_t end = 0;

  bool operator<(const Candidate& other) const {  // the greatest is joined first
    return std::tuple(score, other.left) < std::tuple(other.score, left);
  }
};

}  // namespace

struct SentencePieceBpe::Merger {
  const SentencePieceBpe& model;
  AlignedView word;
  std::string bytes;
  std::vector<std::size_t> starts;  // [n + 1] bytes
  std::vector<Symbol> symbols;
  std::priority_queue<Candidate> agenda;
  std::unordered_map<std::string_view, std::size_t> split_of_unused;  // characters of the left half of an unused piece

  Merger(const SentencePieceBpe& m, AlignedView w) : model(m), word(w) {
    for (const AlignedChar& c : word) {
      starts.push_back(bytes.size());
      append_utf8(&bytes, c.code_point);
    }
    starts.push_back(bytes.size());
  }

  std::string_view part(std::size_t begin, std::size_t end) const {
    return std::string_view(bytes).substr(starts[begin], starts[end] - starts[begin]);
  }

  // Characters of the longest user-defined piece that begins here, or 0.
  std::size_t user_defined_at(std::size_t begin) const {
    const std::size_t longest = model.user_defined_.longest(static_cast<unsigned char>(bytes[starts[begin]]));
    std::size_t found = 0;
    PieceIndex::Hash hash = PieceIndex::kEmpty;
    for (std::size_t end = begin + 1; end <= word.size() && starts[end] - starts[begin] <= longest; ++end) {
      hash = PieceIndex::extend(hash, part(end - 1, end));
      if (model.user_defined_.find(hash, part(begin, end))) found = end - begin;
    }
    return found;
  }

  void begin_with_characters() {
    for (std::size_t begin = 0; begin < word.size();) {
      const std::size_t fixed = user_defined_at(begin);
      const std::size_t end = begin + (fixed > 0 ? fixed : 1);
      const std::size_t previous = symbols.empty() ? kNone : symbols.size() - 1;
      if (previous != kNone) symbols.back().next = symbols.size();
      symbols.push_back({begin, end, previous, kNone, fixed > 0});
      begin = end;
    }
    for (std::size_t i = 1; i < symbols.size(); ++i) offer(i - 1, i);
  }

  void offer(std::size_t left, std::size_t right) {
    if (left == kNone || right == kNone || symbols[left].fixed || symbols[right].fixed) return;
    const std::size_t begin = symbols[left].begin;
    const std::size_t end = symbols[right].end;
    const std::string_view text = part(begin, end);
    const auto id = model.index_.find(text);
    if (!id) return;
    const SpmPiece& piece = model.spec_.pieces[static_cast<std::size_t>(*id)];
    agenda.push({piece.score, left, right, begin, end});
    if (piece.type == Type::kUnused) split_of_unused[text] = symbols[left].end - begin;
  }

  void join_all() {
    while (!agenda.empty()) {
      const Candidate best = agenda.top();
      agenda.pop();
      Symbol& left = symbols[best.left];
      Symbol& right = symbols[best.right];
      const bool current = left.begin == best.begin && left.end == right.begin && right.end == best.end && left.begin < left.end &&
                           right.begin < right.end;
      if (!current) continue;
      left.end = right.end;
      left.next = right.next;
      if (right.next != kNone) symbols[right.next].previous = best.left;
      right.begin = right.end;
      offer(left.previous, best.left);
      offer(best.left, left.next);
    }
  }

  // An unused piece is taken apart again the way it was joined.
  void append(std::size_t begin, std::size_t end, std::vector<Piece>* pieces) const {
    std::vector<CharRange> open{{begin, end}};
    while (!open.empty()) {
      const CharRange range = open.back();
      open.pop_back();
      const std::string_view text = part(range.begin, range.end);
      const auto id = model.index_.find(text);
      if (!id) {
        append_unknown(range, pieces);
        continue;
      }
      const auto split = split_of_unused.find(text);
      if (model.spec_.pieces[static_cast<std::size_t>(*id)].type == Type::kUnused && split != split_of_unused.end()) {
        open.push_back({range.begin + split->second, range.end});
        open.push_back({range.begin, range.begin + split->second});
      } else {
        pieces->push_back({*id, range, PieceKind::kText});
      }
    }
  }

  void append_unknown(CharRange range, std::vector<Piece>* pieces) const {
    if (model.bytes_.append(word, range, pieces)) return;
    if (!pieces->empty() && pieces->back().kind == PieceKind::kUnknown && pieces->back().range.end == range.begin) {
      pieces->back().range.end = range.end;
    } else {
      pieces->push_back({model.unknown_id_, range, PieceKind::kUnknown});
    }
  }
};

SentencePieceBpe::SentencePieceBpe(const SpmSpec& spec, const std::string& where)
    : spec_(spec),
      index_(texts_of(spec.pieces, {Type::kNormal, Type::kUserDefined, Type::kUnused})),
      user_defined_(texts_of(spec.pieces, {Type::kUserDefined})) {
  const PieceIndex byte_pieces(texts_of(spec.pieces, {Type::kByte}));
  bool all_bytes = true;
  for (int byte = 0; byte < 256; ++byte) {
    const auto value = static_cast<std::uint8_t>(byte);
    const auto id = byte_pieces.find(byte_piece_name(value));
    if (id) bytes_.set(value, *id);
    all_bytes = all_bytes && id;
  }
  for (std::size_t id = 0; id < spec.pieces.size(); ++id) {
    if (spec.pieces[id].type == Type::kUnknown) unknown_id_ = static_cast<std::int32_t>(id);
  }
  if (unknown_id_ < 0 && !all_bytes) {
    throw Error(ErrorKind::kModel, fmt::format("{}: the vocabulary of {} pieces has neither an unknown piece nor all byte pieces; "
                                               "expected one of them; check the file",
                                               where, spec.pieces.size()));
  }
}

void SentencePieceBpe::encode(AlignedView word, std::vector<Piece>* pieces) const {
  Merger merger(*this, word);
  merger.begin_with_characters();
  merger.join_all();
  for (const Symbol& symbol : merger.symbols) {
    if (symbol.begin < symbol.end) merger.append(symbol.begin, symbol.end, pieces);
  }
}

}  // namespace attnviz

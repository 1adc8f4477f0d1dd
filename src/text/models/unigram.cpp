// See unigram.h.
#include "text/models/unigram.h"

#include <attnviz/error.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

constexpr double kUnknownPenalty = 10;

std::vector<std::string_view> texts_of(const std::vector<UnigramPiece>& pieces) {
  std::vector<std::string_view> texts;
  texts.reserve(pieces.size());
  for (const UnigramPiece& piece : pieces) texts.push_back(piece.text);
  return texts;
}

}  // namespace

// A word's bytes, and where each of its characters begins.
struct Unigram::Characters {
  std::string bytes;
  std::vector<std::size_t> starts;  // [n + 1]

  explicit Characters(AlignedView word) {
    starts.reserve(word.size() + 1);
    starts.push_back(0);
    for (const AlignedChar& c : word) {
      append_utf8(&bytes, c.code_point);
      starts.push_back(bytes.size());
    }
  }
  std::string_view part(std::size_t begin, std::size_t end) const {
    return std::string_view(bytes).substr(starts[begin], starts[end] - starts[begin]);
  }
  std::size_t size() const { return starts.size() - 1; }
};

std::string Unigram::freeze(const UnigramSpec& spec, const std::string& where) {
  const auto n = static_cast<std::int64_t>(spec.pieces.size());
  if (spec.unknown_id && (*spec.unknown_id < 0 || *spec.unknown_id >= n)) {
    throw Error(ErrorKind::kModel, fmt::format("{}: the unknown token has the id {}; expected one below the vocabulary's {}; check "
                                               "that the tokenizer files belong together",
                                               where, *spec.unknown_id, n));
  }
  FlatWriter out;
  PieceTable::freeze(texts_of(spec.pieces), PieceIndex::Twins::kLastCounts, where, &out);
  FlatReader reader(out.bytes(), where);
  const ByteFallback bytes = spec.byte_fallback ? ByteFallback::of(PieceTable(&reader).index) : ByteFallback();
  std::vector<double> scores;
  scores.reserve(spec.pieces.size());
  for (const UnigramPiece& piece : spec.pieces) scores.push_back(piece.score);
  out.array(std::span<const double>(scores));
  out.number(scores.empty() ? 0.0 : *std::min_element(scores.begin(), scores.end()) - kUnknownPenalty);
  bytes.freeze(&out);
  return out.take();
}

Unigram::Unigram(const UnigramSpec& settings, const std::string& where, FlatReader* frozen)
    : settings_(settings),
      where_(where),
      table_(frozen),
      scores_(frozen->array<double>()),
      unknown_score_(frozen->number<double>()),
      bytes_(table_.texts.size(), frozen) {
  if (scores_.size() != n_vocab()) frozen->fail("the numbers of scores and pieces differ");
  if (settings.unknown_id && (*settings.unknown_id < 0 || static_cast<std::size_t>(*settings.unknown_id) >= n_vocab())) {
    frozen->fail("the unknown token is past the vocabulary");
  }
}

std::vector<Unigram::Node> Unigram::best_paths(const Characters& text) const {
  std::vector<Node> nodes(text.size() + 1);
  const auto offer = [&](std::size_t begin, std::size_t end, std::int32_t id, double score) {
    const double sum = score + nodes[begin].score;
    if (nodes[end].id < 0 || sum > nodes[end].score) nodes[end] = {sum, begin, id};
  };
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    bool known = false;  // a piece spells this character alone
    const std::size_t longest = table_.index.longest(text.bytes[text.starts[begin]]);
    PieceIndex::Hash hash = PieceIndex::kEmpty;
    for (std::size_t end = begin + 1; end <= text.size() && text.starts[end] - text.starts[begin] <= longest; ++end) {
      hash = PieceIndex::extend(hash, text.part(end - 1, end));
      const auto id = table_.index.find(hash, text.part(begin, end));
      if (!id) continue;
      offer(begin, end, *id, scores_[static_cast<std::size_t>(*id)]);
      known = known || end == begin + 1;
    }
    if (known) continue;
    if (!settings_.unknown_id) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: the vocabulary has no piece for {}, and no unknown token; expected model.unk_id", where_,
                              code_point_name(decode_utf8(text.bytes, text.starts[begin]).code_point)));
    }
    offer(begin, begin + 1, *settings_.unknown_id, unknown_score_);
  }
  return nodes;
}

void Unigram::append_unknown(AlignedView word, CharRange range, const Characters& text, std::vector<Piece>* pieces) const {
  if (const auto id = table_.index.find(text.part(range.begin, range.end))) {
    pieces->push_back({*id, range, *id == settings_.unknown_id ? PieceKind::kUnknown : PieceKind::kText});
  } else if (!settings_.byte_fallback || !bytes_.append(word, range, pieces)) {
    pieces->push_back({*settings_.unknown_id, range, PieceKind::kUnknown});
  }
}

void Unigram::encode(AlignedView word, std::vector<Piece>* pieces) const {
  const Characters text(word);
  const std::vector<Node> nodes = best_paths(text);
  std::vector<Piece> backwards;
  for (std::size_t end = text.size(); end > 0; end = nodes[end].begin) {
    const bool unknown = nodes[end].id == settings_.unknown_id;
    if (unknown && !backwards.empty() && backwards.back().kind == PieceKind::kUnknown) {
      backwards.back().range.begin = nodes[end].begin;
    } else {
      backwards.push_back({nodes[end].id, {nodes[end].begin, end}, unknown ? PieceKind::kUnknown : PieceKind::kText});
    }
  }
  for (auto piece = backwards.rbegin(); piece != backwards.rend(); ++piece) {
    if (piece->kind == PieceKind::kUnknown) {
      append_unknown(word, piece->range, text, pieces);
    } else {
      pieces->push_back(*piece);
    }
  }
}

}  // namespace attnviz

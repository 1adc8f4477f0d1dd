// See sentencepiece_bpe.h. The library keeps the longest user-defined pieces whole and joins nothing across them; so does a text
// cut there, and then a hostile file cannot run its matcher over (it has room for 64 matches at one place).
#include "text/models/sentencepiece_bpe.h"

#include <attnviz/error.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include "base/utf8.h"
#include "text/models/sentencepiece_proto.h"

namespace attnviz {
namespace {

using Type = SpmPiece::Type;

constexpr std::size_t kBytes = 256;
constexpr std::size_t kBitsInWord = 64;
constexpr std::size_t kMaxModelBytes = std::size_t{1} << 30;  // the library counts with 31 bits
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;

// Measured: 0.3 us for a piece of a whole vocabulary; for a text's own pieces 0.5 us for each of its bytes, and 0.1 ms.
constexpr std::size_t kPiecesForAByte = 2;
constexpr std::size_t kBytesForAText = 200;
constexpr std::size_t kLeastLoadedBytes = 1024;

bool is_text_type(Type type) { return type == Type::kNormal || type == Type::kUnused; }
bool is_text(const SpmPiece& piece) { return is_text_type(piece.type); }

// The texts of the pieces that `wanted` holds for; the others' are empty. None at all where there is no such piece.
template <typename Wanted>
std::vector<std::string_view> texts_of(const std::vector<SpmPiece>& pieces, Wanted wanted) {
  std::vector<std::string_view> texts;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (!wanted(pieces[id])) continue;
    texts.resize(pieces.size());
    texts[id] = pieces[id].text;
  }
  return texts;
}

// The characters for which the library can find a piece, one bit each.
std::vector<std::uint64_t> characters_of(const std::vector<SpmPiece>& pieces) {
  std::vector<std::uint64_t> bits;
  for (const SpmPiece& piece : pieces) {
    if (!is_text(piece)) continue;
    for (std::size_t at = 0; at < piece.text.size();) {
      const Utf8Char c = decode_utf8(piece.text, at);
      if (c.length == 0) break;
      const std::size_t word = c.code_point / kBitsInWord;
      if (word >= bits.size()) bits.resize(word + 1);
      bits[word] |= std::uint64_t{1} << c.code_point % kBitsInWord;
      at += c.length;
    }
  }
  return bits;
}

}  // namespace

// The sentencepiece library with a model of some pieces.
class SentencePieceBpe::Library {
 public:
  Library(const SentencePieceBpe& all, std::vector<std::int32_t> ids) : where_(all.where_), ids_(std::move(ids)) {
    std::vector<SpmPiece> pieces;
    pieces.reserve(ids_.size() + 1);
    for (const std::int32_t id : ids_) {
      const auto i = static_cast<std::size_t>(id);
      pieces.push_back({std::string(all.texts_[i]), all.scores_[i], all.types_[i]});
    }
    pieces.push_back({"\xFF", 0, Type::kUnknown});  // the library needs exactly one; it is not UTF-8, so no text contains it
    const std::string model = sentencepiece_proto(ProtoModel::kBpe, pieces);
    if (model.size() > kMaxModelBytes) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: the vocabulary has {} bytes; expected at most {}", where_, model.size(), kMaxModelBytes));
    }
    check(processor_.LoadFromSerializedProto(model));
  }

  // Appends the pieces of `text`, which is not empty: whether it is a run that has no piece, the id, and the byte where it ends.
  template <typename Append>
  void segment(std::string_view text, Append append) const {
    sentencepiece::ImmutableSentencePieceText found;
    check(processor_.Encode(text, found.mutable_proto()));
    for (const auto& piece : found.pieces()) {
      const bool unknown = piece.id() >= ids_.size();
      append(unknown, unknown ? -1 : ids_[piece.id()], piece.end());
    }
  }

 private:
  void check(const sentencepiece::util::Status& status) const {
    if (status.ok()) return;
    throw Error(ErrorKind::kModel, fmt::format("{}: the sentencepiece library refuses the vocabulary: {}; expected a SentencePiece "
                                               "model; get the file again",
                                               where_, status.error_message()));
  }

  std::string where_;
  std::vector<std::int32_t> ids_;  // by the library's own
  sentencepiece::SentencePieceProcessor processor_;
};

// A word's bytes, and where each of its characters begins.
struct SentencePieceBpe::Word {
  AlignedView characters;
  std::string bytes;
  std::vector<std::size_t> starts;  // [n + 1]

  explicit Word(AlignedView word) : characters(word) {
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
  std::size_t size() const { return characters.size(); }
};

std::string SentencePieceBpe::freeze(const SpmSpec& spec, const std::string& where) {
  std::vector<std::string_view> texts;
  std::vector<float> scores;
  std::vector<Type> types;
  std::int32_t unknown_id = -1;
  ByteFallback bytes;
  std::set<std::uint8_t> known_bytes;
  for (const SpmPiece& piece : spec.pieces) {
    const auto id = static_cast<std::int32_t>(texts.size());
    texts.push_back(piece.text);
    scores.push_back(piece.score);
    types.push_back(piece.type);
    if (piece.type == Type::kUnknown) unknown_id = id;
    const auto byte = piece.type == Type::kByte ? byte_of_piece(piece.text) : std::nullopt;
    if (!byte) continue;
    bytes.set(*byte, id);
    known_bytes.insert(*byte);
  }
  if (unknown_id < 0 && known_bytes.size() < kBytes && !spec.drop_unknown) {
    throw Error(ErrorKind::kModel, fmt::format("{}: the vocabulary of {} pieces has neither an unknown piece nor all byte pieces; "
                                               "expected one of them; check the file",
                                               where, spec.pieces.size()));
  }
  FlatWriter out;
  const auto last_counts = PieceIndex::Twins::kLastCounts;
  TextList::freeze(texts, where, &out);
  PieceIndex::freeze(texts_of(spec.pieces, is_text), last_counts, where, &out);
  const auto is_user_defined = [](const SpmPiece& piece) { return piece.type == Type::kUserDefined; };
  PieceIndex::freeze(texts_of(spec.pieces, is_user_defined), last_counts, where, &out);
  out.array(std::span<const float>(scores));
  out.array(std::span<const Type>(types));
  out.array(std::span<const std::uint64_t>(characters_of(spec.pieces)));
  out.number(unknown_id);
  bytes.freeze(&out);
  return out.take();
}

SentencePieceBpe::SentencePieceBpe(const std::string& where, FlatReader* frozen)
    : where_(where),
      texts_(frozen),
      text_pieces_(&texts_, frozen),
      user_defined_(&texts_, frozen),
      scores_(frozen->array<float>()),
      types_(frozen->array<Type>()),
      characters_(frozen->array<std::uint64_t>()),
      unknown_id_(read_id(texts_.size(), frozen)),
      bytes_(texts_.size(), frozen) {
  if (scores_.size() != texts_.size() || types_.size() != texts_.size()) frozen->fail("not every piece has a score and a type");
}

SentencePieceBpe::~SentencePieceBpe() = default;

bool SentencePieceBpe::has_piece(char32_t c) const {
  const std::size_t word = c / kBitsInWord;
  return word < characters_.size() && (characters_[word] >> c % kBitsInWord & 1) != 0;
}

std::vector<std::int32_t> SentencePieceBpe::pieces_of_text() const {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    if (is_text_type(types_[i]) && !texts_[i].empty() && text_pieces_.find(texts_[i]) == id) ids.push_back(id);
  }
  return ids;
}

std::vector<std::int32_t> SentencePieceBpe::pieces_within(std::string_view text) const {
  std::vector<std::int32_t> ids;
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    const std::size_t end = std::min(text.size(), begin + text_pieces_.longest(text[begin]));
    PieceIndex::Hash hash = PieceIndex::kEmpty;
    for (std::size_t i = begin; i < end; ++i) {
      hash = PieceIndex::extend(hash, text.substr(i, 1));
      const auto id = text_pieces_.find(hash, text.substr(begin, i + 1 - begin));
      if (id && is_text_type(types_[static_cast<std::size_t>(*id)])) ids.push_back(*id);
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// The whole vocabulary is loaded once loading the pieces of each text has taken as long as that would.
std::shared_ptr<const SentencePieceBpe::Library> SentencePieceBpe::library_for(std::string_view text) const {
  const std::size_t limit = std::max(texts_.size() / kPiecesForAByte, kLeastLoadedBytes);
  if (n_loaded_.fetch_add(text.size() + kBytesForAText) + text.size() < limit) {
    return std::make_shared<const Library>(*this, pieces_within(text));
  }
  std::call_once(whole_once_, [&] { whole_ = std::make_shared<const Library>(*this, pieces_of_text()); });
  return whole_;
}

// Characters of the longest user-defined piece that begins here, or 0.
std::size_t SentencePieceBpe::user_defined_at(const Word& word, std::size_t begin, std::int32_t* id) const {
  const std::size_t longest = user_defined_.longest(word.bytes[word.starts[begin]]);
  std::size_t found = 0;
  PieceIndex::Hash hash = PieceIndex::kEmpty;
  for (std::size_t end = begin + 1; end <= word.size() && word.starts[end] - word.starts[begin] <= longest; ++end) {
    hash = PieceIndex::extend(hash, word.part(end - 1, end));
    const auto piece = user_defined_.find(hash, word.part(begin, end));
    if (!piece) continue;
    found = end - begin;
    *id = *piece;
  }
  return found;
}

// Where a stretch of characters ends that all have pieces and begin no user-defined one.
std::size_t SentencePieceBpe::end_of_stretch(const Word& word, std::size_t begin) const {
  std::size_t end = begin;
  std::int32_t id = -1;
  while (end < word.size() && has_piece(word.characters[end].code_point) && user_defined_at(word, end, &id) == 0) ++end;
  return end;
}

void SentencePieceBpe::segment(const Word& word, CharRange range, std::vector<Piece>* pieces) const {
  const std::string_view text = word.part(range.begin, range.end);
  if (text.size() > kMaxTextBytes) {
    throw Error(ErrorKind::kInput, fmt::format("text: {} bytes without a break; expected at most {}", text.size(), kMaxTextBytes));
  }
  std::size_t done = range.begin;
  library_for(text)->segment(text, [&](bool unknown, std::int32_t id, std::size_t end_byte) {
    std::size_t end = done;
    while (end < range.end && word.starts[end] < word.starts[range.begin] + end_byte) ++end;
    if (unknown) {
      append_unknown(word.characters, {done, end}, pieces);
    } else {
      pieces->push_back({id, {done, end}, PieceKind::kText});
    }
    done = end;
  });
}

void SentencePieceBpe::append_unknown(AlignedView word, CharRange range, std::vector<Piece>* pieces) const {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (bytes_.append(word, {i, i + 1}, pieces)) continue;
    if (unknown_id_ < 0) continue;
    if (!pieces->empty() && pieces->back().kind == PieceKind::kUnknown && pieces->back().range.end == i) {
      pieces->back().range.end = i + 1;
    } else {
      pieces->push_back({unknown_id_, {i, i + 1}, PieceKind::kUnknown});
    }
  }
}

void SentencePieceBpe::encode(AlignedView characters, std::vector<Piece>* pieces) const {
  const Word word(characters);
  for (std::size_t begin = 0; begin < word.size();) {
    std::int32_t id = -1;
    if (const std::size_t n = user_defined_at(word, begin, &id); n > 0) {
      pieces->push_back({id, {begin, begin + n}, PieceKind::kText});
      begin += n;
    } else if (const std::size_t end = end_of_stretch(word, begin); end > begin) {
      segment(word, {begin, end}, pieces);
      begin = end;
    } else {
      append_unknown(characters, {begin, begin + 1}, pieces);
      ++begin;
    }
  }
}

}  // namespace attnviz

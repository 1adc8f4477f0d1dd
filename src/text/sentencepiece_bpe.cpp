// See sentencepiece_bpe.h. The library keeps the longest user-defined pieces whole and joins nothing across them; so does a text
// cut there, and then a hostile file cannot run its matcher over (it has room for 64 matches at one place).
#include "text/sentencepiece_bpe.h"

#include <attnviz/error.h>

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <set>

#include "base/utf8.h"
#include "text/sentencepiece_proto.h"

namespace attnviz {
namespace {

using Type = SpmPiece::Type;

constexpr std::size_t kBytes = 256;
constexpr std::size_t kCodePoints = 0x110000;
constexpr std::size_t kMaxModelBytes = std::size_t{1} << 30;  // what the library counts with has 31 bits
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;

bool is_text(const SpmPiece& piece) { return piece.type == Type::kNormal || piece.type == Type::kUnused; }

// The texts of the user-defined pieces; the others' are empty. None at all where there is no such piece.
std::vector<std::string_view> user_defined_texts(const std::vector<SpmPiece>& pieces) {
  std::vector<std::string_view> texts;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (pieces[id].type != Type::kUserDefined) continue;
    texts.resize(pieces.size());
    texts[id] = pieces[id].text;
  }
  return texts;
}

// Which characters the library can find a piece for.
std::vector<bool> characters_of(const std::vector<SpmPiece>& pieces) {
  std::vector<bool> characters(kCodePoints, false);
  for (const SpmPiece& piece : pieces) {
    if (!is_text(piece)) continue;
    for (std::size_t at = 0; at < piece.text.size();) {
      const Utf8Char c = decode_utf8(piece.text, at);
      if (c.length == 0) break;
      characters[c.code_point] = true;
      at += c.length;
    }
  }
  return characters;
}

}  // namespace

// The sentencepiece library with one model. Of its pieces those that text cannot become have no text, but keep their ids.
class SentencePieceBpe::Library {
 public:
  Library(const SpmSpec& spec, const std::string& where) : where_(where), unknown_id_(spec.pieces.size()) {
    std::vector<SpmPiece> pieces = spec.pieces;
    const std::vector<std::string_view> texts = [&] {
      std::vector<std::string_view> all(spec.pieces.size());
      for (std::size_t id = 0; id < all.size(); ++id) {
        if (is_text(spec.pieces[id])) all[id] = spec.pieces[id].text;
      }
      return all;
    }();
    const PieceIndex index(texts);
    for (std::size_t id = 0; id < pieces.size(); ++id) {
      if (!texts[id].empty() && index.find(texts[id]) == static_cast<std::int32_t>(id)) continue;
      pieces[id].text = fmt::format("\xFF{}", id);  // no UTF-8, so in no text
      pieces[id].type = Type::kNormal;
    }
    pieces.push_back({"\xFF", 0, Type::kUnknown});  // the library wants exactly one
    const std::string model = sentencepiece_proto(ProtoModel::kBpe, pieces);
    if (model.size() > kMaxModelBytes) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: the vocabulary has {} bytes; expected at most {}", where, model.size(), kMaxModelBytes));
    }
    check(processor_.LoadFromSerializedProto(model));
  }

  // Appends the pieces of `text`, which is not empty: ids (unknown_id for a run that has no piece), and bytes [begin, end).
  template <typename Append>
  void segment(std::string_view text, Append append) const {
    sentencepiece::ImmutableSentencePieceText found;
    check(processor_.Encode(text, found.mutable_proto()));
    for (const auto& piece : found.pieces()) append(piece.id() == unknown_id_, static_cast<std::int32_t>(piece.id()), piece.end());
  }

 private:
  void check(const sentencepiece::util::Status& status) const {
    if (status.ok()) return;
    throw Error(ErrorKind::kModel, fmt::format("{}: the sentencepiece library refuses the vocabulary: {}; expected a SentencePiece "
                                               "model; get the file again",
                                               where_, status.error_message()));
  }

  std::string where_;
  std::size_t unknown_id_;
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

SentencePieceBpe::SentencePieceBpe(const SpmSpec& spec, const std::string& where)
    : spec_(spec),
      where_(where),
      user_defined_(user_defined_texts(spec.pieces)),
      has_piece_(characters_of(spec.pieces)),
      library_(std::make_unique<Library>(spec, where)) {
  std::set<std::uint8_t> bytes;
  for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
    const SpmPiece& piece = spec.pieces[i];
    const auto id = static_cast<std::int32_t>(i);
    if (piece.type == Type::kUnknown) unknown_id_ = id;
    const auto byte = piece.type == Type::kByte ? byte_of_piece(piece.text) : std::nullopt;
    if (!byte) continue;
    bytes_.set(*byte, id);
    bytes.insert(*byte);
  }
  if (unknown_id_ < 0 && bytes.size() < kBytes && !spec.drop_unknown) {
    throw Error(ErrorKind::kModel, fmt::format("{}: the vocabulary of {} pieces has neither an unknown piece nor all byte pieces; "
                                               "expected one of them; check the file",
                                               where, spec.pieces.size()));
  }
}

SentencePieceBpe::~SentencePieceBpe() = default;

// Characters of the longest user-defined piece that begins here, or 0.
std::size_t SentencePieceBpe::user_defined_at(const Word& word, std::size_t begin, std::int32_t* id) const {
  const std::size_t longest = user_defined_.longest(static_cast<unsigned char>(word.bytes[word.starts[begin]]));
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
  while (end < word.size() && has_piece_[word.characters[end].code_point] && user_defined_at(word, end, &id) == 0) ++end;
  return end;
}

void SentencePieceBpe::segment(const Word& word, CharRange range, std::vector<Piece>* pieces) const {
  const std::string_view text = word.part(range.begin, range.end);
  if (text.size() > kMaxTextBytes) {
    throw Error(ErrorKind::kInput, fmt::format("text: {} bytes without a break; expected at most {}", text.size(), kMaxTextBytes));
  }
  std::size_t done = range.begin;
  library_->segment(text, [&](bool unknown, std::int32_t id, std::size_t end_byte) {
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

// See word_piece.h.
#include "text/word_piece.h"

#include <attnviz/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/utf8.h"

namespace attnviz {
namespace {

// FNV-1a over the bytes, folded to 32 bits.
std::uint32_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

}  // namespace

VocabularyIndex::VocabularyIndex(const std::vector<std::string>& vocab, const std::string& where)
    : vocab_(vocab), slots_(std::bit_ceil(vocab.size() * 2 + 2)) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < vocab.size(); ++id) {
    if (vocab[id].empty()) continue;
    const std::uint32_t hash = hash_text(vocab[id]);
    std::size_t place = hash & mask;
    for (; slots_[place].id >= 0; place = (place + 1) & mask) {
      if (slots_[place].hash != hash || vocab[static_cast<std::size_t>(slots_[place].id)] != vocab[id]) continue;
      throw Error(ErrorKind::kModel, fmt::format("{}: \"{}\" is in the vocabulary twice, with the ids {} and {}; expected it once",
                                                 where, vocab[id], slots_[place].id, id));
    }
    slots_[place] = {hash, static_cast<std::int32_t>(id)};
  }
}

std::optional<std::int32_t> VocabularyIndex::find(std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint32_t hash = hash_text(text);
  for (std::size_t place = hash & mask; slots_[place].id >= 0; place = (place + 1) & mask) {
    const Slot& slot = slots_[place];
    if (slot.hash == hash && vocab_[static_cast<std::size_t>(slot.id)] == text) return slot.id;
  }
  return std::nullopt;
}

WordPiece::WordPiece(const WordPieceSpec& spec, const std::string& where) : spec_(spec), index_(spec.vocab, where) {
  const auto unknown = index_.find(spec.unknown);
  if (!unknown) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: the unknown token \"{}\" is not in the vocabulary of {} entries; check that the tokenizer files "
                            "belong together",
                            where, spec.unknown, spec.vocab.size()));
  }
  unknown_id_ = *unknown;
  for (const std::string& entry : spec.vocab) longest_ = std::max(longest_, entry.size());
}

std::optional<WordPiece::Piece> WordPiece::longest_piece(AlignedView text, CharRange word, std::size_t begin) const {
  std::string candidate = begin > word.begin ? spec_.continuing_prefix : std::string();
  std::vector<std::size_t> ends;  // bytes of the candidate up to and with each character
  for (std::size_t i = begin; i < word.end && candidate.size() <= longest_; ++i) {
    append_utf8(&candidate, text[i].code_point);
    ends.push_back(candidate.size());
  }
  for (std::size_t n = ends.size(); n > 0; --n) {
    const auto id = index_.find(std::string_view(candidate).substr(0, ends[n - 1]));
    if (id) return Piece{*id, {begin, begin + n}};
  }
  return std::nullopt;
}

void WordPiece::split(AlignedView text, CharRange word, std::vector<Piece>* pieces) const {
  const std::size_t n_before = pieces->size();
  bool covered = word.end - word.begin <= spec_.max_characters_per_word;
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

// See bpe.h.
#include "text/bpe.h"

#include <attnviz/error.h>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>
#include <queue>
#include <utility>

#include "base/quote.h"
#include "base/utf8.h"
#include "text/word_piece.h"

namespace attnviz {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Merge {
  std::uint32_t rank = 0;
  std::int32_t id = -1;  // of the joined piece
};

// (left, right) -> Merge, one flat table.
class MergeTable {
 public:
  explicit MergeTable(std::size_t n) : slots_(std::bit_ceil(n * 2 + 2)) {}

  void set(std::int32_t left, std::int32_t right, Merge merge) {
    Slot& slot = slots_[place_of(key_of(left, right))];
    slot.key = key_of(left, right);
    slot.merge = merge;  // of equal pairs the last counts, as in the reference
  }

  const Merge* find(std::int32_t left, std::int32_t right) const {
    const Slot& slot = slots_[place_of(key_of(left, right))];
    return slot.merge.id < 0 ? nullptr : &slot.merge;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Merge merge;
  };

  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
  }

  // The slot of the key, or the free one where it belongs.
  std::size_t place_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t hash = key * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
    std::size_t place = hash & mask;
    while (slots_[place].merge.id >= 0 && slots_[place].key != key) place = (place + 1) & mask;
    return place;
  }

  std::vector<Slot> slots_;  // a power of two of them, at most half in use
};

// A piece of the word while it is put together; a list in both directions.
struct Symbol {
  PieceModel::Piece piece;
  std::size_t previous = kNone;
  std::size_t next = kNone;
  bool gone = false;  // part of the one to its left
};

struct Candidate {
  std::uint32_t rank = 0;
  std::size_t left = 0;  // index of a symbol
  std::int32_t id = 0;

  bool operator>(const Candidate& other) const { return std::pair(rank, left) > std::pair(other.rank, other.left); }
};

class BpeModel final : public PieceModel {
 public:
  BpeModel(const BpeSpec& spec, const std::string& where)
      : spec_(spec), where_(where), index_(spec.vocab, where), merges_(spec.merges.size()) {
    for (std::size_t rank = 0; rank < spec.merges.size(); ++rank) add_merge(spec.merges[rank], rank);
    if (spec.unknown) {
      unknown_id_ = index_.find(*spec.unknown);
      if (!unknown_id_) {
        fail(fmt::format("the unknown token {} is not in the vocabulary of {} entries", quote_text(*spec.unknown),
                         spec.vocab.size()));
      }
    }
    if (spec.byte_fallback) {
      for (int byte = 0; byte < 256; ++byte) {
        byte_ids_[static_cast<std::size_t>(byte)] = index_.find(fmt::format("<0x{:02X}>", byte)).value_or(-1);
      }
    }
  }

  void encode(AlignedView word, std::vector<Piece>* pieces) const override {
    if (spec_.ignore_merges) {
      std::string whole;
      for (const AlignedChar& c : word) append_utf8(&whole, c.code_point);
      if (const auto id = index_.find(whole)) {
        pieces->push_back({*id, {0, word.size()}});
        return;
      }
    }
    std::vector<Symbol> symbols = first_symbols(word);
    join(&symbols);
    for (const Symbol& symbol : symbols) {
      if (!symbol.gone) pieces->push_back(symbol.piece);
    }
  }

  std::size_t n_vocab() const override { return spec_.vocab.size(); }
  std::string_view spelling(std::int32_t id) const override { return spec_.vocab[static_cast<std::size_t>(id)]; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kModel, fmt::format("{}: {}; check that the tokenizer files belong together", where_, what));
  }

  void add_merge(const BpeMerge& merge, std::size_t rank) {
    const std::string_view pair = merge.pair;
    if (merge.left > pair.size()) fail(fmt::format("merge {}: is not a pair", rank));
    const std::string_view left = pair.substr(0, merge.left);
    const std::string_view right = pair.substr(merge.left);
    const auto id_of = [&](std::string_view text) {
      const auto id = index_.find(text);
      if (id) return *id;
      fail(fmt::format("merge {} ({} and {}): {} is not in the vocabulary of {} entries", rank, quote_text(left, 40),
                       quote_text(right, 40), quote_text(text, 40), spec_.vocab.size()));
    };
    const std::size_t prefix = spec_.continuing_prefix.size();
    const std::int32_t left_id = id_of(left);
    const std::int32_t right_id = id_of(right);
    const std::int32_t id =
        prefix == 0 ? id_of(pair) : id_of(std::string(left).append(right.substr(std::min(prefix, right.size()))));
    merges_.set(left_id, right_id, {static_cast<std::uint32_t>(rank), id});
  }

  // One symbol a character, or what stands for a character that the vocabulary lacks.
  std::vector<Symbol> first_symbols(AlignedView word) const {
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    Piece unknown{0, {}, PieceKind::kUnknown};  // not added yet, for it may grow; empty: there is none
    const auto flush = [&] {
      if (unknown.range.begin < unknown.range.end) symbols.push_back({unknown});
      unknown.range = {};
    };
    std::string text;
    for (std::size_t i = 0; i < word.size(); ++i) {
      text = i > 0 ? spec_.continuing_prefix : std::string();
      append_utf8(&text, word[i].code_point);
      if (i + 1 == word.size()) text += spec_.end_of_word_suffix;
      if (const auto id = index_.find(text)) {
        flush();
        symbols.push_back({{*id, {i, i + 1}}});
      } else if (has_all_bytes(text)) {
        // An unknown character before stays behind: so does the reference's.
        for (const char byte : text) {
          symbols.push_back({{byte_ids_[static_cast<unsigned char>(byte)], {i, i + 1}, PieceKind::kByte}});
        }
      } else if (unknown_id_) {
        if (!spec_.fuse_unknown) flush();
        if (unknown.range.end == 0) unknown = {*unknown_id_, {i, i}, PieceKind::kUnknown};
        unknown.range.end = i + 1;
      }
    }
    flush();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      symbols[i].previous = i == 0 ? kNone : i - 1;
      symbols[i].next = i + 1 == symbols.size() ? kNone : i + 1;
    }
    return symbols;
  }

  bool has_all_bytes(std::string_view text) const {
    if (!spec_.byte_fallback) return false;
    for (const char byte : text) {
      if (byte_ids_[static_cast<unsigned char>(byte)] < 0) return false;
    }
    return true;
  }

  void join(std::vector<Symbol>* all) const {
    std::vector<Symbol>& symbols = *all;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    const auto offer = [&](std::size_t left) {
      if (left == kNone || symbols[left].next == kNone) return;
      if (const Merge* merge = merges_.find(symbols[left].piece.id, symbols[symbols[left].next].piece.id)) {
        queue.push({merge->rank, left, merge->id});
      }
    };
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) offer(i);
    while (!queue.empty()) {
      const Candidate best = queue.top();
      queue.pop();
      Symbol& left = symbols[best.left];
      if (left.gone || left.next == kNone) continue;
      Symbol& right = symbols[left.next];
      const Merge* merge = merges_.find(left.piece.id, right.piece.id);
      if (merge == nullptr || merge->id != best.id) continue;  // one of the two has changed since
      left.piece = {best.id, {left.piece.range.begin, right.piece.range.end}, PieceKind::kText};
      right.gone = true;
      left.next = right.next;
      if (left.next != kNone) symbols[left.next].previous = best.left;
      offer(left.previous);
      offer(best.left);
    }
  }

  const BpeSpec& spec_;
  std::string where_;
  VocabularyIndex index_;
  MergeTable merges_;
  std::optional<std::int32_t> unknown_id_;
  std::array<std::int32_t, 256> byte_ids_{};
};

}  // namespace

std::unique_ptr<PieceModel> make_bpe(const BpeSpec& spec, const std::string& where) {
  return std::make_unique<BpeModel>(spec, where);
}

}  // namespace attnviz

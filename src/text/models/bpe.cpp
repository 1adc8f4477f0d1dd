// See bpe.h.
#include "text/models/bpe.h"

#include <attnviz/error.h>

#include <algorithm>
#include <queue>
#include <utility>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "text/models/byte_fallback.h"
#include "text/models/merge_table.h"
#include "text/models/piece_table.h"

namespace attnviz {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The merges of a spec as ids.
class MergeReader {
 public:
  MergeReader(const BpeSpec& spec, const std::string& where, const PieceIndex& index) : spec_(spec), where_(where), index_(index) {}

  std::vector<Merge> read() const {
    std::vector<Merge> merges;
    merges.reserve(spec_.merges.size());
    for (std::size_t rank = 0; rank < spec_.merges.size(); ++rank) merges.push_back(read_merge(spec_.merges[rank], rank));
    return merges;
  }

  std::int32_t unknown_id() const {
    if (!spec_.unknown) return -1;
    if (const auto id = index_.find(*spec_.unknown)) return *id;
    fail(
        fmt::format("the unknown token {} is not in the vocabulary of {} entries", quote_text(*spec_.unknown), spec_.vocab.size()));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kModel, fmt::format("{}: {}; check that the tokenizer files belong together", where_, what));
  }

  Merge read_merge(const BpeMerge& merge, std::size_t rank) const {
    const std::string_view pair = merge.pair;
    if (merge.left > pair.size()) fail(fmt::format("merge {}: is not a pair", rank));
    const std::string_view left = pair.substr(0, merge.left);
    const std::string_view right = pair.substr(merge.left);
    const auto id_of = [&](std::string_view text) {
      const auto id = index_.find(text);
      if (id) return static_cast<std::uint32_t>(*id);
      fail(fmt::format("merge {} ({} and {}): {} is not in the vocabulary of {} entries", rank, quote_text(left, 40),
                       quote_text(right, 40), quote_text(text, 40), spec_.vocab.size()));
    };
    const std::size_t prefix = spec_.continuing_prefix.size();
    const std::uint32_t left_id = id_of(left);
    const std::uint32_t right_id = id_of(right);
    const std::uint32_t id =
        prefix == 0 ? id_of(pair) : id_of(std::string(left).append(right.substr(std::min(prefix, right.size()))));
    return {left_id, right_id, static_cast<std::uint32_t>(rank), id};
  }

  const BpeSpec& spec_;
  const std::string& where_;
  const PieceIndex& index_;
};

// A piece of the word while its pieces are merged; a list in both directions.
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
  BpeModel(const BpeSpec& settings, FlatReader* frozen)
      : spec_(settings),
        table_(frozen),
        merges_(table_.texts.size(), frozen),
        unknown_id_(read_id(table_.texts.size(), frozen)),
        bytes_(table_.texts.size(), frozen) {}

  void encode(AlignedView word, std::vector<Piece>* pieces) const override {
    if (spec_.ignore_merges) {
      std::string whole;
      for (const AlignedChar& c : word) append_utf8(&whole, c.code_point);
      if (const auto id = table_.index.find(whole)) {
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

  std::size_t n_vocab() const override { return table_.texts.size(); }
  std::string_view spelling(std::int32_t id) const override { return table_.texts[static_cast<std::size_t>(id)]; }

 private:
  // One symbol per character, or a substitute for a character that the vocabulary lacks.
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
      if (const auto id = table_.index.find(text)) {
        flush();
        symbols.push_back({{*id, {i, i + 1}}});
      } else if (has_all_bytes(text)) {
        // An earlier unknown character stays in place, as in the reference.
        for (const char byte : text) {
          symbols.push_back({{bytes_[static_cast<std::uint8_t>(byte)], {i, i + 1}, PieceKind::kByte}});
        }
      } else if (unknown_id_ >= 0) {
        if (!spec_.fuse_unknown) flush();
        if (unknown.range.end == 0) unknown = {unknown_id_, {i, i}, PieceKind::kUnknown};
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
      if (bytes_[static_cast<std::uint8_t>(byte)] < 0) return false;
    }
    return true;
  }

  void join(std::vector<Symbol>* all) const {
    std::vector<Symbol>& symbols = *all;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    const auto offer = [&](std::size_t left) {
      if (left == kNone || symbols[left].next == kNone) return;
      if (const Merge* merge = merges_.find(symbols[left].piece.id, symbols[symbols[left].next].piece.id)) {
        queue.push({merge->rank, left, static_cast<std::int32_t>(merge->id)});
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
      if (merge == nullptr || static_cast<std::int32_t>(merge->id) != best.id) continue;  // one of the two has changed since
      left.piece = {best.id, {left.piece.range.begin, right.piece.range.end}, PieceKind::kText};
      right.gone = true;
      left.next = right.next;
      if (left.next != kNone) symbols[left.next].previous = best.left;
      offer(left.previous);
      offer(best.left);
    }
  }

  const BpeSpec& spec_;  // without its vocabulary and merges
  PieceTable table_;
  MergeTable merges_;
  std::int32_t unknown_id_;  // -1: there is none
  ByteFallback bytes_;
};

}  // namespace

std::string freeze_bpe(const BpeSpec& spec, const std::string& where) {
  FlatWriter out;
  PieceTable::freeze(std::vector<std::string_view>(spec.vocab.begin(), spec.vocab.end()), PieceIndex::Twins::kRefused, where, &out);
  FlatReader reader(out.bytes(), where);
  const PieceTable table(&reader);  // of use until more is written
  const MergeReader merge_reader(spec, where, table.index);
  const std::vector<Merge> merges = merge_reader.read();
  const std::int32_t unknown_id = merge_reader.unknown_id();
  const ByteFallback bytes = spec.byte_fallback ? ByteFallback::of(table.index) : ByteFallback();
  MergeTable::freeze(merges, &out);
  out.number(unknown_id);
  bytes.freeze(&out);
  return out.take();
}

std::unique_ptr<PieceModel> open_bpe(const BpeSpec& settings, FlatReader* frozen) {
  return std::make_unique<BpeModel>(settings, frozen);
}

}  // namespace attnviz

// The result of a run: tokens, attention maps, and where they come from. Every exporter of maps takes a Trace.
#pragma once

#include <attnviz/provenance.h>
#include <attnviz/site.h>
#include <attnviz/token.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnviz {

// Tokens [begin, end) of a text.
struct TokenSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
  bool operator==(const TokenSpan&) const = default;
};

// The cells of a map from the tokens of one word to those of another.
struct LinkSpan {
  TokenSpan query;  // rows
  TokenSpan key;    // columns
  bool operator==(const LinkSpan&) const = default;
};

// What a user marks in a map, as rows and columns of its trace.
struct Marks {
  std::optional<TokenSpan> row{};  // the query that a view of one query shows
  std::vector<LinkSpan> links{};   // links to point out
  bool empty() const { return !row && links.empty(); }
};

enum class PoolBy : std::uint8_t { kMax, kMean };

std::string_view pool_by_name(PoolBy by);  // "max", "mean"

// Each cell of a map stands for a tile of rows x columns tokens (fewer in the last row and column).
struct Pool {
  std::size_t rows = 1;
  std::size_t columns = 1;
  PoolBy by = PoolBy::kMax;
};

enum class ReduceBy : std::uint8_t { kMean, kMax };

std::string_view reduce_by_name(ReduceBy by);  // "mean", "max"

// Each map combines several: all heads of its layer, one head in all layers, or all of both.
struct Reduction {
  ReduceBy by = ReduceBy::kMean;
  bool over_layers = false;           // a map's `layer` is then the first of `layers`
  bool over_heads = false;            // a map's `head` is then the first of `heads`
  std::vector<std::size_t> layers{};  // of the combined maps, sorted
  std::vector<std::size_t> heads{};
};

// Does not zero elements that are created without a value. For arrays of several megabytes that are then overwritten completely.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  UnsetAllocator() = default;
  template <class U>
  UnsetAllocator(const UnsetAllocator<U>&) noexcept {}  // NOLINT: allocators convert
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

using WeightArray = std::vector<float, UnsetAllocator<float>>;

inline bool operator==(const WeightArray& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

struct AttentionMap {
  Site site = Site::kSelf;
  std::size_t layer = 0;
  std::size_t head = 0;
  std::size_t n_query = 0;  // Tq
  std::size_t n_key = 0;    // Tk
  WeightArray pattern;      // [Tq, Tk]; a row sums to 1, or is all zero where nothing may be attended to

  // [Tq], or empty unless requested: ln of the sum of exp(score) over a row's keys. For a weight above 0, the score before softmax
  // is ln(weight) + log_sums[query_pos].
  std::vector<float> log_sums{};

  float at(std::size_t query_pos, std::size_t key_pos) const { return pattern[query_pos * n_key + key_pos]; }
};

// The meaning of the numbers in maps, pictures and table columns: how captions name them, and how they are drawn.
struct ValueInfo {
  std::string name = "attention weight";  // singular, lower case: "norm-weighted attention weight", "change"
  std::string unit{};                     // "nats"; empty for shares and counts
  bool is_signed = false;                 // numbers below 0 mean something: scales are symmetric about 0 and colours diverge there
  int decimals = 2;                       // of a number in a cell

  std::string caption() const { return unit.empty() ? name : name + " (" + unit + ")"; }

  // For remarks: "each cell is the largest of 2 x 2 weights", "8% of all weight".
  bool is_weight() const { return name.ends_with("weight"); }
  std::string noun() const { return is_weight() ? "weight" : name; }
  std::string plural() const { return is_weight() ? "weights" : "values"; }
};

struct ModelInfo {
  std::string name;    // "minilm-l6", or the folder's name
  std::string family;  // "bert"
  std::size_t n_layer = 0;
  std::size_t n_head = 0;
};

struct Trace {
  ModelInfo model;
  std::vector<std::string> texts;      // one, or two for a pair; none if the maps come from a file without texts
  std::vector<Token> queries;          // [Tq]
  std::vector<Token> keys;             // [Tk]; equal to queries for self-attention
  std::vector<AttentionMap> maps;      // by layer, then head
  ValueInfo value{};                   // what the numbers of `maps` are
  std::optional<Pool> pool{};          // cells are tiles; queries and keys hold the first token of each
  std::optional<Reduction> reduced{};  // maps stand for several layers or heads
  std::string focus{};                 // the word whose rows these are; empty: no word in particular
  bool words_merged = false;           // tokens are words; they were pieces before
  bool special_hidden = false;         // special tokens were left out, so rows need not sum to 1
  std::vector<std::string> notes;      // for people: what was done to the maps since the run. No code reads them.
  Provenance provenance{};             // the command that made it
};

// The notes that merging words and hiding special tokens add. Documents of schema attnviz.attention/1 record these steps only as
// notes, so their reader (formats/maps/attention_document.cpp) sets the flags from these exact words. No other code compares notes.
inline constexpr std::string_view kWordsMergedNote = "pieces merged into words";
inline constexpr std::string_view kSpecialHiddenNote = "special tokens hidden";

}  // namespace attnviz

// Interventions: what a run changes about a model while it computes. A run without edits gives the same bits as ever.
//
// An edit names layers and heads as maps do, by site, layer and head, counted from 0. The reference for each edit is a forward hook
// in PyTorch (tests/reference/edit_cases.py; tests/parity/edits_test.cpp).
#pragma once

#include <attnviz/site.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attnviz {

// Changes one head's context z [T, K] before the output projection. This is the last point where heads are separate: the output
// projection sums over them.
struct HeadEdit {
  std::size_t layer = 0;
  std::size_t head = 0;
  float factor = 0;                  // z = factor * z, for every row of the text
  std::vector<float> replacement{};  // [K]: z = replacement instead, for every row; empty: the factor applies
  Site site = Site::kSelf;
};

// A query and a key by their positions in their texts.
struct TokenPair {
  std::size_t query_pos = 0;
  std::size_t key_pos = 0;
};

// Pairs that may not attend ("attention knockout", Geva et al. 2023): their scores become minus infinity after any soft cap and
// bias, so their weights are exactly 0 and the rest of the row is renormalised by the softmax.
struct PairCut {
  std::vector<std::size_t> layers{};  // empty: every layer of the site; the run must start at layer 0
  std::vector<std::size_t> heads{};   // empty: every head
  std::vector<TokenPair> pairs{};
  Site site = Site::kSelf;
};

enum class Block : std::uint8_t { kAttention, kFeedForward };

// A block that adds nothing to the stream. A norm over the sum of stream and block (post-norm models) still applies. For
// Site::kCross, kAttention is the cross-attention; a decoder's feed-forward has the site kDecoder.
struct BlockEdit {
  std::size_t layer = 0;
  Block block = Block::kAttention;
  Site site = Site::kSelf;
};

struct Edits {
  std::vector<HeadEdit> heads{};
  std::vector<PairCut> cuts{};
  std::vector<BlockEdit> left_out{};

  bool empty() const { return heads.empty() && cuts.empty() && left_out.empty(); }
};

}  // namespace attnviz

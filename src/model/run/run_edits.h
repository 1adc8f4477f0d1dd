// Applies the edits of a run (attnviz/edits.h) where the forward pass passes by: heads' contexts, scores of cut pairs, blocks that
// add nothing. Tested in tests/parity/edits_test.cpp against the reference with hooks.
#pragma once

#include <attnviz/edits.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ops/attention.h"

namespace attnviz {

class RunEdits {
 public:
  // `edits`: none, one for all texts, or one for each of the texts whose rows `offsets` [B + 1] gives. The first row of every text
  // is at position n_past.
  RunEdits(std::span<const Edits> edits, std::span<const std::size_t> offsets, std::size_t n_past)
      : edits_(edits), offsets_(offsets), n_past_(n_past) {}

  bool empty() const { return edits_.empty(); }

  // Changes z [sum T, heads * K] of the heads that are edited there.
  void edit_context(Site site, std::size_t layer, std::span<const std::size_t> heads, std::size_t d_head, HeadRows<float> z) const;

  // The term that cuts pairs there; null where nothing is cut. `this` must outlive it.
  std::unique_ptr<ScoreTerm> cuts(Site site, std::size_t layer) const;

  // Sets y [sum T, d_model], what a block adds, to zero for the texts that leave it out.
  void leave_out(const BlockEdit& block, std::size_t d_model, float* y) const;

  const Edits& of_text(std::size_t text) const { return edits_.size() == 1 ? edits_.front() : edits_[text]; }
  std::size_t n_past() const { return n_past_; }

 private:
  std::span<const Edits> edits_;
  std::span<const std::size_t> offsets_;
  std::size_t n_past_;
};

}  // namespace attnviz

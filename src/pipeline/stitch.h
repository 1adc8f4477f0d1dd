// Maps of a growing text: the rows of every step, each over the keys that existed then, stitched into one lower-triangular map.
//
// Row q of a map has q + 1 weights; nothing is kept for later keys. Once the text is complete, the rows are shown to another tap as
// if the text had been run at once. Tested in tests/unit/pipeline/stitch_test.cpp and tests/property/generation_property_test.cpp.
#pragma once

#include <attnviz/request.h>

#include <cstddef>
#include <vector>

namespace attnviz {

class StitchTap final : public Tap {
 public:
  // Room for texts of `capacity` tokens; `request` must outlive the tap.
  StitchTap(const Request& request, std::size_t capacity);

  // Weights that such a tap would hold.
  static std::size_t n_weights(const Request& request, std::size_t capacity);

  bool wants(TapKind kind) const override { return kind == TapKind::kPattern; }
  void on_block(const TapBlock& block) override;  // of the text's only sequence; a row shown again replaces the earlier one

  // All rows, each of n_tokens columns, zeros after its own; in blocks, by layer, then head.
  void replay(std::size_t n_tokens, Tap& tap) const;

 private:
  const Request& request_;
  std::vector<std::vector<float>> maps_;  // [layer place * n heads + head place]: rows of 1, 2, 3, ... weights
};

}  // namespace attnviz

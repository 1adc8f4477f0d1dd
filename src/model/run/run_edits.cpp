// See run_edits.h.
#include "model/run/run_edits.h"

#include <algorithm>
#include <limits>

namespace attnviz {
namespace {

// An empty list of layers or heads stands for all of them.
bool names(const std::vector<std::size_t>& list, std::size_t index) {
  return list.empty() || std::find(list.begin(), list.end(), index) != list.end();
}

class PairCuts final : public ScoreTerm {
 public:
  PairCuts(const RunEdits& edits, Site site, std::size_t layer) : edits_(edits), site_(site), layer_(layer) {}

  void add(const AttentionArgs& args, const ScoreBlock& block) const override {
    const std::size_t head = args.heads[block.head_place];
    const std::size_t first_pos = edits_.n_past() + block.query_begin;
    for (const PairCut& cut : edits_.of_text(block.sequence).cuts) {
      if (cut.site != site_ || !names(cut.layers, layer_) || !names(cut.heads, head)) continue;
      for (const TokenPair& pair : cut.pairs) {
        if (pair.query_pos < first_pos || pair.query_pos >= first_pos + block.n_queries) continue;
        block.rows[(pair.query_pos - first_pos) * block.row_stride + pair.key_pos] = -std::numeric_limits<float>::infinity();
      }
    }
  }

 private:
  const RunEdits& edits_;
  Site site_;
  std::size_t layer_;
};

}  // namespace

void RunEdits::edit_context(Site site, std::size_t layer, std::span<const std::size_t> heads, std::size_t d_head,
                            HeadRows<float> z) const {
  for (std::size_t text = 0; !edits_.empty() && text + 1 < offsets_.size(); ++text) {
    for (const HeadEdit& edit : of_text(text).heads) {
      const auto place = std::find(heads.begin(), heads.end(), edit.head);
      if (edit.site != site || edit.layer != layer || place == heads.end()) continue;
      float* rows = z.data + static_cast<std::size_t>(place - heads.begin()) * d_head;
      for (std::size_t row = offsets_[text]; row < offsets_[text + 1]; ++row) {
        float* context = rows + row * z.stride;
        if (edit.replacement.empty()) {
          std::transform(context, context + d_head, context, [&](float value) { return edit.factor * value; });
        } else {
          std::copy(edit.replacement.begin(), edit.replacement.end(), context);
        }
      }
    }
  }
}

std::unique_ptr<ScoreTerm> RunEdits::cuts(Site site, std::size_t layer) const {
  const bool any = std::any_of(edits_.begin(), edits_.end(), [&](const Edits& edits) {
    return std::any_of(edits.cuts.begin(), edits.cuts.end(),
                       [&](const PairCut& cut) { return cut.site == site && names(cut.layers, layer) && !cut.pairs.empty(); });
  });
  return any ? std::make_unique<PairCuts>(*this, site, layer) : nullptr;
}

void RunEdits::leave_out(const BlockEdit& block, std::size_t d_model, float* y) const {
  for (std::size_t text = 0; !edits_.empty() && text + 1 < offsets_.size(); ++text) {
    const std::vector<BlockEdit>& left_out = of_text(text).left_out;
    const bool is_left_out = std::any_of(left_out.begin(), left_out.end(), [&](const BlockEdit& edit) {
      return edit.site == block.site && edit.layer == block.layer && edit.block == block.block;
    });
    if (is_left_out) std::fill(y + offsets_[text] * d_model, y + offsets_[text + 1] * d_model, 0.0F);
  }
}

}  // namespace attnviz

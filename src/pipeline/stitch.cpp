// See stitch.h.
#include "pipeline/stitch.h"

#include <algorithm>

#include "pipeline/taps.h"

namespace attnviz {
namespace {

constexpr std::size_t kReplayRows = 32;

std::size_t row_place(std::size_t row) { return row * (row + 1) / 2; }

}  // namespace

StitchTap::StitchTap(const Request& request, std::size_t capacity)
    : request_(request), maps_(request.layers.size() * request.heads.size(), std::vector<float>(row_place(capacity))) {}

std::size_t StitchTap::n_weights(const Request& request, std::size_t capacity) {
  return request.layers.size() * request.heads.size() * row_place(capacity);
}

void StitchTap::on_block(const TapBlock& block) {
  const std::size_t map = map_place(request_, block);
  for (std::size_t r = 0; r < block.n_rows; ++r) {
    const std::size_t row = block.row_begin + r;
    std::copy_n(block.row(r).begin(), row + 1, maps_[map].begin() + static_cast<std::ptrdiff_t>(row_place(row)));
  }
}

void StitchTap::replay(std::size_t n_tokens, Tap& tap) const {
  std::vector<float> rows(kReplayRows * n_tokens);
  for (std::size_t map = 0; map < maps_.size(); ++map) {
    TapBlock block{TapKind::kPattern,
                   0,
                   request_.layers[map / request_.heads.size()],
                   request_.heads[map % request_.heads.size()],
                   0,
                   0,
                   n_tokens,
                   rows.data(),
                   n_tokens};
    for (; block.row_begin < n_tokens; block.row_begin += block.n_rows) {
      block.n_rows = std::min(kReplayRows, n_tokens - block.row_begin);
      std::fill(rows.begin(), rows.end(), 0.0F);
      for (std::size_t r = 0; r < block.n_rows; ++r) {
        const std::size_t row = block.row_begin + r;
        std::copy_n(maps_[map].begin() + static_cast<std::ptrdiff_t>(row_place(row)), row + 1,
                    rows.begin() + static_cast<std::ptrdiff_t>(r * n_tokens));
      }
      tap.on_block(block);
    }
  }
}

}  // namespace attnviz

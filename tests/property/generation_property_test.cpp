// Laws of texts that grow: in whatever pieces a text comes, its maps are those of the whole text, and nothing that comes later
// changes what was seen before. On random decoders of random shapes; real families are in tests/parity/generation_test.cpp.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check.h"
#include "model/model.h"
#include "model/run/kv_cache.h"
#include "parity/golden.h"
#include "parity/keep_tap.h"
#include "pipeline/stitch.h"
#include "unit/model/memory_weights.h"

namespace attnviz {
namespace {

constexpr double kTolerance = 1e-5;  // a step sums in another order than a whole run

std::unique_ptr<Model> any_decoder() {
  const std::size_t n_kv_head = any_size(1, 2);
  const std::size_t n_head = n_kv_head * any_size(1, 3);
  const std::size_t d_head = 2 * any_size(1, 4);
  const std::string config = fmt::format(
      R"({{"model_type": "mistral", "vocab_size": 17, "hidden_size": {}, "num_hidden_layers": {}, "num_attention_heads": {},
          "num_key_value_heads": {}, "head_dim": {}, "intermediate_size": {}, "max_position_embeddings": 64, "sliding_window": {}}})",
      any_size(3, 12), any_size(1, 3), n_head, n_kv_head, d_head, any_size(3, 12), any_size(1, 12));
  return make_model(config, "config.json", random_weights(config, "model."));
}

std::vector<std::int32_t> any_text(std::size_t n) {
  std::vector<std::int32_t> ids(n);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(any_size(0, 16));
  return ids;
}

TokenBatch batch_of(const std::vector<std::int32_t>& ids) {
  TokenBatch batch;
  batch.ids = ids;
  batch.segments.assign(ids.size(), 0);
  batch.offsets.push_back(ids.size());
  return batch;
}

TEST(GenerationLaws, StitchedMapsAreThoseOfTheWholeText) {
  check("stitched = whole", [] {
    const std::unique_ptr<Model> model = any_decoder();
    const std::vector<std::int32_t> ids = any_text(any_size(1, 20));
    const Request request = everything(model->config());
    ThreadPool pool(2);
    KvCache cache(model->config(), ids.size());
    StitchTap stitch(request, ids.size());
    Tap* const stitch_taps[] = {&stitch};
    for (std::size_t begin = 0; begin < ids.size();) {
      const std::size_t n = any_size(1, ids.size() - begin);
      model->extend(pool, cache, std::span(ids).subspan(begin, n), request, stitch_taps);
      begin += n;
    }
    RC_ASSERT(cache.n_tokens() == ids.size());
    KeepTap grown{TapKind::kPattern};
    stitch.replay(ids.size(), grown);
    KeepTap whole{TapKind::kPattern};
    Tap* const taps[] = {&whole};
    model->run(pool, batch_of(ids), request, taps);
    RC_ASSERT(grown.all().size() == whole.all().size());
    for (const auto& [key, matrix] : whole.all()) {
      const KeptMatrix& other = grown.all().at(key);
      for (std::size_t i = 0; i < matrix.values.size(); ++i) {
        RC_ASSERT(std::abs(static_cast<double>(matrix.values[i]) - static_cast<double>(other.values[i])) <= kTolerance);
        if (matrix.values[i] == 0.0F) {  // outside of the mask, exactly
          RC_ASSERT(other.values[i] == 0.0F);
        }
      }
    }
  });
}

TEST(GenerationLaws, WhatComesLaterChangesNothingBefore) {
  check("a prefix stays", [] {
    const std::unique_ptr<Model> model = any_decoder();
    const std::vector<std::int32_t> ids = any_text(any_size(2, 20));
    const std::size_t n_first = any_size(1, ids.size() - 1);
    const Request request = everything(model->config());
    ThreadPool pool(1);
    const std::vector<std::int32_t> first(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(n_first));
    KeepTap before{TapKind::kPattern};
    KeepTap after{TapKind::kPattern};
    Tap* const before_taps[] = {&before};
    Tap* const after_taps[] = {&after};
    model->run(pool, batch_of(first), request, before_taps);
    model->run(pool, batch_of(ids), request, after_taps);
    for (const auto& [key, matrix] : before.all()) {
      for (std::size_t row = 0; row < n_first; ++row) {
        for (std::size_t column = 0; column < n_first; ++column) {
          RC_ASSERT(matrix.at(row, column) == after.all().at(key).at(row, column));
        }
      }
    }
  });
}

}  // namespace
}  // namespace attnviz

// Reads the edited runs that tests/reference/edited_runs.py made, and compares what a run shows with them.
//
// A file holds the runs' edits as rows of numbers and their values end to end, so a test repeats no edit by hand.
#pragma once

#include <attnviz/edits.h>
#include <attnviz/model_config.h>
#include <attnviz/request.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "golden.h"
#include "keep_tap.h"
#include "model/model.h"

namespace attnviz {

struct GoldenRun {
  std::size_t text = 0;
  Edits edits;
};

// Every row of the texts whose rows `offsets` [B + 1] gives.
inline std::vector<BatchRow> all_rows(std::span<const std::size_t> offsets) {
  std::vector<BatchRow> rows;
  for (std::size_t text = 0; text + 1 < offsets.size(); ++text) {
    for (std::size_t row = 0; row < offsets[text + 1] - offsets[text]; ++row) rows.push_back({text, row});
  }
  return rows;
}

// Rows of n_columns numbers, which are counts except for one that may be -1.
class GoldenRows {
 public:
  GoldenRows(const Golden& golden, const std::string& name, std::size_t n_columns)
      : numbers_(golden.read<std::int32_t>(name)), n_columns_(n_columns) {}

  std::size_t size() const { return numbers_.size() / n_columns_; }
  std::int32_t number(std::size_t row, std::size_t column) const { return numbers_[row * n_columns_ + column]; }
  std::size_t count(std::size_t row, std::size_t column) const { return static_cast<std::size_t>(number(row, column)); }
  Site site(std::size_t row) const { return static_cast<Site>(number(row, 1)); }

 private:
  std::vector<std::int32_t> numbers_;
  std::size_t n_columns_;
};

inline std::vector<GoldenRun> golden_runs(const Golden& golden, const ModelConfig& config) {
  std::vector<GoldenRun> runs;
  for (const std::int32_t text : golden.read<std::int32_t>("run_text")) runs.push_back({static_cast<std::size_t>(text), {}});

  const GoldenRows heads(golden, "head_edits", 5);  // run, site, layer, head, first of the replacement or -1
  const std::vector<float> factors = golden.read<float>("head_factors");
  const std::vector<float> replacements = golden.read<float>("replacements");
  for (std::size_t row = 0; row < heads.size(); ++row) {
    HeadEdit edit{heads.count(row, 2), heads.count(row, 3), factors.at(row), {}, heads.site(row)};
    if (heads.number(row, 4) >= 0) {
      const std::size_t d_head = ModelConfig::attention_of(*config.find(edit.site), edit.site).d_head;
      const auto begin = replacements.begin() + heads.number(row, 4);
      edit.replacement.assign(begin, begin + static_cast<std::ptrdiff_t>(d_head));
    }
    runs.at(heads.count(row, 0)).edits.heads.push_back(std::move(edit));
  }

  const GoldenRows cuts(golden, "cuts", 6);  // run, site, layer, head, query, key
  for (std::size_t row = 0; row < cuts.size(); ++row) {
    runs.at(cuts.count(row, 0))
        .edits.cuts.push_back(
            {{cuts.count(row, 2)}, {cuts.count(row, 3)}, {{cuts.count(row, 4), cuts.count(row, 5)}}, cuts.site(row)});
  }

  const GoldenRows left_out(golden, "left_out", 4);  // run, site, layer, block
  for (std::size_t row = 0; row < left_out.size(); ++row) {
    runs.at(left_out.count(row, 0))
        .edits.left_out.push_back({left_out.count(row, 2), static_cast<Block>(left_out.number(row, 3)), left_out.site(row)});
  }
  return runs;
}

// A golden tensor against values that come in its order.
class Comparison {
 public:
  explicit Comparison(std::vector<float> expected) : expected_(std::move(expected)) {
    for (const float value : expected_) scale_ = std::max(scale_, std::abs(static_cast<double>(value)));
  }

  void add(std::span<const float> values) {
    ASSERT_LE(next_ + values.size(), expected_.size());
    for (const float value : values) {
      const double difference = std::abs(static_cast<double>(value) - expected_[next_++]);
      if (!(difference <= largest_)) largest_ = difference;  // NaN stays
    }
  }

  // Expects every value to have come, within the tolerance.
  void finish(double tolerance, const std::string& what) const {
    EXPECT_EQ(next_, expected_.size()) << what;
    EXPECT_GT(expected_.size(), 0u) << what;
    EXPECT_LE(largest_, tolerance) << what;
    testing::Test::RecordProperty(what, std::to_string(largest_ * 1e6) + "e-6");
  }

  // The same, with the tolerance as a part of the largest value (of 1 where all are smaller).
  void finish_relative(double tolerance, const std::string& what) const { finish(tolerance * scale_, what); }

 private:
  std::vector<float> expected_;
  double scale_ = 1;
  double largest_ = 0;
  std::size_t next_ = 0;
};

// Adds the maps of a text, every layer and head of the site, as a golden file has them.
inline void add_maps(const KeepTap& tap, const ModelConfig& config, Site site, Comparison* maps) {
  const Request all = everything(config, site);
  for (const std::size_t layer : all.layers) {
    for (const std::size_t head : all.heads) maps->add(tap.get(TapKind::kPattern, 0, layer, head, site).values);
  }
}

// Adds the stream of a text, from the embedding on.
inline void add_stream(const KeepTap& tap, const ModelConfig& config, Site site, Comparison* stream) {
  stream->add(tap.get(TapKind::kResidual, 0, kEmbeddingLayer, 0, site).values);
  for (const std::size_t layer : everything(config, site).layers) {
    stream->add(tap.get(TapKind::kResidual, 0, layer, 0, site).values);
  }
}

// A cut pair has no weight at all.
inline void expect_cut(const KeepTap& tap, const Edits& edits) {
  for (const PairCut& cut : edits.cuts) {
    for (const std::size_t layer : cut.layers) {
      for (const std::size_t head : cut.heads) {
        const KeptMatrix& map = tap.get(TapKind::kPattern, 0, layer, head, cut.site);
        for (const TokenPair& pair : cut.pairs) EXPECT_EQ(map.at(pair.query_pos, pair.key_pos), 0.0F);
      }
    }
  }
}

}  // namespace attnviz

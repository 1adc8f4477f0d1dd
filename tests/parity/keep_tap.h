// A tap for tests: keeps every block of some kinds as whole matrices, and counts how often each row was seen.
#pragma once

#include <attnviz/request.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace attnviz {

struct KeptMatrix {
  std::size_t n_columns = 0;
  std::vector<float> values;            // [rows seen so far, n_columns]
  std::vector<std::size_t> times_seen;  // [rows]

  float at(std::size_t row, std::size_t column) const { return values[row * n_columns + column]; }
  std::size_t n_rows() const { return times_seen.size(); }
};

class KeepTap : public Tap {
 public:
  using Key = std::tuple<TapKind, std::size_t, std::size_t, std::size_t, Site>;  // kind, sequence, layer, head, site

  KeepTap(std::initializer_list<TapKind> kinds) : kinds_(kinds) {}

  bool wants(TapKind kind) const override { return kinds_.contains(kind); }

  void on_block(const TapBlock& block) override {
    const std::lock_guard lock(mutex_);
    KeptMatrix& kept = kept_[{block.kind, block.sequence, block.layer, block.head, block.site}];
    kept.n_columns = block.n_columns;
    const std::size_t end = block.row_begin + block.n_rows;
    if (end > kept.n_rows()) kept.times_seen.resize(end), kept.values.resize(end * kept.n_columns);
    for (std::size_t r = 0; r < block.n_rows; ++r) {
      const auto row = block.row(r);
      std::copy(row.begin(), row.end(), kept.values.begin() + static_cast<std::ptrdiff_t>((block.row_begin + r) * kept.n_columns));
      ++kept.times_seen[block.row_begin + r];
    }
  }

  const std::map<Key, KeptMatrix>& all() const { return kept_; }

  const KeptMatrix& get(TapKind kind, std::size_t sequence, std::size_t layer, std::size_t head, Site site = Site::kSelf) const {
    const auto found = kept_.find({kind, sequence, layer, head, site});
    if (found == kept_.end()) throw std::out_of_range("the tap has not seen that matrix");
    return found->second;
  }

 private:
  std::set<TapKind> kinds_;
  std::mutex mutex_;
  std::map<Key, KeptMatrix> kept_;
};

}  // namespace attnviz

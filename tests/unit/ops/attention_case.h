// One attention call with everything it needs, and a sink that keeps what it sees.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "naive_ops.h"
#include "ops/attention.h"

namespace attnviz {

// Keeps scores and pattern as [T, Tk] per (stage, sequence, head), and fails where a row is seen twice.
class KeepingSink : public AttentionSink {
 public:
  using Key = std::array<std::size_t, 3>;  // stage, sequence, head

  bool wants(AttentionStage, std::size_t) const override { return true; }

  void take(const AttentionBlock& block) override {
    const std::lock_guard lock(*mutex_);
    auto& rows = maps_[{static_cast<std::size_t>(block.stage), block.sequence, block.head}];
    for (std::size_t r = 0; r < block.n_queries; ++r) {
      const float* row = block.values + r * block.row_stride;
      const auto [place, is_new] = rows.emplace(block.query_begin + r, std::vector<float>(row, row + block.n_keys));
      if (!is_new) ADD_FAILURE() << "row " << place->first << " was seen twice";
    }
  }

  // [T, Tk]
  std::vector<float> map(AttentionStage stage, std::size_t sequence, std::size_t head) const {
    std::vector<float> values;
    const auto found = maps_.find({static_cast<std::size_t>(stage), sequence, head});
    if (found == maps_.end()) return values;
    for (const auto& [row, columns] : found->second) values.insert(values.end(), columns.begin(), columns.end());
    return values;
  }

  std::size_t n_maps() const { return maps_.size(); }

 private:
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // lets the sink move
  std::map<Key, std::map<std::size_t, std::vector<float>>> maps_;
};

struct AttentionCase {
  AttentionSpec spec;
  std::vector<std::size_t> lengths;
  std::vector<std::size_t> heads;  // empty: all
  std::size_t gap = 0;             // floats between the rows of q, k, v and z
  bool has_bias = false;
  bool has_values = true;
  std::size_t n_threads = 2;
  float size_of_q = 1.0F;
  unsigned seed = 1;
  const ScoreTerm* term = nullptr;
  std::optional<QueryRange> query_rows;
  const ScoreTerm* cuts = nullptr;
  std::size_t n_past = 0;  // of a single sequence: q and z begin there, keys and values are all of it

  std::vector<float> q, k, v, z, bias;
  std::vector<std::size_t> offsets, kv_heads;
  KeepingSink sink;

  std::size_t n_distance() const { return *std::max_element(lengths.begin(), lengths.end()) + 3; }
  std::size_t q_stride() const { return heads.size() * spec.d_head + gap; }
  std::size_t kv_stride() const { return kv_heads.size() * spec.d_head + gap; }
  std::size_t group() const { return spec.n_head / spec.n_kv_head; }

  void prepare() {
    if (heads.empty()) {
      heads.resize(spec.n_head);
      std::iota(heads.begin(), heads.end(), 0);
    }
    for (const std::size_t head : heads) {
      if (kv_heads.empty() || kv_heads.back() != head / group()) kv_heads.push_back(head / group());
    }
    offsets = {0};
    for (const std::size_t length : lengths) offsets.push_back(offsets.back() + length);
    q = naive::random_values(offsets.back() * q_stride(), seed, size_of_q);
    k = naive::random_values(offsets.back() * kv_stride(), seed + 1);
    v = naive::random_values(offsets.back() * kv_stride(), seed + 2);
    z.assign(offsets.back() * q_stride(), 42.0F);
    bias = naive::random_values(spec.n_head * (2 * n_distance() - 1), seed + 3);
  }

  void run() {
    AttentionArgs args;
    args.spec = &spec;
    args.rows.offsets = offsets;
    const std::size_t grown[] = {0, offsets.back() - n_past};
    if (n_past > 0) args.rows = {grown, offsets, n_past, {}};
    args.rows.queries = query_rows;
    args.heads = heads;
    args.kv_heads = kv_heads;
    args.q = {q.data() + n_past * q_stride(), q_stride()};
    args.k = {k.data(), kv_stride()};
    if (has_values) {
      args.v = {v.data(), kv_stride()};
      args.z = {z.data() + n_past * q_stride(), q_stride()};
    }
    args.terms = {term, has_bias ? bias.data() : nullptr, has_bias ? n_distance() : 0, cuts};
    args.sink = &sink;
    ThreadPool pool(n_threads);
    attention(pool, args);
  }

  // What the naive version makes of head heads[place] in a sequence.
  naive::Head naive_head(std::size_t sequence, std::size_t place, const double* added = nullptr) const {
    const std::size_t kv_head = heads[place] / group();
    const auto kv_place = static_cast<std::size_t>(std::find(kv_heads.begin(), kv_heads.end(), kv_head) - kv_heads.begin());
    naive::HeadInput in{};
    in.q = q.data() + offsets[sequence] * q_stride() + place * spec.d_head;
    in.q_stride = q_stride();
    in.k = k.data() + offsets[sequence] * kv_stride() + kv_place * spec.d_head;
    in.k_stride = kv_stride();
    in.v = v.data() + offsets[sequence] * kv_stride() + kv_place * spec.d_head;
    in.v_stride = kv_stride();
    in.bias = has_bias ? bias.data() + heads[place] * (2 * n_distance() - 1) : nullptr;
    in.n_distance = n_distance();
    in.term = added;
    return naive::attention(in, lengths[sequence], spec);
  }

  std::vector<float> pattern(std::size_t sequence, std::size_t head) const {
    return sink.map(AttentionStage::kPattern, sequence, head);
  }

  // The rows of z of one head, from the buffer itself.
  std::vector<float> context(std::size_t sequence, std::size_t place) const {
    std::vector<float> rows;
    for (std::size_t row = offsets[sequence]; row < offsets[sequence + 1]; ++row) {
      const auto first = z.begin() + static_cast<std::ptrdiff_t>(row * q_stride() + place * spec.d_head);
      rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(spec.d_head));
    }
    return rows;
  }
};

inline AttentionSpec attention_spec(std::size_t n_head, std::size_t n_kv_head, std::size_t d_head) {
  AttentionSpec spec;
  spec.n_head = n_head;
  spec.n_kv_head = n_kv_head;
  spec.d_head = d_head;
  spec.scale = 1.0F / std::sqrt(static_cast<float>(d_head));
  return spec;
}

inline void expect_close(const std::vector<float>& got, const std::vector<double>& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isinf(want[i])) {
      ASSERT_EQ(got[i], want[i]) << "element " << i;
    } else {
      ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i;
    }
  }
}

// Runs the case and compares everything it leaves with the naive version.
inline void expect_equals_naive(AttentionCase& test) {
  test.run();
  for (std::size_t sequence = 0; sequence < test.lengths.size(); ++sequence) {
    for (std::size_t place = 0; place < test.heads.size(); ++place) {
      SCOPED_TRACE(testing::Message() << "sequence " << sequence << " of " << test.lengths[sequence] << ", head "
                                      << test.heads[place]);
      const naive::Head want = test.naive_head(sequence, place);
      expect_close(test.sink.map(AttentionStage::kScores, sequence, test.heads[place]), want.scores, 1e-5);
      expect_close(test.pattern(sequence, test.heads[place]), want.pattern, 2e-6);
      if (test.has_values) {
        expect_close(test.context(sequence, place), want.context, 5e-6);
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace attnviz

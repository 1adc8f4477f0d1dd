// attention against the naive version: block and vector edges, grouped heads, masks with both boundary cells, bias, odd widths.
#include <atomic>

#include "attention_case.h"
#include "each_target.h"

namespace attnviz {
namespace {

TEST(Attention, EqualsTheNaiveVersionAtBlockEdges) {
  on_each_target([] {
    for (const std::size_t length : {1, 2, 3, 15, 16, 17, 31, 33, 47, 48, 49, 63, 64, 65, 97, 200, 300}) {
      AttentionCase test;
      test.spec = attention_spec(2, 2, 32);
      test.lengths = {length};
      test.prepare();
      expect_equals_naive(test);
    }
  });
}

TEST(Attention, WorksForEveryHeadWidthAndForGapsBetweenRows) {
  on_each_target([] {
    for (const std::size_t d_head : {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 48, 64, 80, 128}) {
      AttentionCase test;
      test.spec = attention_spec(3, 3, d_head);
      test.lengths = {19, 1, 50};
      test.gap = 5;
      test.prepare();
      expect_equals_naive(test);
      for (std::size_t row = 0; row < 70; ++row) {
        for (std::size_t i = 0; i < test.gap; ++i)
          ASSERT_EQ(test.z[row * test.q_stride() + 3 * d_head + i], 42.0F) << "a gap was written to";
      }
    }
  });
}

TEST(Attention, MapsQueryHeadsToKeyValueHeads) {
  on_each_target([] {
    for (const auto& [n_head, n_kv_head] : {std::pair{14, 2}, std::pair{6, 3}, std::pair{5, 1}, std::pair{4, 4}}) {
      AttentionCase test;
      test.spec = attention_spec(static_cast<std::size_t>(n_head), static_cast<std::size_t>(n_kv_head), 8);
      test.lengths = {21, 60};
      test.prepare();
      expect_equals_naive(test);
    }
  });
}

TEST(Attention, ComputesChosenHeadsOnly) {
  AttentionCase test;
  test.spec = attention_spec(14, 2, 5);
  test.heads = {3, 8, 13};
  test.lengths = {30};
  test.has_values = false;
  test.prepare();
  ASSERT_EQ(test.kv_heads, (std::vector<std::size_t>{0, 1}));
  expect_equals_naive(test);
  EXPECT_EQ(test.sink.n_maps(), 2 * 3U);  // scores and pattern, no context without values
  EXPECT_EQ(test.z, std::vector<float>(test.z.size(), 42.0F));
}

TEST(Attention, AddsTheDistanceBiasOfTheHeadsOwnNumber) {
  on_each_target([] {
    AttentionCase test;
    test.spec = attention_spec(5, 5, 7);
    test.heads = {1, 4};
    test.lengths = {3, 70};
    test.has_bias = true;
    test.prepare();
    expect_equals_naive(test);
  });
}

TEST(Attention, CausalKeepsTheFutureExactlyZero) {
  on_each_target([] {
    AttentionCase test;
    test.spec = attention_spec(2, 1, 9);
    test.spec.mask.causal = true;
    test.lengths = {130, 1};
    test.size_of_q = 40.0F;  // very low scores: a finite stand-in for minus infinity would leak
    test.prepare();
    test.run();
    const std::vector<float> pattern = test.pattern(0, 1);
    const std::vector<float> scores = test.sink.map(AttentionStage::kScores, 0, 1);
    for (std::size_t query = 0; query < 130; ++query) {
      for (std::size_t key = query + 1; key < 130; ++key) {
        ASSERT_EQ(pattern[query * 130 + key], 0.0F);
        ASSERT_EQ(scores[query * 130 + key], -std::numeric_limits<float>::infinity());
      }
    }
    EXPECT_EQ(test.pattern(1, 0), std::vector<float>{1.0F});
  });
  AttentionCase small;
  small.spec = attention_spec(2, 1, 9);
  small.spec.mask.causal = true;
  small.lengths = {130, 49};
  small.has_bias = true;
  small.prepare();
  expect_equals_naive(small);
}

TEST(Attention, WindowHasBothBoundaryCells) {
  on_each_target([] {
    for (const bool causal : {false, true}) {
      AttentionCase test;
      test.spec = attention_spec(1, 1, 4);
      test.spec.mask.causal = causal;
      test.spec.mask.window = 4;
      test.lengths = {9};
      test.prepare();
      expect_equals_naive(test);
      const std::vector<float> pattern = test.pattern(0, 0);
      EXPECT_GT(pattern[6 * 9 + 3], 0.0F);  // the last key inside
      EXPECT_EQ(pattern[6 * 9 + 2], 0.0F);  // the first key outside
      EXPECT_EQ(pattern[2 * 9 + 5] > 0.0F, !causal);
      EXPECT_EQ(pattern[2 * 9 + 6], 0.0F);
    }
  });
}

TEST(Attention, WindowsOfEverySizeEqualTheNaiveVersion) {
  on_each_target([] {
    for (const bool causal : {false, true}) {
      for (const std::size_t window : {1, 2, 15, 16, 47, 48, 49, 100, 299, 300, 1000}) {
        AttentionCase test;
        test.spec = attention_spec(2, 2, 6);
        test.spec.mask.causal = causal;
        test.spec.mask.window = window;
        test.lengths = {300, 20};
        test.prepare();
        expect_equals_naive(test);
      }
    }
  });
}

// Counts the scores that are made.
struct CountScores : ScoreTerm {
  mutable std::atomic<std::size_t> n_score{0};
  void add(const AttentionArgs&, const ScoreBlock& block) const override {
    n_score += block.n_queries * (block.key_end - block.key_begin);
  }
};

TEST(Attention, AWindowCostsItsWindowOnly) {
  constexpr std::size_t kRowsOfABlock = 64;  // or fewer: a block makes the scores that any of its rows needs
  for (const std::size_t length : {500, 2000}) {
    for (const std::size_t window : {16, 100}) {
      AttentionCase test;
      test.spec = attention_spec(1, 1, 4);
      test.spec.mask.causal = true;
      test.spec.mask.window = window;
      test.lengths = {length};
      CountScores count;
      test.term = &count;
      test.prepare();
      test.run();
      EXPECT_GE(count.n_score, (length - window) * window);
      EXPECT_LE(count.n_score, length * (window + kRowsOfABlock));
    }
  }
}

TEST(Attention, RowsWithNothingToAttendToAreAllZero) {
  on_each_target([] {
    AttentionCase test;
    test.spec = attention_spec(2, 2, 6);
    test.spec.mask.window = 0;
    test.lengths = {60};
    test.prepare();
    test.run();
    EXPECT_EQ(test.pattern(0, 1), std::vector<float>(60 * 60, 0.0F));
    EXPECT_EQ(test.sink.map(AttentionStage::kScores, 0, 1), std::vector<float>(60 * 60, -std::numeric_limits<float>::infinity()));
    EXPECT_EQ(test.context(0, 0), std::vector<float>(60 * 6, 0.0F));

    AttentionCase biased;  // a bias of minus infinity hides every key of head 1
    biased.spec = attention_spec(2, 2, 6);
    biased.lengths = {60};
    biased.has_bias = true;
    biased.prepare();
    std::fill(biased.bias.begin() + static_cast<std::ptrdiff_t>(2 * biased.n_distance() - 1), biased.bias.end(),
              -std::numeric_limits<float>::infinity());
    expect_equals_naive(biased);
    EXPECT_EQ(biased.pattern(0, 1), std::vector<float>(60 * 60, 0.0F));
  });
}

// Sets some scores to minus infinity, as cut pairs are.
struct CutSome : ScoreTerm {
  void add(const AttentionArgs&, const ScoreBlock& block) const override {
    for (std::size_t r = 0; r < block.n_queries; ++r) {
      const std::size_t query = block.query_begin + r;
      for (std::size_t key = block.key_begin; key < block.key_end; ++key) {
        if (is_cut(query, key)) block.rows[r * block.row_stride + key] = -std::numeric_limits<float>::infinity();
      }
    }
  }
  static bool is_cut(std::size_t query, std::size_t key) { return query == 7 || (query + key) % 5 == 0; }
};

// After the soft cap and the bias, so that a cut weight is exactly 0; the rest of the row is a softmax of its own.
TEST(Attention, CutPairsGetNothing) {
  on_each_target([] {
    const CutSome cuts;
    AttentionCase whole;
    AttentionCase cut;
    for (AttentionCase* test : {&whole, &cut}) {
      test->spec = attention_spec(2, 1, 9);
      test->spec.softcap = 3;
      test->spec.mask.causal = true;
      test->lengths = {70, 3};
      test->has_bias = true;
      test->prepare();
    }
    cut.cuts = &cuts;
    whole.run();
    cut.run();
    for (std::size_t sequence = 0; sequence < 2; ++sequence) {
      const std::size_t n = whole.lengths[sequence];
      const std::vector<float> before = whole.pattern(sequence, 1);
      const std::vector<float> after = cut.pattern(sequence, 1);
      const std::vector<float> scores = cut.sink.map(AttentionStage::kScores, sequence, 1);
      for (std::size_t query = 0; query < n; ++query) {
        double kept = 0;
        for (std::size_t key = 0; key < n; ++key) kept += CutSome::is_cut(query, key) ? 0.0 : before[query * n + key];
        for (std::size_t key = 0; key < n; ++key) {
          const float weight = after[query * n + key];
          if (CutSome::is_cut(query, key)) {
            ASSERT_EQ(weight, 0.0F);
            ASSERT_EQ(scores[query * n + key], -std::numeric_limits<float>::infinity());
          } else {
            ASSERT_NEAR(weight, kept > 0 ? before[query * n + key] / kept : 0, 1e-6);
          }
        }
      }
    }
  });
}

TEST(Attention, LongRowsSumToOne) {
  on_each_target([] {
    AttentionCase test;
    test.spec = attention_spec(1, 1, 4);
    test.lengths = {9000};
    test.spec.mask.causal = true;
    test.has_values = false;
    test.prepare();
    struct SumRows : AttentionSink {
      bool wants(AttentionStage stage, std::size_t) const override { return stage == AttentionStage::kPattern; }
      void take(const AttentionBlock& block) override {
        for (std::size_t r = 0; r < block.n_queries; ++r) {
          const float* row = block.values + r * block.row_stride;
          EXPECT_NEAR(std::accumulate(row, row + block.n_keys, 0.0), 1.0, 1e-6) << "row " << block.query_begin + r;
        }
      }
    } sums;
    AttentionArgs args;
    args.spec = &test.spec;
    args.rows.offsets = test.offsets;
    args.heads = test.heads;
    args.kv_heads = test.kv_heads;
    args.q = {test.q.data(), 4};
    args.k = {test.k.data(), 4};
    args.sink = &sums;
    ThreadPool pool(2);
    attention(pool, args);
  });
}

// With one-wide heads and q = 1, the scores are the keys themselves: the ratio of two pattern cells is exp of their difference.
TEST(Attention, SoftmaxIsAccurateOverItsWholeRange) {
  on_each_target([] {
    const std::size_t n_tokens = 1800;
    AttentionCase test;
    test.spec = attention_spec(1, 1, 1);
    test.lengths = {n_tokens};
    test.has_values = false;
    test.prepare();
    std::fill(test.q.begin(), test.q.end(), 1.0F);
    for (std::size_t key = 0; key < n_tokens; ++key) test.k[key] = static_cast<float>(key) * -0.0501F;
    test.run();
    const std::vector<float> pattern = test.pattern(0, 0);
    for (std::size_t key = 0; key < n_tokens; ++key) {
      const double want = std::exp(static_cast<double>(test.k[key])) * pattern[0];
      if (test.k[key] < -87.4F) {
        ASSERT_EQ(pattern[key], 0.0F);
      } else if (want > 1.2e-38) {  // subnormal results have fewer digits
        ASSERT_NEAR(pattern[key] / want, 1.0, 3e-7) << "exp of " << test.k[key];
      }
    }
  });
}

TEST(Attention, NanScoresAreNotHidden) {
  AttentionCase test;
  test.spec = attention_spec(1, 1, 4);
  test.lengths = {20};
  test.prepare();
  test.q[3 * 4] = std::numeric_limits<float>::quiet_NaN();
  test.run();
  const std::vector<float> pattern = test.pattern(0, 0);
  EXPECT_TRUE(std::isnan(pattern[3 * 20 + 7]));
  EXPECT_FALSE(std::isnan(pattern[4 * 20 + 7]));
}

TEST(Attention, CapsScores) {
  on_each_target([] {
    for (const float cap : {0.5F, 3.0F, 50.0F}) {
      AttentionCase test;
      test.spec = attention_spec(4, 2, 9);
      test.spec.softcap = cap;
      test.spec.mask.causal = true;
      test.lengths = {70, 3};
      test.has_bias = true;
      test.prepare();
      expect_equals_naive(test);
    }
  });
}

}  // namespace
}  // namespace attnviz

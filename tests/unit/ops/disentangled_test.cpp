// The position terms against a naive version: either and both, block and panel edges, chosen heads, several sequences, a window.
#include "ops/disentangled.h"

#include <algorithm>

#include "attention_case.h"
#include "each_target.h"

namespace attnviz {
namespace {

// Random positions and a row for every distance that is neither monotonic nor symmetric.
struct TermCase {
  AttentionCase attention;
  std::size_t n_positions = 21;
  bool has_keys = true;
  bool has_queries = true;
  std::vector<float> position_keys, position_queries;
  std::vector<std::int32_t> rows;

  DisentangledArgs args() {
    attention.prepare();
    const std::size_t width = attention.heads.size() * attention.spec.d_head + attention.gap;
    position_keys = naive::random_values(n_positions * width, 11);
    position_queries = naive::random_values(n_positions * width, 12);
    for (std::size_t i = 0; i + 1 < 2 * attention.n_distance(); ++i) rows.push_back(static_cast<std::int32_t>(i * i % n_positions));
    DisentangledArgs args;
    args.scale = attention.spec.scale;
    args.n_positions = n_positions;
    args.position_keys = has_keys ? position_keys.data() : nullptr;
    args.position_queries = has_queries ? position_queries.data() : nullptr;
    args.stride = width;
    args.rows = rows;
    args.n_distance = attention.n_distance();
    return args;
  }

  // [T, T] of head heads[place] in a sequence.
  std::vector<double> naive_term(std::size_t sequence, std::size_t place) const {
    const AttentionCase& in = attention;
    const std::size_t n_tokens = in.lengths[sequence];
    const std::size_t d_head = in.spec.d_head;
    const std::size_t width = in.heads.size() * d_head + in.gap;
    const auto kv_place = static_cast<std::size_t>(std::find(in.kv_heads.begin(), in.kv_heads.end(), in.heads[place] / in.group()) -
                                                   in.kv_heads.begin());
    std::vector<double> term;
    for (std::size_t query = 0; query < n_tokens; ++query) {
      for (std::size_t key = 0; key < n_tokens; ++key) {
        const float* q = in.q.data() + (in.offsets[sequence] + query) * in.q_stride() + place * d_head;
        const float* k = in.k.data() + (in.offsets[sequence] + key) * in.kv_stride() + kv_place * d_head;
        const std::size_t row = static_cast<std::size_t>(rows[query + in.n_distance() - 1 - key]) * width + place * d_head;
        double sum = 0;
        for (std::size_t i = 0; i < d_head; ++i) {
          if (has_keys) sum += static_cast<double>(q[i]) * position_keys[row + i];
          if (has_queries) sum += static_cast<double>(k[i]) * position_queries[row + i];
        }
        term.push_back(sum * in.spec.scale);
      }
    }
    return term;
  }

  void expect_equals_naive() {
    const DisentangledTerm term(args(), attention.n_threads);
    attention.term = &term;
    attention.run();
    for (std::size_t sequence = 0; sequence < attention.lengths.size(); ++sequence) {
      for (std::size_t place = 0; place < attention.heads.size(); ++place) {
        SCOPED_TRACE(testing::Message() << "sequence " << sequence << ", head " << attention.heads[place]);
        const std::vector<double> added = naive_term(sequence, place);
        const naive::Head want = attention.naive_head(sequence, place, added.data());
        expect_close(attention.sink.map(AttentionStage::kScores, sequence, attention.heads[place]), want.scores, 1e-5);
        expect_close(attention.pattern(sequence, attention.heads[place]), want.pattern, 2e-6);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
};

TEST(Disentangled, EqualsTheNaiveVersionAtBlockAndPanelEdges) {
  on_each_target([] {
    for (const std::size_t length : {1, 2, 15, 17, 47, 48, 49, 97, 130}) {
      for (const std::size_t n_positions : {1, 2, 16, 31, 33, 64}) {
        TermCase test;
        test.attention.spec = attention_spec(2, 2, 7);
        test.attention.lengths = {length};
        test.n_positions = n_positions;
        test.expect_equals_naive();
      }
    }
  });
}

TEST(Disentangled, EitherTermMayBeAbsent) {
  for (const bool has_keys : {false, true}) {
    TermCase test;
    test.attention.spec = attention_spec(3, 3, 8);
    test.attention.lengths = {29, 60};
    test.has_keys = has_keys;
    test.has_queries = !has_keys;
    test.expect_equals_naive();
  }
}

TEST(Disentangled, FollowsChosenHeadsAndSeveralSequencesOnAnyNumberOfThreads) {
  on_each_target([] {
    for (const std::size_t n_threads : {1, 2, 3}) {
      TermCase test;
      test.attention.spec = attention_spec(6, 3, 5);
      test.attention.heads = {1, 2, 5};
      test.attention.lengths = {50, 1, 33, 50, 97};
      test.attention.gap = 3;
      test.attention.n_threads = n_threads;
      test.expect_equals_naive();
    }
  });
}

TEST(Disentangled, StaysInsideTheMask) {
  TermCase test;
  test.attention.spec = attention_spec(2, 2, 6);
  test.attention.spec.mask.window = 4;
  test.attention.lengths = {61};
  test.expect_equals_naive();
}

}  // namespace
}  // namespace attnviz

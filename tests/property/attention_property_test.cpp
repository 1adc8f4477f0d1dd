// Laws of attention on random shapes, masks and batches.
#include "attention_case.h"
#include "check.h"

namespace attnviz {
namespace {

MaskRule any_mask() {
  MaskRule mask;
  mask.causal = any_size(0, 1) == 1;
  if (any_size(0, 2) == 0) mask.window = any_size(0, 70);
  return mask;
}

std::vector<std::size_t> any_lengths() {
  std::vector<std::size_t> lengths(any_size(1, 3));
  for (std::size_t& length : lengths) {
    const std::size_t edges[] = {1, 47, 48, 49, 63, 64, 65, 96, 97, 200};
    length = any_size(0, 1) == 0 ? edges[any_size(0, 9)] : any_size(1, 120);
  }
  return lengths;
}

AttentionCase any_case() {
  AttentionCase test;
  const std::size_t n_kv_head = any_size(1, 3);
  test.spec = attention_spec(n_kv_head * any_size(1, 4), n_kv_head, any_size(1, 40));
  test.spec.mask = any_mask();
  if (any_size(0, 3) == 0) test.spec.softcap = static_cast<float>(any_size(1, 50));
  test.lengths = any_lengths();
  test.gap = any_size(0, 3);
  test.has_bias = any_size(0, 1) == 1;
  test.size_of_q = any_size(0, 1) == 1 ? 1.0F : 5.0F;
  test.seed = static_cast<unsigned>(any_size(0, 1000));
  test.n_threads = any_size(1, 4);
  return test;
}

// Copies what defines a case, without results.
AttentionCase again(const AttentionCase& test) {
  AttentionCase copy;
  copy.spec = test.spec;
  copy.lengths = test.lengths;
  copy.heads = test.heads;
  copy.gap = test.gap;
  copy.has_bias = test.has_bias;
  copy.size_of_q = test.size_of_q;
  copy.seed = test.seed;
  return copy;
}

std::vector<float> row_of(const std::vector<float>& map, std::size_t row, std::size_t n_columns, std::size_t begin, std::size_t n) {
  const auto first = map.begin() + static_cast<std::ptrdiff_t>(row * n_columns + begin);
  return {first, first + static_cast<std::ptrdiff_t>(n)};
}

TEST(AttentionLaws, EqualsTheNaiveVersion) {
  check("fast equals naive", [] {
    AttentionCase test = any_case();
    test.size_of_q = 1.0F;  // large scores have large rounding steps
    test.prepare();
    expect_equals_naive(test);
    RC_ASSERT(!testing::Test::HasFailure());
  });
}

TEST(AttentionLaws, RowsSumToOneOrSeeNothing) {
  check("row sums", [] {
    AttentionCase test = any_case();
    test.prepare();
    test.run();
    for (std::size_t sequence = 0; sequence < test.lengths.size(); ++sequence) {
      const std::size_t n = test.lengths[sequence];
      for (const std::size_t head : test.heads) {
        const std::vector<float> pattern = test.pattern(sequence, head);
        RC_ASSERT(pattern.size() == n * n);
        for (std::size_t query = 0; query < n; ++query) {
          double sum = 0;
          for (std::size_t key = 0; key < n; ++key) {
            sum += pattern[query * n + key];
            if (!test.spec.mask.allows(query, key)) RC_ASSERT(pattern[query * n + key] == 0.0F);
          }
          RC_ASSERT(std::fabs(sum - (test.spec.mask.window == 0U ? 0.0 : 1.0)) <= 1e-6);
        }
      }
    }
  });
}

// A query at the end of the visible keys: what the mask hides might as well not be there.
TEST(AttentionLaws, MaskingKeysEqualsRemovingThem) {
  check("the causal row of a text is the last row of the text cut off there", [] {
    AttentionCase whole = any_case();
    whole.spec.mask = MaskRule{true, std::nullopt};
    whole.has_bias = false;
    whole.lengths.resize(1);
    whole.prepare();
    whole.run();
    const std::size_t n = whole.lengths[0];
    AttentionCase part = again(whole);
    part.spec.mask = MaskRule{};
    const std::size_t n_part = any_size(1, n);
    part.lengths = {n_part};
    part.prepare();
    part.q = whole.q;
    part.k = whole.k;
    part.v = whole.v;
    part.run();
    for (std::size_t place = 0; place < whole.heads.size(); ++place) {
      RC_ASSERT(row_of(whole.pattern(0, place), n_part - 1, n, 0, n_part) ==
                row_of(part.pattern(0, place), n_part - 1, n_part, 0, n_part));
      const std::size_t width = whole.spec.d_head;
      RC_ASSERT(row_of(whole.context(0, place), n_part - 1, width, 0, width) ==
                row_of(part.context(0, place), n_part - 1, width, 0, width));
    }
  });
  check("a causal window is a text that begins there", [] {
    AttentionCase whole = any_case();
    const std::size_t window = any_size(1, 70);
    whole.spec.mask = MaskRule{true, window};
    whole.has_bias = false;
    whole.lengths.resize(1);
    whole.prepare();
    whole.run();
    const std::size_t n = whole.lengths[0];
    const std::size_t query = any_size(0, n - 1);
    const std::size_t begin = query + 1 > window ? query + 1 - window : 0;
    AttentionCase part = again(whole);
    part.spec.mask = MaskRule{};
    part.lengths = {query + 1 - begin};
    part.prepare();
    std::copy(whole.q.begin() + static_cast<std::ptrdiff_t>(begin * whole.q_stride()),
              whole.q.begin() + static_cast<std::ptrdiff_t>((query + 1) * whole.q_stride()), part.q.begin());
    std::copy(whole.k.begin() + static_cast<std::ptrdiff_t>(begin * whole.kv_stride()),
              whole.k.begin() + static_cast<std::ptrdiff_t>((query + 1) * whole.kv_stride()), part.k.begin());
    part.run();
    const std::vector<float> got = row_of(whole.pattern(0, 0), query, n, begin, query + 1 - begin);
    const std::vector<float> want = row_of(part.pattern(0, 0), query - begin, query + 1 - begin, 0, query + 1 - begin);
    for (std::size_t i = 0; i < got.size(); ++i) RC_ASSERT(std::fabs(got[i] - want[i]) <= 1e-6F);
  });
}

TEST(AttentionLaws, GroupedHeadsEqualRepeatedKeysAndValues) {
  check("GQA equals MHA over repeated key/value heads", [] {
    AttentionCase grouped = any_case();
    grouped.gap = 0;
    grouped.prepare();
    grouped.run();
    AttentionCase full = again(grouped);
    full.spec.n_kv_head = full.spec.n_head;
    full.prepare();
    full.q = grouped.q;
    full.bias = grouped.bias;
    const std::size_t width = full.spec.d_head;
    for (std::size_t row = 0; row < full.offsets.back(); ++row) {
      for (std::size_t head = 0; head < full.spec.n_head; ++head) {
        const std::size_t from = row * grouped.kv_stride() + head / grouped.group() * width;
        for (std::size_t i = 0; i < width; ++i) {
          full.k[row * full.kv_stride() + head * width + i] = grouped.k[from + i];
          full.v[row * full.kv_stride() + head * width + i] = grouped.v[from + i];
        }
      }
    }
    full.run();
    RC_ASSERT(full.z == grouped.z);
    for (std::size_t sequence = 0; sequence < full.lengths.size(); ++sequence) {
      for (const std::size_t head : full.heads) RC_ASSERT(full.pattern(sequence, head) == grouped.pattern(sequence, head));
    }
  });
}

TEST(AttentionLaws, ThreadsBatchAndOtherHeadsChangeNothing) {
  check("the same bits with any number of threads", [] {
    AttentionCase test = any_case();
    test.prepare();
    test.run();
    for (const std::size_t n_threads : {1, 2, 3, 4}) {
      AttentionCase other = again(test);
      other.n_threads = n_threads;
      other.prepare();
      other.run();
      RC_ASSERT(other.z == test.z);
      for (const std::size_t head : test.heads) RC_ASSERT(other.pattern(0, head) == test.pattern(0, head));
    }
  });
  check("one head of one text alone has the bits it has in the batch", [] {
    AttentionCase batch = any_case();
    batch.prepare();
    batch.run();
    const std::size_t sequence = any_size(0, batch.lengths.size() - 1);
    const std::size_t head = any_size(0, batch.heads.size() - 1);
    AttentionCase alone = again(batch);
    alone.heads = {head};
    alone.lengths = {batch.lengths[sequence]};
    alone.has_bias = false;  // its table has the size of the batch's longest text
    if (batch.has_bias) return;
    alone.prepare();
    const std::size_t width = alone.spec.d_head;
    const std::size_t kv_head = head / batch.group();
    for (std::size_t row = 0; row < alone.lengths[0]; ++row) {
      const std::size_t from = batch.offsets[sequence] + row;
      for (std::size_t i = 0; i < width; ++i) {
        alone.q[row * alone.q_stride() + i] = batch.q[from * batch.q_stride() + head * width + i];
        alone.k[row * alone.kv_stride() + i] = batch.k[from * batch.kv_stride() + kv_head * width + i];
        alone.v[row * alone.kv_stride() + i] = batch.v[from * batch.kv_stride() + kv_head * width + i];
      }
    }
    alone.run();
    RC_ASSERT(alone.pattern(0, head) == batch.pattern(sequence, head));
    RC_ASSERT(alone.context(0, 0) == batch.context(sequence, head));
  });
}

TEST(AttentionLaws, RowsAskedForHaveTheBitsOfTheWhole) {
  check("query rows", [] {
    AttentionCase whole = any_case();
    AttentionCase part = again(whole);
    const std::size_t longest = *std::max_element(whole.lengths.begin(), whole.lengths.end());
    part.query_rows = QueryRange{any_size(0, longest), 0};
    part.query_rows->end = part.query_rows->begin + any_size(0, longest);
    for (AttentionCase* test : {&whole, &part}) test->prepare(), test->run();
    for (std::size_t sequence = 0; sequence < whole.lengths.size(); ++sequence) {
      const std::size_t n = whole.lengths[sequence];
      const std::size_t begin = std::min(n, part.query_rows->begin);
      const std::size_t end = std::min(n, part.query_rows->end);
      for (const std::size_t head : whole.heads) {
        const std::vector<float> expected = row_of(whole.pattern(sequence, head), begin, n, 0, (end - begin) * n);
        RC_ASSERT(part.pattern(sequence, head) == expected);
      }
    }
  });
}

TEST(AttentionLaws, ATextThatGoesOnHasTheBitsOfTheWhole) {
  check("past keys", [] {
    AttentionCase whole = any_case();
    whole.lengths = {any_size(2, 150)};
    AttentionCase grown = again(whole);
    const std::size_t n = whole.lengths[0];
    grown.n_past = any_size(1, n - 1);
    for (AttentionCase* test : {&whole, &grown}) test->prepare(), test->run();
    for (std::size_t place = 0; place < whole.heads.size(); ++place) {
      const std::vector<float> pattern = whole.pattern(0, whole.heads[place]);
      RC_ASSERT(grown.pattern(0, whole.heads[place]) == row_of(pattern, grown.n_past, n, 0, (n - grown.n_past) * n));
      const std::vector<float> context = whole.context(0, place);
      const std::size_t from = grown.n_past * whole.spec.d_head;
      const std::vector<float> rest = grown.context(0, place);
      RC_ASSERT(std::equal(rest.begin() + static_cast<std::ptrdiff_t>(from), rest.end(),
                           context.begin() + static_cast<std::ptrdiff_t>(from),
                           [](float a, float b) { return std::abs(a - b) <= 1e-5F; }));  // sums of a window are cut at other places
    }
  });
}

}  // namespace
}  // namespace attnviz

// How fast stored numbers become f32, and scores and softmax alone (attention without values, as in the last wanted layer).
// Read the CPU column: one thread does the work.
#include <numeric>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "ops/attention.h"
#include "tensor/unpack.h"

namespace attnviz {
namespace {

constexpr std::size_t kRows = 64;
constexpr std::size_t kColumns = 4096;

// Bytes are those stored. Any bits are a block; what they mean does not change the work.
void unpack(benchmark::State& state, DType dtype) {
  const std::size_t n_byte = kRows * kColumns / dtype_block_size(dtype) * dtype_block_bytes(dtype);
  std::vector<std::byte> stored(n_byte);
  for (std::size_t i = 0; i < n_byte; ++i) stored[i] = static_cast<std::byte>(i * 2654435761U >> 24 & 0x3F);
  const TensorView view{dtype, {kRows, kColumns}, stored.data()};
  std::vector<float> row(kColumns);
  for (auto _ : state) {
    for (std::size_t r = 0; r < kRows; ++r) unpack_row(view, r, 0, kColumns, row.data());
    benchmark::DoNotOptimize(row.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(n_byte) * state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(kRows * kColumns) * state.iterations());
}

void register_unpack() {
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1, DType::kQ8_0,
                            DType::kQ2_K, DType::kQ3_K, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K, DType::kIQ4_NL, DType::kIQ4_XS}) {
    benchmark::RegisterBenchmark(("BM_Unpack/" + std::string(dtype_name(dtype))).c_str(),
                                 [dtype](benchmark::State& state) { unpack(state, dtype); });
  }
}

struct PatternSink final : AttentionSink {
  bool wants(AttentionStage stage, std::size_t) const override { return stage == AttentionStage::kPattern; }
  void take(const AttentionBlock& block) override { benchmark::DoNotOptimize(block.values); }
};

// 12 heads of the width given, without values: a narrow head leaves little but exponentials and sums.
void BM_Softmax(benchmark::State& state) {
  const auto n_token = static_cast<std::size_t>(state.range(0));
  const auto d_head = static_cast<std::size_t>(state.range(1));
  AttentionSpec spec;
  spec.n_head = spec.n_kv_head = 12;
  spec.d_head = d_head;
  spec.scale = 0.25F;
  const std::vector<std::size_t> offsets{0, n_token};
  std::vector<std::size_t> heads(12);
  std::iota(heads.begin(), heads.end(), std::size_t{0});
  std::vector<float> q(n_token * 12 * d_head);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = static_cast<float>(i * 2654435761U % 2001) / 1000.0F - 1.0F;
  PatternSink sink;
  AttentionArgs args;
  args.spec = &spec;
  args.rows.offsets = offsets;
  args.heads = args.kv_heads = heads;
  args.q = args.k = {q.data(), 12 * d_head};
  args.sink = &sink;
  ThreadPool pool(1);
  for (auto _ : state) attention(pool, args);
  state.SetItemsProcessed(static_cast<std::int64_t>(12 * n_token * n_token) * state.iterations());
}
BENCHMARK(BM_Softmax)->ArgsProduct({{16, 512}, {4, 32}})->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace attnviz

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  attnviz::register_unpack();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

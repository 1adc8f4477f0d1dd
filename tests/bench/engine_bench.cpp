// How fast the operations are on the shapes of MiniLM-L6 (D = 384, F = 1536, 12 heads of 32) at 16 and 512 tokens, beside the
// machine's peak. BM_Encoder is all six layers without the model around them: its time is what one run of all heads must cost.
// Run with --benchmark_repetitions=5 and read the minimum: other programs share the machine.
#include <cstdlib>
#include <numeric>
#include <vector>

#include <benchmark/benchmark.h>

#include "ops/activation.h"
#include "ops/attention.h"
#include "ops/linear.h"
#include "ops/norm.h"

namespace attnviz {
namespace {

// ATTNVIZ_BENCH_THREADS=1 makes the CPU time column the one to read on a busy machine.
const std::size_t kThreads =
    std::getenv("ATTNVIZ_BENCH_THREADS") != nullptr ? std::strtoul(std::getenv("ATTNVIZ_BENCH_THREADS"), nullptr, 10) : 2;

std::vector<float> values(std::size_t n) {
  std::vector<float> result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = static_cast<float>(i * 2654435761U % 2001) / 1000.0F - 1.0F;
  return result;
}

TensorView view_of(const std::vector<float>& data, std::size_t n_rows) {
  return {DType::kF32, {n_rows, data.size() / n_rows}, reinterpret_cast<const std::byte*>(data.data())};
}

struct Matrix {
  std::vector<float> weight;
  std::vector<float> bias;
  std::size_t n_outputs;
  Matrix(std::size_t outputs, std::size_t inputs) : weight(values(outputs * inputs)), bias(values(outputs)), n_outputs(outputs) {
    for (float& value : weight) value *= 0.05F;
  }
};

void run_linear(ThreadPool& pool, const std::vector<float>& x, const Matrix& matrix, std::vector<float>& y) {
  LinearArgs args;
  args.weight = view_of(matrix.weight, matrix.n_outputs);
  args.x = x.data();
  args.x_stride = args.weight.shape[1];
  args.n_rows = x.size() / args.x_stride;
  args.bias = matrix.bias.data();
  y.resize(args.n_rows * matrix.n_outputs);
  args.y = y.data();
  args.y_stride = matrix.n_outputs;
  linear(pool, args);
}

void count_flops(benchmark::State& state, double flops) {
  state.counters["GF/s"] = benchmark::Counter(flops * static_cast<double>(state.iterations()) * 1e-9, benchmark::Counter::kIsRate);
}

void BM_Linear(benchmark::State& state) {
  const auto n_rows = static_cast<std::size_t>(state.range(0));
  const auto n_outputs = static_cast<std::size_t>(state.range(1));
  const auto n_inputs = static_cast<std::size_t>(state.range(2));
  ThreadPool pool(kThreads);
  const std::vector<float> x = values(n_rows * n_inputs);
  const Matrix matrix(n_outputs, n_inputs);
  std::vector<float> y;
  run_linear(pool, x, matrix, y);  // makes y: its pages are not what is measured
  for (auto _ : state) run_linear(pool, x, matrix, y);
  count_flops(state, 2.0 * static_cast<double>(n_rows * n_outputs * n_inputs));
}
BENCHMARK(BM_Linear)->ArgsProduct({{1, 16, 32, 64, 65, 128, 512, 2048}, {384}, {384}})->UseRealTime();
BENCHMARK(BM_Linear)->ArgsProduct({{16, 512}, {1536}, {384}})->UseRealTime();
BENCHMARK(BM_Linear)->ArgsProduct({{16, 512}, {384}, {1536}})->UseRealTime();
BENCHMARK(BM_Linear)->ArgsProduct({{512}, {1536}, {1536}})->UseRealTime();

struct PatternSink final : AttentionSink {
  bool wants(AttentionStage stage, std::size_t) const override { return stage == AttentionStage::kPattern; }
  void take(const AttentionBlock& block) override { benchmark::DoNotOptimize(block.values); }
};

struct AttentionShape {
  AttentionSpec spec;
  std::vector<std::size_t> offsets;
  std::vector<std::size_t> heads;
  explicit AttentionShape(std::size_t n_tokens) : offsets{0, n_tokens}, heads(12) {
    spec.n_head = 12;
    spec.n_kv_head = 12;
    spec.d_head = 32;
    spec.scale = 0.1767767F;
    std::iota(heads.begin(), heads.end(), 0);
  }
};

struct AttentionInput {
  const std::vector<float>& q;
  const std::vector<float>& k;
  const std::vector<float>& v;
};

void run_attention(ThreadPool& pool, const AttentionShape& shape, const AttentionInput& input, std::vector<float>& z) {
  const auto& [q, k, v] = input;
  PatternSink sink;
  AttentionArgs args;
  args.spec = &shape.spec;
  args.rows.offsets = shape.offsets;
  args.heads = args.kv_heads = shape.heads;
  z.resize(q.size());
  args.q = {q.data(), 384};
  args.k = {k.data(), 384};
  args.v = {v.data(), 384};
  args.z = {z.data(), 384};
  args.sink = &sink;
  attention(pool, args);
}

void BM_Attention(benchmark::State& state) {
  const auto n_tokens = static_cast<std::size_t>(state.range(0));
  ThreadPool pool(kThreads);
  const AttentionShape shape(n_tokens);
  const std::vector<float> q = values(n_tokens * 384);
  const std::vector<float> k = values(n_tokens * 384);
  std::vector<float> z;
  run_attention(pool, shape, {q, k, k}, z);
  for (auto _ : state) run_attention(pool, shape, {q, k, k}, z);
  count_flops(state, 4.0 * static_cast<double>(n_tokens * n_tokens * 384));
}
BENCHMARK(BM_Attention)->Arg(16)->Arg(128)->Arg(512)->Arg(2048)->UseRealTime();

void run_norm(ThreadPool& pool, const Matrix& norm, const std::vector<float>& residual, std::vector<float>& x) {
  NormArgs args;
  args.x = args.y = x.data();
  args.residual = residual.data();
  args.gamma = norm.bias.data();
  args.beta = norm.bias.data();
  args.epsilon = 1e-12F;
  args.d_model = norm.n_outputs;
  args.n_rows = x.size() / norm.n_outputs;
  args.y = x.data();
  layer_norm(pool, args);
}

void BM_LayerNorm(benchmark::State& state) {
  ThreadPool pool(kThreads);
  const Matrix norm(384, 1);
  std::vector<float> x = values(static_cast<std::size_t>(state.range(0)) * 384);
  const std::vector<float> residual = x;
  for (auto _ : state) run_norm(pool, norm, residual, x);
}
BENCHMARK(BM_LayerNorm)->Arg(16)->Arg(512)->UseRealTime();

void BM_Activation(benchmark::State& state) {
  ThreadPool pool(kThreads);
  std::vector<float> x = values(512 * 1536);
  for (auto _ : state) activate(pool, static_cast<Activation>(state.range(0)), x.data(), x.size());
}
BENCHMARK(BM_Activation)->DenseRange(0, 3)->UseRealTime();

struct Layer {
  Matrix q{384, 384}, k{384, 384}, v{384, 384}, o{384, 384}, up{1536, 384}, down{384, 1536}, norm{384, 1};
};

void BM_Encoder(benchmark::State& state) {
  const auto n_tokens = static_cast<std::size_t>(state.range(0));
  ThreadPool pool(kThreads);
  const AttentionShape shape(n_tokens);
  const std::vector<Layer> layers(6);
  std::vector<float> q, k, v, z, out, hidden;
  for (auto _ : state) {
    std::vector<float> x = values(n_tokens * 384);
    for (const Layer& layer : layers) {
      run_linear(pool, x, layer.q, q);
      run_linear(pool, x, layer.k, k);
      run_linear(pool, x, layer.v, v);
      run_attention(pool, shape, {q, k, v}, z);
      run_linear(pool, z, layer.o, out);
      run_norm(pool, layer.norm, out, x);
      run_linear(pool, x, layer.up, hidden);
      activate(pool, Activation::kGelu, hidden.data(), hidden.size());
      run_linear(pool, hidden, layer.down, out);
      run_norm(pool, layer.norm, out, x);
    }
    benchmark::DoNotOptimize(x.data());
  }
  const auto t = static_cast<double>(n_tokens);
  count_flops(state, 6 * (2 * t * 384 * (4 * 384 + 2 * 1536) + 4 * t * t * 384));
}
BENCHMARK(BM_Encoder)->Arg(16)->Arg(512)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace attnviz

BENCHMARK_MAIN();

// attnviz_engine_time MODEL_FOLDER N_TOKENS THREADS REPEATS: time of all heads of all layers inside one process, as one line of
// JSON.
//
// What tests/bench/compare.py sets against PyTorch: the pattern of every head is kept, as a picture of all heads needs it, and
// loading is not counted. Not a test: nothing passes or fails by time.
#include <attnviz/error.h>
#include <attnviz/request.h>
#include <attnviz/token.h>

#include "base/thread_pool.h"
#include "model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <vector>

namespace attnviz {
namespace {

// Keeps every pattern: [L, H, T, T].
class KeepPatterns : public Tap {
 public:
  KeepPatterns(std::size_t n_layer, std::size_t n_head, std::size_t n_token)
      : n_head_(n_head), n_token_(n_token), kept_(n_layer * n_head * n_token * n_token) {}

  bool wants(TapKind kind) const override { return kind == TapKind::kPattern; }

  void on_block(const TapBlock& block) override {
    float* map = kept_.data() + (block.layer * n_head_ + block.head) * n_token_ * n_token_;
    for (std::size_t r = 0; r < block.n_rows; ++r) {
      const auto row = block.row(r);
      std::copy(row.begin(), row.end(), map + (block.row_begin + r) * n_token_);
    }
  }

  // Mean of the row sums: 1 when every row of every map was seen.
  double mean_row_sum() const {
    return std::accumulate(kept_.begin(), kept_.end(), 0.0) * static_cast<double>(n_token_) / static_cast<double>(kept_.size());
  }

 private:
  std::size_t n_head_, n_token_;
  std::vector<float> kept_;
};

TokenBatch some_tokens(const ModelConfig& config, std::size_t n_token) {
  std::vector<Token> tokens(n_token);
  for (std::size_t i = 0; i < n_token; ++i) tokens[i].id = static_cast<std::int32_t>((1000 + 37 * i) % config.embedding.n_vocab);
  TokenBatch batch;
  batch.append(tokens);
  return batch;
}

std::vector<std::size_t> all_of(std::size_t n) {
  std::vector<std::size_t> indices(n);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

int run(const char* folder, std::size_t n_token, std::size_t n_thread, std::size_t n_repeat) {
  const auto model = load_model(folder);
  const ModelConfig& config = model->config();
  ThreadPool pool(n_thread);
  const TokenBatch batch = some_tokens(config, n_token);
  const Request request{all_of(config.n_layer), all_of(config.attention.n_head)};
  std::vector<double> times;
  for (std::size_t repeat = 0; repeat < n_repeat + 2; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    KeepPatterns keep(config.n_layer, config.attention.n_head, n_token);
    Tap* const taps[] = {&keep};
    model->run(pool, batch, request, taps);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (repeat >= 2) times.push_back(took.count());  // the first two warm caches up
    const double sum = keep.mean_row_sum();
    if (sum < 0.999 || sum > 1.001) throw Error(ErrorKind::kBug, fmt::format("engine_time: rows sum to {} on average", sum));
  }
  std::sort(times.begin(), times.end());
  fmt::print("{{\"min_ms\": {:.3f}, \"median_ms\": {:.3f}}}\n", times.front(), times[times.size() / 2]);
  return 0;
}

}  // namespace
}  // namespace attnviz

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: attnviz_engine_time MODEL_FOLDER N_TOKENS THREADS REPEATS\n");
    return 2;
  }
  const auto number = [&](int i) { return static_cast<std::size_t>(std::max(1, std::atoi(argv[i]))); };
  try {
    return attnviz::run(argv[1], number(2), number(3), number(4));
  } catch (const std::exception& fault) {
    fmt::print(stderr, "attnviz_engine_time: {}\n", fault.what());
    return 1;
  }
}

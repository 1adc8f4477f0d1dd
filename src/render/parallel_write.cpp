// See parallel_write.h. The strings are kept from one window of pieces to the next, so that their memory is touched once.
#include "render/parallel_write.h"

#include <algorithm>
#include <vector>

namespace attnviz {
namespace {

constexpr std::size_t kPiecesOfThread = 8;

}  // namespace

bool write_pieces(ThreadPool* pool, std::size_t n, const std::function<void(std::size_t index, std::string* out)>& make,
                  const ByteSink& sink) {
  const std::size_t window = pool == nullptr ? 1 : pool->n_threads() * kPiecesOfThread;
  std::vector<std::string> made(std::min(window, n));
  for (std::size_t begin = 0; begin < n; begin += window) {
    const std::size_t n_made = std::min(window, n - begin);
    const auto make_one = [&](std::size_t i, std::size_t) {
      made[i].clear();
      make(begin + i, &made[i]);
    };
    if (pool == nullptr) {
      make_one(0, 0);
    } else {
      pool->run(n_made, make_one);
    }
    for (std::size_t i = 0; i < n_made; ++i) {
      if (!sink(made[i])) return false;
    }
  }
  return true;
}

}  // namespace attnviz

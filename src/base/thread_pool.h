// A fixed set of threads that run index ranges. Work is split by index, never by thread, so results do not depend on the number of
// threads. Tested in tests/unit/base/thread_pool_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace attnviz {

class ThreadPool {
 public:
  // `n_threads` includes the caller; 0 means one per core that the process may use.
  explicit ThreadPool(std::size_t n_threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t n_threads() const;

  // Calls task(index, thread) for every index in [0, n), each once, in any order, from several threads; thread is below n_threads()
  // and no two calls with the same thread run at once, so it can index scratch memory. Returns when all are done. If
  // tasks throw, the first exception is rethrown here after the others have finished. Not reentrant.
  void run(std::size_t n, const std::function<void(std::size_t index, std::size_t thread)>& task);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attnviz

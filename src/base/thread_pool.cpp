// See thread_pool.h. Workers spin briefly before they sleep: a small model has a hundred short parallel loops a run, and waking a
// sleeping thread costs more than many of them.
#include "base/thread_pool.h"

#include <attnviz/error.h>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace attnviz {
namespace {

constexpr int kSpinRounds = 4000;

std::size_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return static_cast<std::size_t>(CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  std::atomic<std::size_t> generation{0};  // counts run() calls; workers wait for it to change
  std::atomic<std::size_t> next{0};        // next index to take
  std::atomic<std::size_t> n_busy{0};      // workers still in the current run
  std::size_t n = 0;
  const std::function<void(std::size_t, std::size_t)>* task = nullptr;
  std::exception_ptr fault;
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;

  // Also when not every thread could be started. Joins before anything the workers look at goes away.
  ~State() {
    {
      const std::lock_guard lock(mutex);
      stop.store(true);
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  // Sets up a run; the caller then drains with the others.
  void prepare(std::size_t n_indices, const std::function<void(std::size_t, std::size_t)>* run_task) {
    n = n_indices;
    task = run_task;
    fault = nullptr;
    next.store(0);
  }

  void rethrow_fault() {
    if (fault) std::rethrow_exception(std::exchange(fault, nullptr));
  }

  void drain(std::size_t thread) {
    for (std::size_t index = next.fetch_add(1); index < n; index = next.fetch_add(1)) {
      try {
        (*task)(index, thread);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!fault) fault = std::current_exception();
      }
    }
  }

  void wait_for_change(std::size_t seen) {
    for (int round = 0; round < kSpinRounds; ++round) {
      if (generation.load() != seen || stop.load()) return;
      relax();
    }
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return generation.load() != seen || stop.load(); });
  }

  void work(std::size_t thread) {
    std::size_t seen = 0;
    while (true) {
      wait_for_change(seen);
      if (stop.load()) return;
      ++seen;
      drain(thread);
      if (n_busy.fetch_sub(1) == 1) {
        const std::lock_guard lock(mutex);
        done.notify_one();
      }
    }
  }
};

ThreadPool::ThreadPool(std::size_t n_threads) : state_(std::make_unique<State>()) {
  if (n_threads == 0) n_threads = usable_cores();
  try {
    for (std::size_t thread = 1; thread < n_threads; ++thread) {
      state_->workers.emplace_back([state = state_.get(), thread] { state->work(thread); });
    }
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::kUsage, fmt::format("threads: only {} of {} threads could be started ({}); ask for fewer",
                                               state_->workers.size() + 1, n_threads, fault.what()));
  }
}

ThreadPool::~ThreadPool() = default;

std::size_t ThreadPool::n_threads() const { return state_->workers.size() + 1; }

void ThreadPool::run(std::size_t n, const std::function<void(std::size_t, std::size_t)>& task) {
  State& state = *state_;
  if (state.workers.empty() || n <= 1) {  // not worth waking anyone; the workers do not see this run
    state.prepare(n, &task);
    state.drain(0);
    state.rethrow_fault();
    return;
  }
  {
    const std::lock_guard lock(state.mutex);
    state.prepare(n, &task);
    state.n_busy.store(state.workers.size());
    state.generation.fetch_add(1);
  }
  state.wake.notify_all();
  state.drain(0);
  for (int round = 0; round < kSpinRounds && state.n_busy.load() != 0; ++round) relax();
  std::unique_lock lock(state.mutex);
  state.done.wait(lock, [&] { return state.n_busy.load() == 0; });
  state.rethrow_fault();
}

}  // namespace attnviz

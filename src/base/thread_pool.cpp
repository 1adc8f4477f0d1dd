// See thread_pool.h. Workers spin briefly before they sleep: a small model has a hundred short parallel loops per run, and waking a
// sleeping thread takes longer than many of these loops. The caller waits only for workers that have entered the run: on a busy
// machine a worker may not get a core in time, and the others then do its share.
#include "base/thread_pool.h"

#include <attnviz/error.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sched.h>

namespace attnviz {
namespace {

constexpr int kSpinRounds = 4000;

// The gate in one word: the run's number, whether workers may still enter it, and how many are inside.
constexpr std::uint64_t kOpen = std::uint64_t{1} << 31;
constexpr std::uint64_t kInside = kOpen - 1;
constexpr int kRunShift = 32;

constexpr std::uint64_t run_of(std::uint64_t gate) { return gate >> kRunShift; }
constexpr bool is_open(std::uint64_t gate) { return (gate & kOpen) != 0; }
constexpr std::uint64_t inside(std::uint64_t gate) { return gate & kInside; }

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
  std::atomic<std::uint64_t> gate{0};
  std::atomic<std::size_t> next{0};  // next index to take
  std::size_t n = 0;
  const std::function<void(std::size_t, std::size_t)>* task = nullptr;
  std::exception_ptr fault;
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;

  // Also runs if not every thread could be started. Joins the workers before the state that they use is destroyed.
  ~State() {
    {
      const std::lock_guard lock(mutex);
      stop.store(true);
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  // Sets up a run, in which the caller takes indices like the workers.
  void prepare(std::size_t n_indices, const std::function<void(std::size_t, std::size_t)>* run_task) {
    n = n_indices;
    task = run_task;
    fault = nullptr;
    next.store(0);
  }

  void rethrow_fault() {
    if (fault) std::rethrow_exception(std::exchange(fault, nullptr));
  }

  // Runs the task for the next free index until none is left. Keeps the first exception.
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

  // Whether the worker must act: a run that it has not seen is open, or the pool is ending.
  bool calls(std::uint64_t seen) const {
    const std::uint64_t now = gate.load();
    return stop.load() || (is_open(now) && run_of(now) != seen);
  }

  void wait_for_call(std::uint64_t seen) {
    for (int round = 0; round < kSpinRounds; ++round) {
      if (calls(seen)) return;
      relax();
    }
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return calls(seen); });
  }

  // Enters the open run; false if it has closed in the meantime.
  bool enter(std::uint64_t* seen) {
    std::uint64_t now = gate.load();
    while (is_open(now) && run_of(now) != *seen) {
      if (!gate.compare_exchange_weak(now, now + 1)) continue;
      *seen = run_of(now);
      return true;
    }
    return false;
  }

  // The last worker to leave a closed run wakes the caller.
  void leave() {
    const std::uint64_t before = gate.fetch_sub(1);
    if (inside(before) > 1 || is_open(before)) return;
    const std::lock_guard lock(mutex);
    done.notify_one();
  }

  void work(std::size_t thread) {
    std::uint64_t seen = 0;
    while (true) {
      wait_for_call(seen);
      if (stop.load()) return;
      if (!enter(&seen)) continue;
      drain(thread);
      leave();
    }
  }

  void open_gate() {
    {
      const std::lock_guard lock(mutex);
      gate.store((run_of(gate.load()) + 1) << kRunShift | kOpen);
    }
    wake.notify_all();
  }

  // Lets no more workers in, and returns when those inside have left.
  void close_gate() {
    gate.fetch_and(~kOpen);
    for (int round = 0; round < kSpinRounds && inside(gate.load()) != 0; ++round) relax();
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return inside(gate.load()) == 0; });
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
  if (state.workers.empty() || n <= 1) {  // not worth waking a worker; the workers do not see this run
    state.prepare(n, &task);
    state.drain(0);
    state.rethrow_fault();
    return;
  }
  state.prepare(n, &task);
  state.open_gate();
  state.drain(0);
  state.close_gate();
  state.rethrow_fault();
}

}  // namespace attnviz

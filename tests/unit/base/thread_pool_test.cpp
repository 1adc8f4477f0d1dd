// The thread pool: each index runs once, faults are reported after the rest, and the pool ends cleanly in every state of its
// workers.
#include "base/thread_pool.h"

#include <attnviz/error.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

class ThreadPoolOf : public testing::TestWithParam<std::size_t> {};

TEST_P(ThreadPoolOf, RunsEachIndexOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.n_threads(), GetParam());
  for (const std::size_t n : {0, 1, 2, 3, 1000}) {
    std::vector<std::atomic<int>> calls(n);
    pool.run(n, [&](std::size_t index, std::size_t thread) {
      EXPECT_LT(thread, GetParam());
      ++calls[index];
    });
    for (const auto& count : calls) EXPECT_EQ(count.load(), 1);
  }
}

TEST_P(ThreadPoolOf, NeverRunsTwoTasksOfOneThreadAtOnce) {
  ThreadPool pool(GetParam());
  std::vector<std::size_t> plain_counters(GetParam());  // not atomic: a race would lose counts, and TSan would see it
  for (int round = 0; round < 200; ++round) {
    pool.run(50, [&](std::size_t, std::size_t thread) { ++plain_counters[thread]; });
  }
  std::size_t total = 0;
  for (const std::size_t count : plain_counters) total += count;
  EXPECT_EQ(total, 200U * 50U);
}

TEST_P(ThreadPoolOf, ThrowsAFaultAfterTheOthersAndGoesOn) {
  ThreadPool pool(GetParam());
  std::atomic<int> calls{0};
  const auto run = [&] {
    pool.run(20, [&](std::size_t index, std::size_t) {
      ++calls;
      if (index % 5 == 0) throw std::runtime_error("fault");
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(calls.load(), 20);
  pool.run(20, [&](std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls.load(), 40);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolOf, testing::Values(1, 2, 3, 8));

TEST(ThreadPool, EndsWhileWorkersSpinOrSleep) {
  for (int round = 0; round < 200; ++round) {
    ThreadPool pool(4);
    if (round % 2 == 0) pool.run(4, [](std::size_t, std::size_t) {});
  }
}

TEST(ThreadPool, CountsTheCoresByDefault) { EXPECT_GE(ThreadPool().n_threads(), 1U); }

}  // namespace
}  // namespace attnviz

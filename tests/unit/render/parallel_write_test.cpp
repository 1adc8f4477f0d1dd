// Pieces in order, whatever the number of threads; a reader that goes away ends the work.
#include "render/parallel_write.h"

#include <atomic>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

// 0 to 99, each a piece of another length.
std::string written(ThreadPool* pool) {
  std::string all;
  const auto make = [](std::size_t i, std::string* out) {
    ASSERT_TRUE(out->empty());
    out->append(i * 7 % 13, '.').append(std::to_string(i));
  };
  EXPECT_TRUE(write_pieces(pool, 100, make, [&](std::string_view bytes) {
    all += bytes;
    return true;
  }));
  return all;
}

TEST(WritePieces, ThreadsChangeNoByte) {
  const std::string expected = written(nullptr);
  EXPECT_NE(expected.find("..........98....99"), std::string::npos) << expected;
  for (const std::size_t n_threads : {1, 2, 3}) {
    ThreadPool pool(n_threads);
    EXPECT_EQ(written(&pool), expected) << n_threads;
  }
}

TEST(WritePieces, StopsWhenTheReaderGoesAway) {
  ThreadPool pool(2);
  std::atomic<std::size_t> n_made{0};
  std::size_t n_sent = 0;
  const auto make = [&](std::size_t, std::string* out) {
    ++n_made;
    *out = "x";
  };
  EXPECT_FALSE(write_pieces(&pool, 1000000, make, [&](std::string_view) { return ++n_sent < 3; }));
  EXPECT_EQ(n_sent, 3U);
  EXPECT_LT(n_made.load(), 100U);
}

TEST(WritePieces, NoneAtAll) {
  EXPECT_TRUE(write_pieces(
      nullptr, 0, [](std::size_t, std::string*) { FAIL(); }, [](std::string_view) { return false; }));
}

}  // namespace
}  // namespace attnviz

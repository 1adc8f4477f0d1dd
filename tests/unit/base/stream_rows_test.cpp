// stream_rows: what arrives, whatever the places and lengths of rows.
#include "base/stream_rows.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(StreamRows, EveryPlaceAndLength) {
  for (const std::size_t n_columns : {1, 3, 15, 16, 17, 33, 64, 100}) {
    for (const std::size_t gap : {0, 5}) {
      for (std::size_t shift = 0; shift < 17; ++shift) {
        const std::size_t n_rows = 5;
        const std::size_t stride = n_columns + gap;
        std::vector<float> from(n_rows * stride);
        std::iota(from.begin(), from.end(), 1.0F);
        std::vector<float> to(shift + n_rows * n_columns + 1, -1.0F);
        stream_rows({from.data(), stride, n_rows, n_columns, to.data() + shift});
        for (std::size_t i = 0; i < shift; ++i) ASSERT_EQ(to[i], -1.0F);
        ASSERT_EQ(to.back(), -1.0F);
        for (std::size_t row = 0; row < n_rows; ++row) {
          for (std::size_t c = 0; c < n_columns; ++c) ASSERT_EQ(to[shift + row * n_columns + c], from[row * stride + c]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace attnviz

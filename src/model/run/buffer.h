// Uninitialised f32 scratch on a cache line boundary: pages that a run does not write are never touched.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "base/checked.h"

namespace attnviz {

class FloatBuffer {
 public:
  FloatBuffer(std::size_t n_rows, std::size_t width) {
    const std::size_t n_bytes = checked_multiply(checked_multiply(n_rows, width, "run"), sizeof(float), "run");
    data_.reset(static_cast<float*>(::operator new(n_bytes, kAlignment)));
  }
  float* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(float* data) const { ::operator delete(data, kAlignment); }
  };
  std::unique_ptr<float[], Free> data_;
};

}  // namespace attnviz

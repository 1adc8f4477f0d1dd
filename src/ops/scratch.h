// Grow-only, cache-line aligned memory of one thread. Kernels reserve it again in every call, so that a run of many small
// operations asks the system for memory once. Contents do not survive a larger reserve.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace attnviz {

class Scratch {
 public:
  // At least n floats, uninitialised where new.
  float* reserve(std::size_t n) {
    if (n > size_) {
      data_.reset();
      size_ = 0;
      data_.reset(static_cast<float*>(::operator new(n * sizeof(float), kAlignment)));
      size_ = n;
    }
    return data_.get();
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(float* data) const { ::operator delete(data, kAlignment); }
  };

  std::unique_ptr<float, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace attnviz

// Checked arithmetic on sizes that come from a file or a user. Callers never do such arithmetic themselves.
// Tested in tests/unit/base/checked_test.cpp.
#pragma once

#include <attnviz/error.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attnviz {

inline std::optional<std::size_t> try_add(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<std::size_t> try_multiply(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// a + b; throws Error(kModel) "where: a size in the file does not fit 64 bits; ..." on overflow.
inline std::size_t checked_add(std::size_t a, std::size_t b, std::string_view where) {
  if (auto sum = try_add(a, b)) return *sum;
  throw Error(ErrorKind::kModel, std::string(where) + ": a size in the file does not fit 64 bits; the file is corrupt");
}

// a * b; throws as checked_add does.
inline std::size_t checked_multiply(std::size_t a, std::size_t b, std::string_view where) {
  if (auto product = try_multiply(a, b)) return *product;
  throw Error(ErrorKind::kModel, std::string(where) + ": a size in the file does not fit 64 bits; the file is corrupt");
}

}  // namespace attnviz

// RapidCheck inside GoogleTest, with a fixed seed: a test must do the same in every run. RC_PARAMS overrides it for a longer
// search.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace attnviz {

template <class Property>
void check(const std::string& law, Property&& property) {
  ::setenv("RC_PARAMS", "seed=7 max_success=60", 0);
  EXPECT_TRUE(rc::check(law, std::forward<Property>(property)));
}

// A size in [low, high].
inline std::size_t any_size(std::size_t low, std::size_t high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }

}  // namespace attnviz

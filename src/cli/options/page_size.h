// --size: "85mmx60mm", "85x60mm", "3.5in", "400x300px". Tested in tests/unit/cli/options/page_size_test.cpp and
// tests/cli/test_vector.py.
#pragma once

#include <attnviz/figure.h>

#include <string>

namespace attnviz {

// Pixels are those of a PNG with that resolution. Throws Error(kUsage).
PageSize parse_page_size(const std::string& text, double dpi);

}  // namespace attnviz

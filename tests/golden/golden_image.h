// Comparing a rendered PNG with a committed one.
#pragma once

#include <cstddef>
#include <string>

namespace attnviz {

struct GoldenResult {
  bool same = false;
  std::string message;
};

// Compares `png` with pictures/<name>.png. A difference leaves <name>-expected-difference-actual.png in the build folder. With
// ATTNVIZ_UPDATE_GOLDEN set in the environment the committed picture is written anew, and the result still says "not the same": a
// run that changed what is expected has tested nothing.
GoldenResult compare_with_golden(const std::string& name, const std::string& png);

// What rsvg-convert (librsvg2-bin) and pdftoppm (poppler-utils) make of a picture at 96 dpi, as a PNG. Empty when they fail.
std::string rasterised_svg(const std::string& svg);
std::string rasterised_pdf(const std::string& pdf);

}  // namespace attnviz

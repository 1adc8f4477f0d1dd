// The font families of this machine, as fontconfig knows them. Tested in tests/unit/render/picture/fonts_test.cpp and
// tests/cli/test_vector.py.
#pragma once

#include <string>

namespace attnviz {

// Throws Error(kUsage) for a family that is not installed and is not one of CSS's generic names ("serif"), with similar names.
void check_font_family(const std::string& family);

}  // namespace attnviz

// The warning about characters that no installed font has. Tested in tests/unit/cli/font_warning_test.cpp.
#pragma once

#include <string>

#include "render/picture/picture.h"

namespace attnviz {

// Adds the notes that are not there yet.
void merge_notes(RenderNotes&& from, RenderNotes* into);

// One line: which characters, where, and what to install. Empty if there are none.
std::string font_warning(const RenderNotes& notes);

}  // namespace attnviz

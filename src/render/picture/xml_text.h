// Any bytes as character data of an XML 1.0 document (fifth edition, 2.2 and 2.4): the result may appear in an element and in a
// quoted attribute, and a parser gives back the text that was put in. Tested in tests/unit/render/picture/xml_text_test.cpp and
// tests/cli/test_vector.py.
#pragma once

#include <string>
#include <string_view>

namespace attnviz {

// Markup, line breaks, and characters that do not show or turn the direction of what follows become references. What XML cannot
// hold (controls, U+FFFE, U+FFFF, bytes that are not UTF-8) becomes U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace attnviz

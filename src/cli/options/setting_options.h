// How the command line spells the library's settings. Tested in tests/unit/cli/setting_options_test.cpp.
#pragma once

#include <attnviz/error.h>

#include <string>
#include <string_view>

#include "base/setting_error.h"

namespace attnviz {

// "--rows"
std::string_view option_of(Setting setting);

// The error's message with its settings spelled as options.
std::string message_of(const Error& error);

}  // namespace attnviz

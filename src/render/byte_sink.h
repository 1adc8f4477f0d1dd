// Where exporters put their bytes.
#pragma once

#include <functional>
#include <string_view>

namespace attnviz {

// Takes bytes in order; returns false when the reader has gone away, and nothing more is made then.
using ByteSink = std::function<bool(std::string_view)>;

}  // namespace attnviz

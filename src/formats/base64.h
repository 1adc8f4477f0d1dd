// Base64 (RFC 4648) to bytes. Tested in tests/unit/formats/tokenizer/tokenizer_stages_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnviz {

std::optional<std::string> decode_base64(std::string_view text);  // none if it is not base64

}  // namespace attnviz

// See text_exports.h.
#include <nlohmann/json.hpp>

#include "base/replace_all.h"
#include "render/export/text_exports.h"

namespace attnviz {

std::string json_string(std::string_view text) {
  std::string quoted = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  replace_all(&quoted, "</", "<\\/");
  replace_all(&quoted, "<!--", "<\\u0021--");
  replace_all(&quoted, "\xE2\x80\xA8", "\\u2028");
  replace_all(&quoted, "\xE2\x80\xA9", "\\u2029");
  return quoted;
}

}  // namespace attnviz

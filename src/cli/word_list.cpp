// See word_list.h.
#include "cli/word_list.h"

#include <attnviz/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggest.h"

namespace attnviz {

std::string list_with_or(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

void refuse_word(std::string_view option, const std::string& word, const std::vector<std::string>& known) {
  const auto close = closest_name(word, known);
  throw Error(ErrorKind::kUsage, fmt::format("{} {}: is not known; {}expected one of: {}", option, word,
                                             close ? fmt::format("did you mean {}? ", *close) : "", fmt::join(known, ", ")));
}

}  // namespace attnviz

// See metaspace.h.
#include "text/split/metaspace.h"

#include <attnviz/error.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"

namespace attnviz {

Metaspace::Metaspace(const MetaspaceSpec& spec, const std::string& where) : prepend_(spec.prepend), split_(spec.split) {
  const Utf8Char mark = decode_utf8(spec.replacement, 0);
  if (mark.length == 0 || mark.length != spec.replacement.size()) {
    throw Error(ErrorKind::kModel, fmt::format("{}: the Metaspace replacement \"{}\" is not one character; expected one, such as "
                                               "U+2581; check the pre_tokenizer",
                                               where, spec.replacement));
  }
  mark_ = mark.code_point;
}

// "First" means the stretch that begins the user's text, not the one after an added token.
bool Metaspace::wants_mark(AlignedView text) const {
  if (text.empty() || text.front().code_point == mark_) return false;
  return prepend_ == MetaspaceSpec::Prepend::kAlways || (prepend_ == MetaspaceSpec::Prepend::kFirst && text.front().begin == 0);
}

void Metaspace::split(AlignedText text, std::vector<WordText>* words) const {
  for (AlignedChar& c : text) {
    if (c.code_point == ' ') c.code_point = mark_;
  }
  // The mark in front stands for nothing in the user's text: its place is empty.
  if (wants_mark(text)) text.insert(text.begin(), {mark_, text.front().begin, text.front().begin});
  if (!split_) {
    words->push_back({std::move(text)});
    return;
  }
  for (auto begin = text.cbegin(); begin != text.cend();) {
    const auto end = std::find_if(begin + 1, text.cend(), [&](const AlignedChar& c) { return c.code_point == mark_; });
    words->push_back({AlignedText(begin, end)});
    begin = end;
  }
}

}  // namespace attnviz

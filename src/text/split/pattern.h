// The pattern of Split and Replace: a plain text or a regular expression.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <optional>
#include <string>
#include <vector>

#include "text/normalize/aligned_text.h"
#include "text/split/regex.h"
#include "text/split/split.h"

namespace attnviz {

class Pattern {
 public:
  Pattern(const PatternSpec& spec, const std::string& where) {
    if (spec.regex) {
      regex_.emplace(spec.text, where);
    } else {
      literal_ = code_points(align_text(spec.text));
    }
  }

  std::vector<CharRange> find_all(AlignedView text) const { return regex_ ? regex_->find_all(text) : find_literal(text, literal_); }

 private:
  std::optional<Regex> regex_;
  std::u32string literal_;
};

}  // namespace attnviz

// Regular expressions of tokenizer files, matched over code points by PCRE2.
//
// The reference compiles them with Oniguruma (Ruby's syntax). The two agree on what such patterns use: literals, classes, groups,
// quantifiers, looking ahead and behind, \s, \d, \p{L} and the other general categories. Whatever they read differently (\w, \h,
// scripts, nested classes, possessive {n,m}+, other flags) is refused. Their tables are of different Unicode versions: code points
// that they class differently are matched as a stand-in of the reference's class (unicode_exceptions.h).
// Tested in tests/unit/text/split/regex_test.cpp and over all code points in tests/parity/tokenizer.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/normalize/aligned_text.h"

namespace attnviz {

class Regex {
 public:
  // Throws Error(kModel) "where: the pattern ...".
  Regex(std::string_view pattern, const std::string& where);
  ~Regex();
  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&& other) noexcept;

  // All matches from left to right; an empty one never touches the end of the match before it. Throws Error(kInput) if the
  // pattern takes too many steps.
  std::vector<CharRange> find_all(AlignedView text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attnviz

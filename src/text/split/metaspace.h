// Metaspace: every space becomes a visible mark (U+2581), one more is put in front of the text, and a mark begins a word.
// Tested in tests/unit/text/split/metaspace_test.cpp and against the reference in tests/parity/tokenizer.
#pragma once

#include <string>

#include "text/stages.h"

namespace attnviz {

class Metaspace final : public PreTokenizer {
 public:
  // Throws Error(kModel) if the replacement is not one character.
  Metaspace(const MetaspaceSpec& spec, const std::string& where);

  void split(AlignedText text, std::vector<WordText>* words) const override;

 private:
  bool wants_mark(AlignedView text) const;

  MetaspaceSpec::Prepend prepend_;
  bool split_;
  char32_t mark_ = 0;
};

}  // namespace attnviz

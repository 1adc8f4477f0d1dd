// The pre-tokenisers that split by a pattern or by kinds of character, and GPT-2's byte level.
// Tested in tests/unit/text/split/pre_tokenizers_test.cpp and against the reference in tests/parity/tokenizer.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <memory>
#include <string>

#include "text/stages.h"

namespace attnviz {

// Each throws Error(kModel) for a pattern that cannot be served.
std::unique_ptr<PreTokenizer> make_byte_level(const ByteLevelSpec& spec, const std::string& where);
std::unique_ptr<PreTokenizer> make_split(const SplitSpec& spec, const std::string& where);
std::unique_ptr<PreTokenizer> make_digits(const DigitsSpec& spec);
std::unique_ptr<PreTokenizer> make_whitespace();
std::unique_ptr<PreTokenizer> make_whitespace_split();
std::unique_ptr<PreTokenizer> make_punctuation(const PunctuationSpec& spec);

}  // namespace attnviz

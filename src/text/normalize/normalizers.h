// The normalisers of the tokenizers library, except BERT's and SentencePiece's.
// Tested in tests/unit/text/split/pre_tokenizers_test.cpp and over all code points in tests/parity/tokenizer.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <memory>
#include <string>

#include "text/stages.h"

namespace attnviz {

// Unicode's normalisation forms (UAX #15). A composed character has the place of all it was made from, each part of a decomposed
// one the place of the whole.
AlignedText normalize_form(UnicodeFormSpec::Form form, AlignedText text);

std::unique_ptr<Normalizer> make_unicode_form(const UnicodeFormSpec& spec);
std::unique_ptr<Normalizer> make_lowercase();
std::unique_ptr<Normalizer> make_strip_accents();
std::unique_ptr<Normalizer> make_strip(const StripSpec& spec);
std::unique_ptr<Normalizer> make_replace(const ReplaceSpec& spec, const std::string& where);  // throws Error(kModel)
std::unique_ptr<Normalizer> make_prepend(const PrependSpec& spec);

}  // namespace attnviz

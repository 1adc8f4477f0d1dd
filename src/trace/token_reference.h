// How people name tokens on a command line: a word as it is written ("it"), with a number where it stands in the text several times
// ("it#2", counted from 1), or a token by its index ("@9"). A span is one of these, or two of them around a dash ("it-street",
// "@10-@20", "10-20"). Tested in tests/unit/trace/token_reference_test.cpp.
#pragma once

#include <attnviz/token.h>
#include <attnviz/trace.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attnviz {

// Where names are looked up. `option` ("--rows") opens the messages.
struct TokenNames {
  std::string_view option;
  std::span<const Token> tokens;       // of the whole text, specials included; or a part, whose entries have positions
  std::span<const std::string> texts;  // the words' spelling is taken from here
};

// The tokens of one word (all its pieces), one piece or special token by its own spelling, or the token of an index. Throws
// Error(kInput): a word that is not there (with the nearest and the first of those that are), one that stands there several times
// and has no number (with the places), an index or number past the last.
TokenSpan find_word(std::string_view reference, const TokenNames& names);

// The same, or nothing where find_word throws.
std::optional<TokenSpan> try_find_word(std::string_view reference, const TokenNames& names);

// The same for a span; in "10-20", and only there, bare numbers are indices, as with --layer. The last token belongs to the span.
// Throws Error(kInput) also for a span that runs backwards.
TokenSpan find_span(std::string_view reference, const TokenNames& names);

}  // namespace attnviz

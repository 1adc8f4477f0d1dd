// How people name tokens on a command line: a word as it is written ("it"), with a number if it occurs several times in the text
// ("it#2", counted from 1), or a token by its index ("@9"). A span is one of these, or two of them around a dash ("it-street",
// "@10-@20", "10-20"). Tested in tests/unit/trace/token_reference_test.cpp.
#pragma once

#include <attnviz/token.h>
#include <attnviz/trace.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/setting_error.h"

namespace attnviz {

// The tokens of a map's two axes, and the texts that they come from.
struct MapAxes {
  std::span<const Token> queries;  // [Tq]
  std::span<const Token> keys;     // [Tk]
  std::span<const std::string> texts;
};

inline MapAxes axes_of(const Trace& trace) { return {trace.queries, trace.keys, trace.texts}; }

// Where names are looked up. Messages begin with `setting`: the names are its value.
struct TokenNames {
  Setting setting;
  std::span<const Token> tokens;       // of the whole text, specials included; or a part, whose entries have positions
  std::span<const std::string> texts;  // the words' spelling is taken from here
};

// The tokens of one word (all its pieces), one piece or special token by its own spelling, or the token of an index. Throws
// SettingError(kInput) for a word that is not in the text (with the nearest word and the first words of the text), a word that
// occurs several times without a number (with the places), and an index or number past the last.
TokenSpan find_word(std::string_view reference, const TokenNames& names);

// The same, but nothing where find_word throws.
std::optional<TokenSpan> try_find_word(std::string_view reference, const TokenNames& names);

// The same for a span; in "10-20", and only there, bare numbers are indices, as for layers and heads. The last token belongs to the
// span. Throws SettingError(kInput) also for a span that runs backwards.
TokenSpan find_span(std::string_view reference, const TokenNames& names);

// Where `positions` of a text are among the tokens of a part of it (Token::position), or of tiles, which stand for several tokens
// each. Throws SettingError(kInput) for a position that the part leaves out.
TokenSpan find_positions(TokenSpan positions, const TokenNames& part);

}  // namespace attnviz

// Token text made safe and visible for people: a space is U+2423, a newline U+21B5, a tab U+21E5; controls, bidi marks, joiners
// alone and other invisibles become their code point in brackets ("<U+200D>"). Joiners and variation selectors inside an emoji or a
// script that needs them stay. A continuation piece gets "##" in front. Tested in tests/unit/trace/label_test.cpp.
#pragma once

#include <attnviz/token.h>

#include <span>
#include <string>
#include <string_view>

namespace attnviz {

std::string visible_text(std::string_view text);
std::string token_label(const Token& token);

// The bytes of the text that a token stands for; empty for a special token, and for one of a list without its text.
std::string_view text_at(const Token& token, std::span<const std::string> texts);

// The same for a sentence: the characters of `kept` stay as they are.
std::string visible_prose(std::string_view text, std::string_view kept = " ");

// What separates token i of a list from the one before it in a sentence: the text between them, "\n" between two texts, " … " where
// tokens of the text are missing between them, and where their places in a text are not known, "" before a continuation and " "
// before any other token. Special tokens have a space on both sides.
std::string gap_before(std::span<const Token> tokens, std::size_t i, std::span<const std::string> texts);

}  // namespace attnviz

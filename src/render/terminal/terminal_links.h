// Links as lines of text: "it -> animal 0.68  [CLS] 0.10  it 0.06". Tested in tests/unit/render/terminal/terminal_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "render/terminal/terminal.h"
#include "render/terminal/terminal_text.h"
#include "trace/links.h"

namespace attnviz {

// Tokens as lists name them: their label, with "#2", "#3" ... from the second token of the same text on; "@9 it" where the
// list is a part of the text's tokens.
std::vector<TerminalText> token_names(const std::vector<Token>& tokens);

// How a token's name is written: special ones dim, generated ones underlined.
std::string_view sgr_of(const Token& token);

// Whether a number of that many decimals would show only zeros.
bool prints_as_nothing(float weight, const ValueInfo& value);

// Query positions whose strongest link is to a content token other than itself, the strongest first, at most `n`; the row of the
// strongest content link where there is no such row.
std::vector<std::size_t> telling_rows(const Trace& trace, const AttentionMap& map, std::size_t n);

// One line for each of the rows, with as many links as fit, at most four.
std::string draw_row_links(const Trace& trace, const AttentionMap& map, const std::vector<std::size_t>& rows,
                           const TerminalOptions& options);

// "layer head  query -> key  weight" for each link, under a heading.
std::string draw_link_table(const Trace& trace, const std::vector<Link>& links, const TerminalOptions& options);

}  // namespace attnviz

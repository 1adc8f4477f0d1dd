// Words that a user names to mark something, found once among the tokens of a map's axes: the query that a picture is about, and
// the links that it marks. Everything after that works with positions. Tested in tests/unit/trace/marks_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/token_reference.h"

namespace attnviz {

// As typed, and not looked up yet.
struct MarkWords {
  std::optional<std::string> row{};  // "it", "it#2" or "@9"
  std::vector<std::string> links{};  // "it:animal"; see split_links
  bool empty() const { return !row && links.empty(); }
};

// The rows and columns of a map that are shown; all of them where not set.
struct ShownPart {
  std::optional<TokenSpan> rows{};
  std::optional<TokenSpan> columns{};
};

// The tokens of `words`. Words of a link may hold colons themselves: the first colon with a known word on both sides separates
// them. Throws SettingError: for a word that is not there, for a link that `shown` leaves out (kInput), and for a link without two
// words (kUsage).
Marks find_marks(const MarkWords& words, const MapAxes& axes, const ShownPart& shown = {});
LinkSpan find_link(std::string_view link, const MapAxes& axes, const ShownPart& shown = {});

// `in_whole` counts the tokens of a whole text; the result counts rows and columns of `part`, whose tokens have positions. A mark
// is a word of the whole text, so it has to be looked up there: "it#2" and "@9" would mean something else in a part. Throws
// SettingError(kInput) for a token that the part leaves out.
Marks marks_in_part(const Marks& in_whole, const Trace& part);

// A list as people type it, "it:animal,it:street", as links. A comma that no link follows belongs to a word.
std::vector<std::string> split_links(std::string_view list);

// The text of some tokens that make one word, ready to draw.
std::string span_name(const std::vector<Token>& tokens, TokenSpan span);

// Rows of a trace that make one query: a word's pieces.
struct ChosenQuery {
  TokenSpan rows;
  std::string name;  // ready to draw
};

// The query that `marks` names; else all rows of a trace that is of one word (Trace::focus), else the query of the first marked
// link, else that of the strongest link from one word to another in any map.
ChosenQuery choose_query(const Trace& trace, const Marks& marks);

}  // namespace attnviz

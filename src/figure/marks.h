// Words that a user names, found among a trace's rows and columns: the query a picture is about, and the links that are marked.
// Tested in tests/unit/figure/marks_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

// Some rows of a trace that make one query: a word's pieces.
struct ChosenQuery {
  TokenSpan rows;
  std::string name;  // ready to draw
};

// The query that `options.row` names; else the one that the trace is of (Trace::focus), that of the first highlighted link, or that
// of the strongest link from a word to another of all maps. Throws Error(kInput) for a word that is not there.
ChosenQuery choose_query(const Trace& trace, const FigureOptions& options);

// The cells of "it:animal". Words may hold colons themselves. Throws Error(kInput) for a word that is not there.
CellMark find_link(std::string_view link, const Trace& trace);

// A list as people type it, "it:animal,it:street", taken apart. A comma that no link follows belongs to a word.
std::vector<std::string> split_links(std::string_view list);

// What the panel says of a mark; not a number where one of its weights is none.
double mark_weight(const Panel& panel, const CellMark& mark);

// "it → animal 0.677, it → street 0.05": all marks with their weights in one panel.
std::string marks_remark(const std::vector<CellMark>& marks, const Panel& panel);

}  // namespace attnviz

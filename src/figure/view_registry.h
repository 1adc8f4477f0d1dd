// The views that a figure can have, one row each: everything that depends on the view is a field here, so that a new view is a
// layout file and a row (docs/ADDING_A_VIEW.md). Tested in tests/unit/figure/view_registry_test.cpp.
#pragma once

#include <attnviz/figure.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct Body;
struct LayoutContext;

struct ViewSpec {
  std::string_view name;    // as users type it
  std::string_view help{};  // a few words; may be empty
  Body (*layout)(const LayoutContext&) = nullptr;

  // It shows where one query looks: make_figure gives it panels of one row, the mean of the query's rows, and no other rows need to
  // be computed.
  bool of_one_query = false;
  bool takes_query = false;    // the user can choose a query: the row that it shows, or the rows that it emphasises
  bool labels_panels = false;  // it draws words beside each panel, so labels must fit them even if there are several
  bool has_word_rows = false;  // its height is rows of words, which can move closer together on a small page
  bool is_overview = false;    // it shows all heads at once, even if there is only one: a list of heads in a terminal, one file per
                               // text in a batch
  std::string_view page_tab = "map";  // the tab that a page opens with: map, lines or text
};

// In the order in which help lists them; a FigureView is a place in it.
std::span<const ViewSpec> view_specs();

const ViewSpec& view_spec(FigureView view);

// By name ("map").
std::optional<FigureView> find_view(std::string_view name);

std::vector<std::string> view_names();

}  // namespace attnviz

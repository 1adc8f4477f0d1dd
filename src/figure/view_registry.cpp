// See view_registry.h.
#include "figure/view_registry.h"

#include <attnviz/error.h>

#include <array>

#include <fmt/format.h>

#include "figure/layout/layout_parts.h"

namespace attnviz {
namespace {

constexpr auto kViews = std::to_array<ViewSpec>({
    {.name = "map", .layout = layout_map},
    {.name = "grid", .help = "thumbnails", .layout = layout_grid, .is_overview = true},
    {.name = "lines",
     .help = "queries left, keys right",
     .layout = layout_lines,
     .takes_query = true,
     .labels_panels = true,
     .has_word_rows = true,
     .page_tab = "lines"},
    {.name = "row",
     .help = "bars",
     .layout = layout_row,
     .of_one_query = true,
     .takes_query = true,
     .labels_panels = true,
     .has_word_rows = true,
     .page_tab = "text"},
    {.name = "text", .layout = layout_text, .of_one_query = true, .takes_query = true, .labels_panels = true, .page_tab = "text"},
    // New rows go here, at the end.
});

constexpr bool is_row(FigureView view, std::string_view name) { return kViews.at(static_cast<std::size_t>(view)).name == name; }
static_assert(is_row(FigureView::kMap, "map") && is_row(FigureView::kGrid, "grid") && is_row(FigureView::kLines, "lines") &&
              is_row(FigureView::kRow, "row") && is_row(FigureView::kText, "text"));

}  // namespace

std::span<const ViewSpec> view_specs() { return kViews; }

const ViewSpec& view_spec(FigureView view) {
  const auto row = static_cast<std::size_t>(view);
  if (row < kViews.size()) return kViews[row];
  throw Error(ErrorKind::kBug, fmt::format("figure: view {} has no row", row));
}

std::optional<FigureView> find_view(std::string_view name) {
  for (std::size_t row = 0; row < kViews.size(); ++row) {
    if (kViews[row].name == name) return static_cast<FigureView>(row);
  }
  return std::nullopt;
}

std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const ViewSpec& spec : kViews) names.emplace_back(spec.name);
  return names;
}

}  // namespace attnviz

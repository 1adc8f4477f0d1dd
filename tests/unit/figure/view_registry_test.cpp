// One row for each view, with what every user of a row relies on.
#include "figure/view_registry.h"

#include <attnviz/error.h>

#include <set>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(ViewRegistry, EveryViewHasOneRowWithANameAndALayout) {
  std::set<std::string_view> names;
  for (std::size_t row = 0; row < view_specs().size(); ++row) {
    const ViewSpec& spec = view_specs()[row];
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_NE(spec.layout, nullptr) << spec.name;
    EXPECT_EQ(&view_spec(static_cast<FigureView>(row)), &spec);
    EXPECT_EQ(find_view(spec.name), static_cast<FigureView>(row));
    EXPECT_TRUE(!spec.of_one_query || spec.takes_query) << spec.name;
    EXPECT_TRUE(spec.page_tab == "map" || spec.page_tab == "lines" || spec.page_tab == "text") << spec.name;
  }
  EXPECT_EQ(find_view("lines"), FigureView::kLines);
  EXPECT_EQ(find_view("Map"), std::nullopt);
  EXPECT_EQ(view_names().front(), "map");
  EXPECT_THROW(view_spec(static_cast<FigureView>(200)), Error);
}

}  // namespace
}  // namespace attnviz

// One row for each format, with what every user of a row relies on; and tables through every row that takes them.
#include "render/format_registry.h"

#include <attnviz/error.h>

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(FormatRegistry, EveryFormatHasOneRowWithAWriter) {
  std::set<std::string_view> names;
  std::set<std::string_view> extensions;
  for (std::size_t row = 0; row < format_specs().size(); ++row) {
    const FormatSpec& spec = format_specs()[row];
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_TRUE(extensions.insert(spec.extension).second) << spec.extension;
    EXPECT_TRUE(spec.also.empty() || extensions.insert(spec.also).second) << spec.also;
    EXPECT_NE(spec.write_trace, nullptr) << spec.name;
    EXPECT_EQ(&format_spec(static_cast<OutputFormat>(row)), &spec);
    EXPECT_EQ(find_format(spec.name), static_cast<OutputFormat>(row));
    EXPECT_EQ(find_format_of_path("a.b/map." + std::string(spec.extension)), static_cast<OutputFormat>(row));
  }
  EXPECT_EQ(find_format_of_path("PAGE.HTM"), OutputFormat::kHtml);
  EXPECT_EQ(find_format("PNG"), std::nullopt);
  for (const char* path : {"", "png", ".png", "a.png/map", "map.", "map.jpg"})
    EXPECT_EQ(find_format_of_path(path), std::nullopt) << path;
  EXPECT_EQ(format_extensions().back(), ".txt");
  EXPECT_THROW(format_spec(static_cast<OutputFormat>(200)), Error);
}

TEST(FormatRegistry, TablesGoThroughEveryRowThatTakesThem) {
  Table table{.schema = "attnviz.test/1", .rows_name = "heads"};
  table.columns = {{.name = "layer", .kind = ColumnKind::kInteger},
                   {.name = "head", .kind = ColumnKind::kInteger},
                   {.name = "effect", .kind = ColumnKind::kNumber}};
  table.rows = {{std::int64_t{0}, std::int64_t{1}, 0.5}};
  table.title = "Effects";
  for (const bool has_picture : {true, false}) {
    table.drawn = has_picture ? "effect" : "";
    for (const FormatSpec& spec : format_specs()) {
      if (spec.write_table == nullptr) continue;
      std::string bytes;
      const ByteSink sink = [&](std::string_view part) { return bytes += part, true; };
      RenderNotes notes;
      const PictureOptions picture;
      const auto write = [&] { spec.write_table(table, WriteJob{picture, sink, nullptr, true, &notes}); };
      if (spec.kind == FormatKind::kPicture && !has_picture) {
        EXPECT_THROW(write(), Error) << spec.name;
        continue;
      }
      write();
      EXPECT_FALSE(bytes.empty()) << spec.name;
      if (spec.kind == FormatKind::kNumbers) {
        EXPECT_THAT(bytes, testing::HasSubstr("0.5")) << spec.name;
      }
    }
  }
}

}  // namespace
}  // namespace attnviz

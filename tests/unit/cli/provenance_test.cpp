// Command lines taken apart by the options that are declared, and what outputs and pages keep of them.
#include "cli/provenance.h"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/command_text.h"
#include "cli/commands/commands.h"
#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CommandLine typed(const std::vector<std::string>& arguments, CommandRun (*declare)(CLI::App&) = declare_show,
                  std::string_view command = "") {
  CLI::App app;
  declare(app);
  return typed_command(app, command, arguments);
}

std::string text_of(const CommandLine& line) { return command_text({.made_by = line}); }

std::string made_text(const std::vector<std::string>& arguments, std::string_view format) {
  return text_of(made_by(typed(arguments), format));
}

std::string redrawn(const std::vector<std::string>& arguments, const Trace& trace, const PageOptions& page = {}) {
  return text_of(redraw_by(typed(arguments), trace, page));
}

TEST(TypedCommand, KnowsWhichWordsBelongToAnOption) {
  const CommandLine line = typed({"A b", "--layer", "0-2,5", "--head=all", "-m", "folder", "-fpng", "--words", "--", "-x"});
  ASSERT_EQ(line.parts.size(), 6U);
  EXPECT_EQ(line.parts[0].option, "");
  EXPECT_EQ(line.parts[1].option, "layer");
  EXPECT_EQ(line.parts[1].value, "0-2,5");
  EXPECT_THAT(line.parts[1].words, ElementsAre("--layer", "0-2,5"));
  EXPECT_EQ(line.parts[2].value, "all");
  EXPECT_THAT(line.parts[2].words, ElementsAre("--head=all"));
  EXPECT_EQ(line.parts[3].option, "model");
  EXPECT_EQ(line.parts[4].option, "format");
  EXPECT_EQ(line.parts[4].value, "png");
  EXPECT_EQ(line.parts[5].option, "words");
  EXPECT_EQ(line.parts[5].value, "");
  EXPECT_THAT(line.texts, ElementsAre("-x"));
}

TEST(TypedCommand, TakesFlagsOfOneWordApart) {
  const CommandLine line = typed({"A", "-qo", "x.png"});
  ASSERT_EQ(line.parts.size(), 3U);
  EXPECT_EQ(line.parts[1].option, "quiet");
  EXPECT_EQ(line.parts[2].option, "output");
  EXPECT_EQ(line.parts[2].value, "x.png");
}

TEST(MadeBy, LeavesOutWhatChangesNoByte) {
  EXPECT_EQ(made_text({"A", "--threads", "2", "-o", "x.png", "--head=1", "-q", "--output=y.png", "-oz.png"}, "png"),
            "attnviz A --head=1 -f png");
  EXPECT_EQ(made_text({"A b", "--layer", "0-2,5"}, "png"), "attnviz \"A b\" --layer 0-2,5 -f png");
}

TEST(MadeBy, KeepsAGivenFormatAndTextsThatLookLikeOptions) {
  EXPECT_EQ(made_text({"-f", "csv", "--", "-o", "-q"}, "csv"), "attnviz -f csv -- -o -q");
  EXPECT_EQ(made_text({"--", "-x"}, "json"), "attnviz -f json -- -x");
}

TEST(RedrawBy, IsWithoutWhatAPageLetsPeopleChoose) {
  const std::vector<std::string> all{"it's a cat", "--layer", "0-2,5", "--head=all", "--words", "-m",    "a $model", "--dark",
                                     "--exact",    "-f",      "html",  "--cmap",     "reds",    "--row", "cat"};
  EXPECT_EQ(redrawn(all, small_trace(), {.words = true}), "attnviz \"it's a cat\" -m 'a $model'");
  EXPECT_EQ(redrawn(all, small_trace()), "attnviz \"it's a cat\" --words -m 'a $model'");
  Trace focused = small_trace();
  focused.focus = "cat";
  EXPECT_EQ(redrawn({"a cat", "--row", "cat"}, focused), "attnviz \"a cat\" --focus cat");
  EXPECT_EQ(redrawn({"a cat", "--row=cat"}, focused), "attnviz \"a cat\" --focus cat");
}

TEST(RedrawBy, KeepsTextsBehindDashes) {
  const CommandLine line = redraw_by(typed({"--layer", "3", "-f", "html", "--", "--layer", "-x"}), small_trace(), {});
  EXPECT_THAT(line.parts, IsEmpty());
  EXPECT_THAT(line.texts, ElementsAre("--layer", "-x"));
}

TEST(RedrawBy, SpellsTheTextOfAPipeAndOfALine) {
  Trace trace = small_trace();
  EXPECT_EQ(redrawn({"-", "-f", "html"}, trace), "attnviz \"unhappy cat\"");
  EXPECT_EQ(redrawn({"--file", "-", "-f", "html"}, trace), "attnviz \"unhappy cat\"");
  EXPECT_EQ(redrawn({"--file=-"}, trace), "attnviz \"unhappy cat\"");
  EXPECT_EQ(redrawn({"--file", "-", "--generate", "3"}, trace), "attnviz --file - --generate 3");
  const CommandLine batch = typed({"batch", "-", "-m", "folder", "--plain", "-o", "maps"}, declare_batch, "batch");
  EXPECT_EQ(text_of(redraw_by(batch, trace, {})), "attnviz -m folder --plain \"unhappy cat\"");
  trace.texts = {"-x"};
  EXPECT_THAT(redraw_by(batch, trace, {}).texts, ElementsAre("-x"));
  trace.texts = {std::string(9000, 'x')};
  EXPECT_EQ(redrawn({"-"}, trace), "attnviz -");
}

}  // namespace
}  // namespace attnviz

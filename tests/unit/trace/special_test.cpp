// Hidden special tokens leave the other weights as they are.
#include "trace/special.h"

#include <attnviz/error.h>

#include <gtest/gtest.h>

#include "base/command_text.h"
#include "unit/trace/trace_builder.h"

namespace attnviz {
namespace {

TEST(HideSpecial, LeavesRowsAndColumnsOutAndTheRestAsItIs) {
  const Trace shown = hide_special(small_trace());
  EXPECT_EQ(token_texts(shown.keys), (std::vector<std::string>{"un", "happy", "cat"}));
  EXPECT_EQ(token_texts(shown.queries), token_texts(shown.keys));
  EXPECT_EQ(shown.maps[0].pattern, (std::vector<float>{0.25f, 0.25f, 0.125f, 0.0f, 0.25f, 0.75f, 0.5f, 0.125f, 0.25f}));
  EXPECT_EQ(shown.notes, std::vector<std::string>{"special tokens hidden"});
  EXPECT_EQ(command_text(shown.provenance), command_text(small_trace().provenance));
}

TEST(HideSpecial, RefusesATextOfSpecialTokensOnly) {
  Trace trace = small_trace();
  for (Token& token : trace.queries) token.kind = TokenKind::kSpecial;
  trace.keys = trace.queries;
  try {
    hide_special(trace);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
  }
}

}  // namespace
}  // namespace attnviz

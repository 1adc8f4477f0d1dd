// Names and small functions of the public headers.
#include <attnviz/error.h>
#include <attnviz/token.h>
#include <attnviz/trace.h>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

TEST(Names, SpellKinds) {
  EXPECT_EQ(token_kind_name(TokenKind::kWord), "word");
  EXPECT_EQ(token_kind_name(TokenKind::kContinuation), "continuation");
  EXPECT_EQ(token_kind_name(TokenKind::kUnknown), "unknown");
  EXPECT_EQ(token_kind_name(TokenKind::kSpecial), "special");
  EXPECT_EQ(token_kind_name(TokenKind::kBytes), "bytes");
  EXPECT_EQ(site_name(Site::kSelf), "self");
  EXPECT_EQ(site_name(Site::kCross), "cross");
}

TEST(Names, ExitCodes) {
  EXPECT_EQ(exit_code(ErrorKind::kInput), 1);
  EXPECT_EQ(exit_code(ErrorKind::kModel), 1);
  EXPECT_EQ(exit_code(ErrorKind::kOutput), 1);
  EXPECT_EQ(exit_code(ErrorKind::kUsage), 2);
  EXPECT_EQ(exit_code(ErrorKind::kBug), 3);
}

TEST(TokenBatch, LaysTextsEndToEnd) {
  TokenBatch batch;
  EXPECT_EQ(batch.n_sequences(), 0U);
  Token token;
  token.id = 7, token.segment = 1;
  batch.append(std::vector{token, token});
  batch.append({});
  batch.append(std::vector{token});
  EXPECT_EQ(batch.offsets, (std::vector<std::size_t>{0, 2, 2, 3}));
  EXPECT_EQ(batch.ids, (std::vector<std::int32_t>{7, 7, 7}));
  EXPECT_EQ(batch.segments, (std::vector<std::int32_t>{1, 1, 1}));
}

}  // namespace
}  // namespace attnviz

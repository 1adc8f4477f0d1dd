// truncate.h: what goes and what stays. Compared with the reference in tests/parity/tokenizer.
#include "text/truncate.h"

#include <attnviz/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_tokenizer.h"
#include "text/make_tokenizer.h"

namespace attnviz {
namespace {

using testing::ElementsAre;

TEST(Truncate, CutsTheEndAndKeepsTheTemplate) {
  const auto tokenizer = make_tokenizer(small_spec());
  const auto tokens = tokenizer->encode({"the a b x", std::nullopt});
  EXPECT_THAT(texts_of(tokenizer->truncate(tokens, 4)), ElementsAre("[CLS]", "the", "a", "[SEP]"));
  EXPECT_THAT(texts_of(tokenizer->truncate(tokens, 2)), ElementsAre("[CLS]", "[SEP]"));
  EXPECT_EQ(tokenizer->truncate(tokens, 6).size(), 6U);
  EXPECT_EQ(tokenizer->truncate(tokens, 100).size(), 6U);
}

TEST(Truncate, TypedSpecialTokensAreContent) {
  const auto tokenizer = make_tokenizer(small_spec());
  const auto tokens = tokenizer->encode({"[SEP] a [MASK] b", std::nullopt});
  EXPECT_THAT(texts_of(tokenizer->truncate(tokens, 4)), ElementsAre("[CLS]", "[SEP]", "a", "[SEP]"));
}

TEST(Truncate, CutsTheLongerTextOfAPair) {
  const auto tokenizer = make_tokenizer(small_spec());
  const auto tokens = tokenizer->encode({"a a a a a", "b b"});
  EXPECT_THAT(texts_of(tokenizer->truncate(tokens, 8)), ElementsAre("[CLS]", "a", "a", "a", "[SEP]", "b", "b", "[SEP]"));
  EXPECT_THAT(texts_of(tokenizer->truncate(tokens, 5)), ElementsAre("[CLS]", "a", "[SEP]", "b", "[SEP]"));
}

TEST(Truncate, RefusesWhenTheTemplateDoesNotFit) {
  const auto tokenizer = make_tokenizer(small_spec());
  const auto tokens = tokenizer->encode({"a", "b"});
  try {
    tokenizer->truncate(tokens, 2);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), testing::HasSubstr("2 tokens; the model's own special tokens are 3"));
  }
}

}  // namespace
}  // namespace attnviz

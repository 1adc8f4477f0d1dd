// Each field that ModelConfig::validate guards, one step outside its limits.
#include <attnviz/model_config.h>

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/model/expect_error.h"

namespace attnviz {
namespace {

StackSpec good() {
  StackSpec config;
  config.n_layer = 2;
  config.d_model = 12;
  config.embedding.n_vocab = 5;
  config.embedding.n_position = 9;
  config.embedding.d_embedding = 12;
  config.attention.n_head = 6;
  config.attention.n_kv_head = 2;
  config.attention.d_head = 3;  // need not be D / H
  config.attention.scale = 0.5f;
  config.ffn.d_ffn = 7;
  return config;
}

std::string message(const std::function<void(StackSpec*)>& change) {
  ModelConfig config{"bert", {good()}};
  change(&config.stacks.front());
  const SeenError error = error_of([&] { config.validate("config.json"); });
  EXPECT_TRUE(!error.thrown || error.kind == ErrorKind::kModel);
  return error.message;
}

TEST(ModelConfig, AcceptsAGoodOne) {
  EXPECT_EQ(message([](StackSpec*) {}), "");
}

TEST(ModelConfig, NamesTheFieldThatIsWrong) {
  using testing::HasSubstr;
  EXPECT_THAT(message([](StackSpec* c) { c->n_layer = 0; }), HasSubstr("config.json: the number of layers"));
  EXPECT_THAT(message([](StackSpec* c) { c->n_layer = 1u << 20; }), HasSubstr("the number of layers"));
  EXPECT_THAT(message([](StackSpec* c) { c->d_model = 0; }), HasSubstr("width"));
  EXPECT_THAT(message([](StackSpec* c) { c->embedding.n_vocab = 0; }), HasSubstr("vocabulary"));
  EXPECT_THAT(message([](StackSpec* c) { c->embedding.n_vocab = std::size_t{1} << 31; }), HasSubstr("vocabulary"));
  EXPECT_THAT(message([](StackSpec* c) { c->embedding.position_offset = 9; }), HasSubstr("expected 10 to"));
  EXPECT_THAT(message([](StackSpec* c) { c->embedding.unnumbered_id = 1; }), HasSubstr("position offset"));
  EXPECT_THAT(message([](StackSpec* c) { c->attention.n_kv_head = 4; }), HasSubstr("a divisor of the 6 heads, found 4"));
  EXPECT_THAT(message([](StackSpec* c) { c->attention.n_kv_head = 0; }), HasSubstr("key/value heads"));
  EXPECT_THAT(message([](StackSpec* c) { c->attention.d_head = 0; }), HasSubstr("width of a head"));
  EXPECT_THAT(message([](StackSpec* c) { c->attention.scale = std::nanf(""); }), HasSubstr("scale"));
  EXPECT_THAT(message([](StackSpec* c) { c->attention.mask.window = 0; }), HasSubstr("window"));
  EXPECT_THAT(message([](StackSpec* c) { c->attention.relative_bias = RelativeBiasSpec{3, 128, true}; }), HasSubstr("buckets"));
  EXPECT_THAT(message([](StackSpec* c) { c->attention.relative_bias = RelativeBiasSpec{32, 8, true}; }), HasSubstr("distance"));
  EXPECT_THAT(message([](StackSpec* c) { c->ffn.d_ffn = 0; }), HasSubstr("feed-forward"));
  EXPECT_THAT(message([](StackSpec* c) { c->norm.epsilon = -1; }), HasSubstr("epsilon"));
}

}  // namespace
}  // namespace attnviz

// From llama.cpp's names and settings to a family's: what is renamed, what is put back, and what is refused.
#include "model/gguf/gguf_map.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/arch/registry.h"
#include "model/gguf/gguf_names.h"
#include "model/model.h"
#include "unit/formats/gguf/gguf_writer.h"

namespace attnviz {
namespace {

using namespace test;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class GgufMap : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    file_ = fs::path(testing::TempDir()) / (std::string("attnviz-map-") + info->name() + ".gguf");
  }
  void TearDown() override { fs::remove(file_); }

  GgufModel map(const std::vector<std::string>& pairs, std::vector<std::string> infos = {}) {
    GgufParts parts;
    parts.pairs = pairs;
    parts.infos = std::move(infos);
    parts.data = std::string(4096, '\0');
    std::ofstream(file_, std::ios::binary) << gguf_file(parts);
    return map_gguf(open_gguf(file_));
  }
  std::string message_of(const std::vector<std::string>& pairs, std::vector<std::string> infos = {}) {
    try {
      map(pairs, std::move(infos));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
      return error.what();
    }
    return "no error";
  }

  fs::path file_;
};

std::vector<std::string> settings(const std::string& name, std::vector<std::string> more = {}) {
  std::vector<std::string> pairs = {
      pair_text("general.architecture", name),        pair_u32(name + ".block_count", 2),
      pair_u32(name + ".context_length", 64),         pair_u32(name + ".embedding_length", 24),
      pair_u32(name + ".feed_forward_length", 40),    pair_u32(name + ".attention.head_count", 6),
      pair_u32(name + ".attention.head_count_kv", 3), pair_f32(name + ".attention.layer_norm_rms_epsilon", 1e-5F),
      pair_f32(name + ".rope.freq_base", 500000)};
  pairs.insert(pairs.end(), more.begin(), more.end());
  return pairs;
}

TEST_F(GgufMap, SettingsAreTheHubs) {
  const GgufModel model =
      map(settings("llama"), {info_of("token_embd.weight", {24, 7}, 0, 0), info_of("output.weight", {24, 7}, 0, 672)});
  const ConfigObject config = ConfigObject::parse(model.settings, "s");
  EXPECT_EQ(config.text("model_type"), "llama");
  EXPECT_EQ(config.size("num_hidden_layers"), 2U);
  EXPECT_EQ(config.size("hidden_size"), 24U);
  EXPECT_EQ(config.size("num_attention_heads"), 6U);
  EXPECT_EQ(config.size("num_key_value_heads"), 3U);
  EXPECT_EQ(config.size("head_dim"), 4U);
  EXPECT_EQ(config.size("intermediate_size"), 40U);
  EXPECT_EQ(config.size("vocab_size"), 7U);
  EXPECT_EQ(config.size("max_position_embeddings"), 64U);
  EXPECT_FLOAT_EQ(static_cast<float>(config.number("rms_norm_eps", 0)), 1e-5F);
  EXPECT_EQ(config.number("rope_theta", 0), 500000);
  EXPECT_FALSE(config.flag("tie_word_embeddings", true));
  EXPECT_FALSE(config.has("rope_scaling"));
}

TEST_F(GgufMap, TensorsAreRenamedAndRotaryRowsPutBack) {
  const GgufModel model =
      map(settings("llama"), {info_of("blk.1.attn_q.weight", {8, 24}, 0, 0), info_of("blk.1.attn_v.weight", {8, 12}, 0, 768),
                              info_of("rope_freqs.extra", {2}, 0, 1152)});
  ASSERT_EQ(model.weights->tensors().size(), 2U);
  EXPECT_TRUE(model.weights->is_plain());
  const StoredTensor* query = model.weights->find("model.layers.1.self_attn.q_proj.weight");
  ASSERT_NE(query, nullptr);
  EXPECT_EQ(query->view.interleaved_group, 4U);
  const StoredTensor* value = model.weights->find("model.layers.1.self_attn.v_proj.weight");
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->view.interleaved_group, 0U);
  const GgufModel qwen = map(settings("qwen2"), {info_of("blk.0.attn_q.weight", {8, 24}, 0, 0)});
  EXPECT_EQ(qwen.weights->find("model.layers.0.self_attn.q_proj.weight")->view.interleaved_group, 0U);
}

TEST_F(GgufMap, RopeScalingOfEachKind) {
  const auto scaling = [&](std::vector<std::string> more, std::vector<std::string> infos = {}) {
    return ConfigObject::parse(map(settings("llama", std::move(more)), std::move(infos)).settings, "s").object("rope_scaling");
  };
  const auto linear = scaling({pair_text("llama.rope.scaling.type", "linear"), pair_f32("llama.rope.scaling.factor", 4)});
  EXPECT_EQ(linear->text("rope_type"), "linear");
  EXPECT_EQ(linear->number("factor", 0), 4);
  EXPECT_EQ(scaling({pair_f32("llama.rope.scale_linear", 2)})->number("factor", 0), 2);
  EXPECT_FALSE(scaling({pair_text("llama.rope.scaling.type", "none")}));
  const auto factors = scaling({}, {info_of("rope_freqs.weight", {2}, 0, 0)});
  EXPECT_EQ(factors->text("rope_type"), "longrope");
  EXPECT_EQ(factors->numbers("short_factor").size(), 2U);
  const auto yarn = scaling({pair_text("llama.rope.scaling.type", "yarn"), pair_f32("llama.rope.scaling.factor", 4),
                             pair_f32("llama.rope.scaling.attn_factor", 0.5F), pair_f32("llama.rope.scaling.yarn_beta_fast", 16)});
  EXPECT_EQ(yarn->text("rope_type"), "yarn");
  EXPECT_EQ(yarn->number("factor", 0), 4);
  EXPECT_EQ(yarn->number("beta_fast", 0), 16);
  EXPECT_EQ(yarn->number("beta_slow", 0), 1);
  EXPECT_GT(yarn->size("original_max_position_embeddings"), 0U);
  EXPECT_NEAR(yarn->number("attention_factor", 0), 0.5 * (0.1 * std::log(4.0) + 1), 1e-12);
  const auto scaled_by = [&](const char* type, std::vector<std::string> more = {}) {
    more.insert(more.end(), {pair_text("llama.rope.scaling.type", type), pair_f32("llama.rope.scaling.factor", 4)});
    return message_of(settings("llama", std::move(more)));
  };
  EXPECT_THAT(scaled_by("ntk"), HasSubstr("\"ntk\" is not supported"));
  EXPECT_THAT(scaled_by("yarn", {pair_f32("llama.rope.scaling.yarn_log_multiplier", 0.1F)}), HasSubstr("yarn_log_multiplier"));
  EXPECT_THAT(message_of(settings("llama"), {info_of("rope_freqs.weight", {2}, 1, 0)}), HasSubstr("expected 2 numbers of F32"));
}

TEST_F(GgufMap, WhatIsWrongIsNamed) {
  EXPECT_THAT(message_of({}), HasSubstr("\"general.architecture\": is missing"));
  EXPECT_THAT(message_of({pair_text("general.architecture", "llame")}),
              AllOf(HasSubstr("\"llame\" is not supported"), HasSubstr("did you mean llama?")));
  EXPECT_THAT(message_of({pair_text("general.architecture", "llama")}), HasSubstr("\"llama.embedding_length\": is missing"));
  EXPECT_THAT(message_of(settings("llama", {pair_u32("llama.expert_count", 8)})), HasSubstr("mixture of experts"));
  EXPECT_THAT(message_of(settings("llama", {pair_u32("llama.rope.dimension_count", 2)})),
              HasSubstr("expected 4, the width of a head, found 2"));
  EXPECT_THAT(message_of(settings("llama", {pair_u32("llama.attention.value_length", 8)})),
              HasSubstr("expected 4, the length of a key, found 8"));
  EXPECT_THAT(message_of(settings("llama"), {info_of("blk.0.attn_q.weight", {8, 6}, 0, 0)}),
              HasSubstr("has 6 rows; expected a multiple of the even width 4"));
}

TEST_F(GgufMap, SizesGivenLayerByLayerMustBeOne) {
  auto pairs = settings("llama");
  pairs[5] = pair_numbers<std::uint32_t>("llama.attention.head_count", 4, {6, 6});
  EXPECT_EQ(ConfigObject::parse(map(pairs).settings, "s").size("num_attention_heads"), 6U);
  pairs[5] = pair_numbers<std::uint32_t>("llama.attention.head_count", 4, {6, 3});
  EXPECT_THAT(message_of(pairs), HasSubstr("differs from layer to layer"));
}

TEST(GgufNames, EveryArchitectureIsAFamily) {
  const auto known = supported_families();
  for (const GgufArchitecture& one : gguf_architecture_table()) {
    EXPECT_NE(std::find(known.begin(), known.end(), one.model_type), known.end()) << one.name;
  }
}

}  // namespace
}  // namespace attnviz

// config.json of decoders to ModelConfig: what is read, what holds where nothing is said, what is refused by name.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/arch/registry.h"
#include "unit/model/expect_error.h"

namespace attnviz {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

const std::string kSizes = R"("vocab_size": 50, "hidden_size": 24, "num_hidden_layers": 6, "num_attention_heads": 4,
                              "intermediate_size": 30, "max_position_embeddings": 64)";
const std::string kGpt2Sizes = R"("vocab_size": 50, "n_embd": 24, "n_layer": 3, "n_head": 4, "n_positions": 64)";
const std::string kOptSizes = R"("vocab_size": 50, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4,
                                 "ffn_dim": 30, "max_position_embeddings": 64)";

StackSpec read(const std::string& type, const std::string& more, const std::string& sizes = kSizes) {
  const std::string text = "{\"model_type\": \"" + type + "\", " + more + (more.empty() ? "" : ", ") + sizes + "}";
  const ConfigObject settings = ConfigObject::parse(text, "config.json");
  const Family& family = find_family(settings);
  StackSpec stack = read_model_config(family, settings).first();
  family.expected_tensors(stack, settings);
  return stack;
}

std::string message(const std::string& type, const std::string& more, const std::string& sizes = kSizes) {
  return error_of([&] { read(type, more, sizes); }).message;
}

TEST(DecoderConfig, LlamaSaysWhatItComputes) {
  const StackSpec config = read("llama", R"("num_key_value_heads": 2, "rms_norm_eps": 1e-5)");
  EXPECT_EQ(config.attention.n_kv_head, 2u);
  EXPECT_EQ(config.attention.d_head, 6u);
  EXPECT_TRUE(config.attention.mask.causal);
  EXPECT_FALSE(config.attention.mask.window);
  EXPECT_EQ(config.norm.kind, NormKind::kRms);
  EXPECT_EQ(config.norm.placement, NormPlacement::kPre);
  EXPECT_EQ(config.norm.epsilon, 1e-5f);
  EXPECT_TRUE(config.ffn.gated);
  EXPECT_EQ(config.ffn.activation, Activation::kSilu);
  EXPECT_EQ(config.max_tokens(), 64u);
  EXPECT_FALSE(config.output.tied);
  EXPECT_THAT(config.attention.rope->inverse_frequencies,
              ElementsAre(1.0f, FloatNear(0.0464158883f, 1e-8f), FloatNear(0.0021544347f, 1e-9f)));
  EXPECT_EQ(read("llama", "").attention.n_kv_head, 4u);
  EXPECT_EQ(read("llama", R"("head_dim": 10)").attention.d_head, 10u);
}

TEST(DecoderConfig, HeadsMustShareEvenly) {
  EXPECT_THAT(message("llama", R"("num_key_value_heads": 3)"), HasSubstr("a divisor of the 4 heads"));
  EXPECT_THAT(message("llama", R"("head_dim": 7)"),
              HasSubstr("the rotated width of a head is not usable; expected an even number"));
  EXPECT_THAT(message("llama", "", R"("vocab_size": 5, "hidden_size": 25, "num_hidden_layers": 1, "num_attention_heads": 4,
                                      "max_position_embeddings": 8)"),
              HasSubstr("num_attention_heads 4 is not usable; expected a divisor of hidden_size 25"));
}

TEST(DecoderConfig, HugeSizesAreRefusedBeforeTheyAreUsed) {
  EXPECT_THAT(message("llama", R"("head_dim": 1152921504606846976)"), HasSubstr("head_dim is not usable; expected 1 to 65536"));
  const std::string deep = R"("vocab_size": 5, "hidden_size": 24, "num_hidden_layers": 1152921504606846976,
                              "num_attention_heads": 4, "max_position_embeddings": 8)";
  for (const char* type : {"llama", "qwen2", "gemma2", "gpt_neox"}) {
    EXPECT_THAT(message(type, "", deep), HasSubstr("num_hidden_layers is not usable; expected 1 to 4096")) << type;
  }
}

TEST(DecoderConfig, MistralsWindow) {
  EXPECT_EQ(read("mistral", R"("num_key_value_heads": 2, "sliding_window": 5)").attention.mask.window, 5u);
  EXPECT_EQ(read("mistral", R"("num_key_value_heads": 2)").attention.mask.window, 4096u);
  EXPECT_FALSE(read("mistral", R"("num_key_value_heads": 2, "sliding_window": null)").attention.mask.window);
  EXPECT_THAT(message("mistral", R"("num_key_value_heads": 2, "sliding_window": 0)"), HasSubstr("sliding_window is not usable"));
}

TEST(DecoderConfig, QwensUpperLayersMayHaveAWindow) {
  const StackSpec plain = read("qwen2", R"("sliding_window": 4, "max_window_layers": 2)");
  EXPECT_TRUE(plain.attention_of_layer.empty());
  const StackSpec sliding = read("qwen2", R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 2)");
  EXPECT_FALSE(sliding.attention_at(1).mask.window);
  EXPECT_EQ(sliding.attention_at(2).mask.window, 4u);
  EXPECT_EQ(read("qwen3", "").attention.d_head, 128u);
  EXPECT_TRUE(read("qwen3", "").attention.qk_norm);
  EXPECT_THAT(message("qwen3", R"("layer_types": ["full_attention"])"), HasSubstr("one for each of the 6 layers, found 1"));
  EXPECT_THAT(message("qwen3", R"("layer_types": ["a", "b", "c", "d", "e", "f"])"), HasSubstr("layer_types 'a' is not supported"));
}

TEST(DecoderConfig, GemmasLayersAlternate) {
  const StackSpec two = read("gemma2", R"("sliding_window": 4)");
  EXPECT_EQ(two.attention_at(0).mask.window, 4u);
  EXPECT_FALSE(two.attention_at(1).mask.window);
  EXPECT_EQ(two.attention_at(1).softcap, 50.0f);
  EXPECT_EQ(two.output.softcap, 30.0f);
  EXPECT_EQ(two.attention.scale, 1.0f / 16);
  EXPECT_FLOAT_EQ(two.embedding.scale, 4.8989795f);
  EXPECT_EQ(read("gemma2", R"("attn_logit_softcapping": null)").attention.softcap, 0.0f);
  const StackSpec three = read("gemma3_text", R"("rope_scaling": {"rope_type": "linear", "factor": 8.0})");
  EXPECT_EQ(three.attention_at(4).mask.window, 4096u);
  EXPECT_FALSE(three.attention_at(5).mask.window);
  EXPECT_EQ(three.attention_at(5).rope->inverse_frequencies[0], 0.125f);
  EXPECT_EQ(three.attention_at(4).rope->inverse_frequencies[0], 1.0f);
  EXPECT_GT(three.attention_at(4).rope->inverse_frequencies[127], three.attention_at(5).rope->inverse_frequencies[127] * 10);
  EXPECT_THAT(message("gemma2", R"("use_bidirectional_attention": true)"), HasSubstr("use_bidirectional_attention"));
}

TEST(DecoderConfig, GemmaWithVisionLeansOnTheReferencesDefaults) {
  const StackSpec config = read("gemma3", R"("text_config": {"hidden_size": 2560, "num_hidden_layers": 34})");
  EXPECT_EQ(config.embedding.n_vocab, 262208u);
  EXPECT_EQ(config.attention.n_head, 8u);
  EXPECT_EQ(config.attention.n_kv_head, 4u);
  EXPECT_EQ(config.attention.d_head, 256u);
  EXPECT_EQ(config.max_tokens(), 131072u);
  EXPECT_THAT(message("gemma3", ""), HasSubstr("text_config is missing"));
}

TEST(DecoderConfig, RopeScalings) {
  const auto rope = [](const std::string& scaling) { return *read("llama", "\"rope_scaling\": " + scaling).attention.rope; };
  const std::vector<float> plain = read("llama", "").attention.rope->inverse_frequencies;
  EXPECT_EQ(rope(R"({"type": "dynamic", "factor": 2.0})").inverse_frequencies, plain);
  EXPECT_EQ(rope(R"({"type": "linear", "factor": 4.0})").inverse_frequencies[0], 0.25f);
  const RopeSpec yarn = rope(R"({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16})");
  EXPECT_FLOAT_EQ(yarn.attention_factor, 1.1386294f);
  const RopeSpec longer = rope(R"({"type": "su", "short_factor": [1, 1, 2], "long_factor": [1, 4, 8],
                                   "original_max_position_embeddings": 16})");
  EXPECT_FLOAT_EQ(longer.inverse_frequencies[2], plain[2] / 2);
  EXPECT_FLOAT_EQ(longer.long_frequencies[2], plain[2] / 8);
  EXPECT_EQ(longer.n_short, 16u);
  EXPECT_FLOAT_EQ(longer.attention_factor, 1.2247449f);  // sqrt(1 + ln 4 / ln 16)
}

TEST(DecoderConfig, RopeScalingsThatAreNotComputedAreRefusedByName) {
  const auto refused = [](const std::string& scaling) { return message("llama", "\"rope_scaling\": " + scaling); };
  EXPECT_THAT(refused(R"({"rope_type": "mrope"})"),
              AllOf(HasSubstr("rope_scaling"), HasSubstr("rope_type 'mrope' is not supported"), HasSubstr("llama3")));
  EXPECT_THAT(refused(R"({"rope_type": "linear"})"), HasSubstr("factor is not usable; expected a positive number, found nothing"));
  EXPECT_THAT(refused(R"({"rope_type": "linear", "factor": 0})"), HasSubstr("factor is not usable"));
  EXPECT_THAT(refused(R"({"rope_type": "longrope", "short_factor": [1], "long_factor": [1]})"),
              HasSubstr("short_factor is not usable; expected 3 numbers, found 1"));
  EXPECT_THAT(refused(R"({"rope_type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 1})"),
              HasSubstr("high_freq_factor"));
  EXPECT_THAT(message("llama", R"("rope_theta": -1)"), HasSubstr("rope_theta is not usable"));
}

TEST(DecoderConfig, OlderFamilies) {
  const StackSpec gpt2 = read("gpt2", "", kGpt2Sizes);
  EXPECT_EQ(gpt2.ffn.d_ffn, 96u);
  EXPECT_EQ(gpt2.ffn.activation, Activation::kGeluTanh);
  EXPECT_EQ(gpt2.max_tokens(), 64u);
  EXPECT_TRUE(gpt2.output.tied);
  EXPECT_FLOAT_EQ(read("gpt2", R"("scale_attn_by_inverse_layer_idx": true)", kGpt2Sizes).attention_at(2).scale,
                  gpt2.attention.scale / 3);
  EXPECT_EQ(read("gpt2", R"("scale_attn_weights": false)", kGpt2Sizes).attention.scale, 1.0f);
  EXPECT_THAT(message("gpt2", R"("add_cross_attention": true)", kGpt2Sizes), HasSubstr("add_cross_attention"));

  const StackSpec neox = read("gpt_neox", R"("rotary_pct": 0.7)");
  EXPECT_TRUE(neox.parallel_residual);
  EXPECT_EQ(neox.attention.rope->d_rotary, 4u);                      // of 6
  EXPECT_THAT(message("gpt_neox", ""), HasSubstr("rotated width"));  // a quarter of 6 is one
}

TEST(DecoderConfig, Opt) {
  const StackSpec opt = read("opt", "", kOptSizes);
  EXPECT_EQ(opt.max_tokens(), 64u);
  EXPECT_EQ(opt.embedding.position_offset, 2u);
  EXPECT_EQ(opt.norm.placement, NormPlacement::kPre);
  EXPECT_EQ(read("opt", R"("do_layer_norm_before": false)", kOptSizes).norm.placement, NormPlacement::kPost);
  EXPECT_EQ(read("opt", R"("word_embed_proj_dim": 12)", kOptSizes).embedding.d_embedding, 12U);
  EXPECT_THAT(message("opt", R"("word_embed_proj_dim": 0)", kOptSizes), HasSubstr("word_embed_proj_dim is not usable"));
  EXPECT_THAT(message("opt", R"("layer_norm_elementwise_affine": false)", kOptSizes), HasSubstr("layer_norm_elementwise_affine"));
}

}  // namespace
}  // namespace attnviz

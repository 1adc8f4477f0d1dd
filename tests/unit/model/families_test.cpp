// config.json to ModelConfig: which family is meant, what each reads, and what is refused by name.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/arch/registry.h"
#include "model/model.h"
#include "unit/model/expect_error.h"
#include "unit/model/memory_weights.h"

namespace attnviz {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ModelConfig read_model(const std::string& text) {
  const ConfigObject settings = ConfigObject::parse(text, "config.json");
  return read_model_config(find_family(settings), settings);
}

StackSpec read(const std::string& text) { return read_model(text).first(); }

// kSmallBert with `more` settings in front; the model_type is the caller's.
std::string with(const std::string& type, const std::string& more) {
  return "{\"model_type\": \"" + type + "\", " + more + (more.empty() ? "" : ", ") +
         kSmallBert.substr(kSmallBert.find("\"vocab_size\""));
}

TEST(Registry, UnknownTypeListsTheSupportedOnesAndTheNearest) {
  const SeenError error = error_of([] { read(R"({"model_type": "disitlbert"})"); });
  EXPECT_EQ(error.kind, ErrorKind::kModel);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("config.json: model_type 'disitlbert' is not supported"), HasSubstr("one of albert, bert, "),
                    HasSubstr(", mpnet, "), HasSubstr("did you mean distilbert?")));
  EXPECT_THAT(error_of([] { read(R"({"model_type": "whisper"})"); }).message, testing::Not(HasSubstr("did you mean")));
}

TEST(Registry, ConfigWithoutATypeIsKnownByItsClass) {
  const auto family = [](const std::string& text) { return find_family(ConfigObject::parse(text, "config.json")).name; };
  EXPECT_EQ(family(R"({"architectures": ["BertForMaskedLM"]})"), "bert");
  EXPECT_EQ(family(R"({"architectures": ["DistilBertModel"]})"), "distilbert");
  EXPECT_EQ(family(R"({"architectures": ["MPNetModel"]})"), "mpnet");
  EXPECT_EQ(family(R"({"architectures": ["LlamaForCausalLM"]})"), "llama");
  EXPECT_EQ(family(R"({"architectures": ["GPT2LMHeadModel"]})"), "gpt2");
  EXPECT_THAT(error_of([&] { family(R"({"architectures": ["Qwen2MoeForCausalLM"]})"); }).message,
              HasSubstr("'Qwen2MoeForCausalLM' is not supported"));
  EXPECT_EQ(family(R"({"architectures": ["RobertaForMaskedLM"]})"), "roberta");
  EXPECT_EQ(family(R"({"architectures": ["XLMRobertaModel"]})"), "xlm-roberta");
  EXPECT_EQ(family(R"({"architectures": ["DebertaV2ForMaskedLM"]})"), "deberta-v2");
  EXPECT_THAT(error_of([&] { family(R"({"architectures": ["XLNetModel"]})"); }).message,
              HasSubstr("'XLNetModel' is not supported"));
  EXPECT_THAT(error_of([&] { family("{}"); }).message, HasSubstr("has no \"model_type\""));
}

TEST(Families, BertDefaultsAreTheReferences) {
  const StackSpec config = read(kSmallBert);
  EXPECT_EQ(config.ffn.activation, Activation::kGelu);
  EXPECT_EQ(config.norm.epsilon, 1e-12f);
  EXPECT_EQ(config.attention.d_head, 5u);
  EXPECT_FLOAT_EQ(config.attention.scale, 0.4472136f);
  EXPECT_EQ(config.max_tokens(), 40u);
  EXPECT_FALSE(config.attention.mask.causal);
}

TEST(Families, ActivationsUnderAllTheirNames) {
  const auto activation = [](const std::string& name) {
    return read(with("bert", "\"hidden_act\": \"" + name + "\"")).ffn.activation;
  };
  for (const char* name : {"gelu", "gelu_python"}) EXPECT_EQ(activation(name), Activation::kGelu) << name;
  for (const char* name : {"gelu_new", "gelu_fast", "gelu_pytorch_tanh", "gelu_accurate"}) {
    EXPECT_EQ(activation(name), Activation::kGeluTanh) << name;
  }
  EXPECT_EQ(activation("relu"), Activation::kRelu);
  for (const char* name : {"silu", "swish"}) EXPECT_EQ(activation(name), Activation::kSilu) << name;
  EXPECT_THAT(error_of([&] { activation("mish"); }).message,
              AllOf(HasSubstr("hidden_act 'mish' is not supported"), HasSubstr("gelu_new")));
}

TEST(Families, OptionsWeDoNotComputeAreRefusedByName) {
  const auto message = [](const std::string& more) { return error_of([&] { read(with("bert", more)); }).message; };
  EXPECT_THAT(message(R"("position_embedding_type": "relative_key")"),
              AllOf(HasSubstr("position_embedding_type"), HasSubstr("'relative_key'"), HasSubstr("'absolute'")));
  EXPECT_THAT(message(R"("is_decoder": true)"), HasSubstr("is_decoder is not supported"));
  EXPECT_THAT(message(R"("add_cross_attention": true)"), HasSubstr("add_cross_attention is not supported"));
  EXPECT_EQ(message(R"("position_embedding_type": "absolute", "is_decoder": false)"), "");
}

TEST(Families, WidthMustDivideByHeads) {
  std::string text = kSmallBert;
  text.replace(text.find("\"num_attention_heads\": 3"), 24, "\"num_attention_heads\": 4");
  EXPECT_THAT(error_of([&] { read(text); }).message,
              AllOf(HasSubstr("num_attention_heads 4"), HasSubstr("divisor of hidden_size 15")));
  text.replace(text.find("\"num_attention_heads\": 4"), 24, "\"num_attention_heads\": 0");
  EXPECT_TRUE(error_of([&] { read(text); }).thrown);
}

TEST(Families, AbsurdSizesAreRefusedBeforeAnythingIsAllocated) {
  for (const char* key : {"num_hidden_layers", "vocab_size", "max_position_embeddings", "intermediate_size", "type_vocab_size"}) {
    std::string text = kSmallBert;
    const std::size_t value = text.find_first_of("0123456789", text.find(key) + std::string(key).size());
    text.replace(value, text.find_first_of(",}", value) - value, "4611686018427387904");
    EXPECT_THAT(error_of([&] { read(text); }).message, HasSubstr("4611686018427387904")) << key;
  }
}

TEST(Families, AlbertSpreadsStepsOverGroupsAndCountsInnerLayers) {
  const auto albert = [](const std::string& more) {
    const ConfigObject settings = ConfigObject::parse(with("albert", more), "config.json");
    return kAlbert.expected_tensors(read_model_config(kAlbert, settings).first(), settings).layers;
  };
  EXPECT_THAT(albert(R"("num_hidden_groups": 2)"),
              testing::ElementsAre("0.albert_layers.0", "0.albert_layers.0", "1.albert_layers.0"));
  EXPECT_EQ(albert(R"("inner_group_num": 2)").size(), 6u);
  EXPECT_THAT(error_of([&] { albert(R"("num_hidden_groups": 4)"); }).message, HasSubstr("num_hidden_groups"));
  EXPECT_THAT(error_of([&] { read(with("albert", R"("inner_group_num": 0)")); }).message, HasSubstr("number of layers"));
}

TEST(Families, MpnetPositionsBeginAfterThePadToken) {
  const StackSpec config = read(with("mpnet", ""));
  EXPECT_EQ(config.max_tokens(), 38u);
  EXPECT_EQ(config.embedding.unnumbered_id, 1);
  EXPECT_EQ(config.embedding.n_segment, 0u);
  EXPECT_THAT(error_of([] { read(with("mpnet", R"("relative_attention_num_buckets": 16)")); }).message,
              AllOf(HasSubstr("relative_attention_num_buckets"), HasSubstr("expected 32, found 16")));
}

TEST(Families, RobertaPositionsBeginAfterThePadTokenOfTheConfig) {
  for (const char* name : {"roberta", "xlm-roberta", "camembert"}) {
    const StackSpec config = read(with(name, ""));
    EXPECT_EQ(read_model(with(name, "")).family, name);
    EXPECT_EQ(config.embedding.unnumbered_id, 1);
    EXPECT_EQ(config.max_tokens(), 38u);
    EXPECT_EQ(read(with(name, R"("pad_token_id": 5)")).embedding.position_offset, 6u);
    EXPECT_THAT(error_of([&] { read(with(name, R"("pad_token_id": 4611686018427387904)")); }).message, HasSubstr("pad_token_id"));
    EXPECT_THAT(error_of([&] { read(with(name, R"("is_decoder": true)")); }).message, HasSubstr("is_decoder is not supported"));
  }
}

TEST(Families, DebertaReadsItsPositionScores) {
  const std::string v3 = R"("relative_attention": true, "position_buckets": 8, "pos_att_type": "p2c|C2P", "share_att_key": true,
      "norm_rel_ebd": "layer_norm", "max_relative_positions": -1, "position_biased_input": false, "type_vocab_size": 0)";
  const StackSpec config = read(with("deberta-v2", v3));
  ASSERT_TRUE(config.attention.disentangled.has_value());
  const DisentangledSpec& spec = *config.attention.disentangled;
  EXPECT_TRUE(spec.content_to_position && spec.position_to_content && spec.shared_projections && spec.log_buckets);
  EXPECT_EQ(spec.span, 8u);
  EXPECT_EQ(spec.max_distance, 40u);
  EXPECT_FLOAT_EQ(config.attention.scale, 0.25819889f);  // 1 / sqrt(3 * 5)
  EXPECT_EQ(config.embedding.n_position, 0u);
  EXPECT_EQ(config.max_tokens(), 40u);
  const StackSpec one = read(with("deberta-v2", R"("relative_attention": true, "pos_att_type": ["p2c"])"));
  EXPECT_EQ(one.attention.disentangled->span, 40u);
  EXPECT_FALSE(one.attention.disentangled->content_to_position || one.attention.disentangled->log_buckets);
  EXPECT_EQ(one.embedding.n_position, 40u);
  EXPECT_FALSE(read(with("deberta-v2", R"("pos_att_type": ["p2c"])")).attention.disentangled.has_value());
  EXPECT_FALSE(read(with("deberta-v2", R"("relative_attention": true)")).attention.disentangled.has_value());
}

TEST(Families, DebertaVariantsThatAreNotComputedAreRefusedByName) {
  const auto message = [](const std::string& more) { return error_of([&] { read(with("deberta-v2", more)); }).message; };
  EXPECT_THAT(message(R"("conv_kernel_size": 3)"), AllOf(HasSubstr("conv_kernel_size"), HasSubstr("a convolution")));
  EXPECT_THAT(message(R"("embedding_size": 4)"), AllOf(HasSubstr("embedding_size"), HasSubstr("expected 15, found 4")));
  EXPECT_THAT(message(R"("attention_head_size": 6)"), HasSubstr("attention_head_size"));
  EXPECT_THAT(message(R"("pos_att_type": "p2p|c2p")"), AllOf(HasSubstr("pos_att_type"), HasSubstr("'p2p'")));
  const std::string relative = R"("relative_attention": true, "pos_att_type": "c2p", )";
  EXPECT_THAT(message(relative + R"("position_buckets": 2)"), HasSubstr("distance buckets"));
  EXPECT_THAT(message(relative + R"("position_buckets": 8.5)"), HasSubstr("position_buckets"));
  EXPECT_THAT(message(relative + R"("position_buckets": 8, "max_relative_positions": 5)"), HasSubstr("largest relative distance"));
  EXPECT_THAT(message(relative + R"("max_relative_positions": 1e12)"), HasSubstr("expected a whole number up to 1000000000"));
  const ConfigObject settings = ConfigObject::parse(with("deberta-v2", relative + R"("norm_rel_ebd": "rms_norm")"), "config.json");
  EXPECT_THAT(error_of([&] { tensor_tables(kDebertaV2, read_model_config(kDebertaV2, settings), settings); }).message,
              AllOf(HasSubstr("norm_rel_ebd"), HasSubstr("'rms_norm'")));
}

// kSmallBert with what ModernBERT needs: heads of an even width.
std::string modernbert(const std::string& more) {
  std::string text = with("modernbert", more);
  text.replace(text.find("\"hidden_size\": 15"), 17, "\"hidden_size\": 12");
  return text;
}

TEST(Families, ModernbertLayersAreMostlyLocal) {
  const StackSpec config = read(modernbert(R"("local_attention": 7, "global_rope_theta": 100.0, "local_rope_theta": 10.0)"));
  ASSERT_EQ(config.attention_of_layer, (std::vector<std::size_t>{0, 1, 1}));
  EXPECT_FALSE(config.attention_at(0).mask.window.has_value());
  EXPECT_EQ(config.attention_at(1).mask.window, 4u);  // three to each side, and the token itself
  EXPECT_FALSE(config.attention_at(1).mask.causal);
  EXPECT_FLOAT_EQ(config.attention_at(0).rope->inverse_frequencies.at(1), 0.1f);
  EXPECT_FLOAT_EQ(config.attention_at(1).rope->inverse_frequencies.at(1), 0.31622776f);
  EXPECT_EQ(config.max_tokens(), 40u);
  const StackSpec every = read(modernbert(R"("global_attn_every_n_layers": 1)"));
  EXPECT_FALSE(every.attention_at(2).mask.window.has_value());
  EXPECT_FLOAT_EQ(every.attention_at(0).rope->inverse_frequencies.at(1), 0.0025f);  // 160000 to the power of -1/2
}

TEST(Families, ModernbertRefusesWhatItDoesNotKnow) {
  const auto message = [](const std::string& more) { return error_of([&] { read(modernbert(more)); }).message; };
  EXPECT_EQ(message(""), "");
  EXPECT_THAT(message(R"("hidden_activation": "mish")"), HasSubstr("hidden_activation 'mish' is not supported"));
  EXPECT_THAT(message(R"("global_attn_every_n_layers": 0)"), HasSubstr("global_attn_every_n_layers"));
  EXPECT_THAT(message(R"("layer_types": ["full_attention"])"), HasSubstr("layer_types"));
  EXPECT_THAT(message(R"("layer_types": ["full_attention", "chunked_attention", "full_attention"])"),
              HasSubstr("chunked_attention"));
  EXPECT_THAT(message(R"("rope_scaling": {"rope_type": "spiral"})"), HasSubstr("rope_type 'spiral' is not supported"));
  EXPECT_THAT(error_of([] { read(with("modernbert", "")); }).message, HasSubstr("the rotated width of a head"));
}

TEST(Families, ElectraProjectsOnlyWhereWidthsDiffer) {
  const auto has_projection = [](const std::string& more) {
    const ConfigObject settings = ConfigObject::parse(with("electra", more), "config.json");
    const TensorTable table = tensor_tables(kElectra, read_model_config(kElectra, settings), settings).front();
    return std::any_of(table.tensors.begin(), table.tensors.end(),
                       [](const TensorSpec& spec) { return spec.role == TensorRole::kEmbeddingProjection; });
  };
  EXPECT_TRUE(has_projection(R"("embedding_size": 4)"));
  EXPECT_FALSE(has_projection(R"("embedding_size": 15)"));
}

TEST(LoadModel, NamesWhatTheFolderLacks) {
  const std::string here = ATTNVIZ_TEST_DIR;
  EXPECT_THAT(error_of([&] { load_model(here + "/no-such-folder"); }).message, HasSubstr("is not a folder"));
  EXPECT_THAT(error_of([&] { load_model(here + "/unit/model"); }).message, HasSubstr("has no config.json"));
}

}  // namespace
}  // namespace attnviz

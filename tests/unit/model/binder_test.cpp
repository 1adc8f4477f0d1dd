// Weights found, refused and placed by the binder.
#include "model/binder.h"

#include <cstdint>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/model/expect_error.h"
#include "unit/model/memory_weights.h"

namespace attnviz {
namespace {

using testing::AllOf;
using testing::HasSubstr;

BoundWeights bind(const MemoryWeights& weights) {
  const ConfigObject settings = ConfigObject::parse(kSmallBert, "config");
  const ModelConfig config = read_model_config(kBert, settings);
  return bind_weights(config, tensor_tables(kBert, config, settings), weights);
}

TEST(Binder, FindsAnyPrefix) {
  for (const char* prefix : {"", "bert.", "model.bert.", "0.auto_model."}) {
    EXPECT_EQ(bind(*random_weights(kSmallBert, prefix)).prefix, prefix);
  }
}

TEST(Binder, PrefersThePrefixThatHasMostOfTheModel) {
  auto weights = random_weights(kSmallBert, "bert.");
  weights->add("a.embeddings.word_embeddings.weight", {1, 1}, {0});
  weights->add("xembeddings.word_embeddings.weight", {1, 1}, {0});  // not after a dot: another name
  EXPECT_EQ(bind(*weights).prefix, "bert.");
}

TEST(Binder, RefusesToGuessBetweenTwoModels) {
  auto weights = random_weights(kSmallBert, "query.");
  auto others = random_weights(kSmallBert, "document.");
  for (const StoredTensor& tensor : others->tensors()) {
    weights->add(tensor.name, tensor.view.shape, std::vector<float>(element_count(tensor.view.shape)));
  }
  EXPECT_THAT(error_of([&] { bind(*weights); }).message, AllOf(HasSubstr("document."), HasSubstr("query.")));
}

TEST(Binder, IgnoresTaskHeadsAndPositionIds) {
  auto weights = random_weights(kSmallBert, "bert.");
  weights->add("bert.pooler.dense.weight", {3, 7}, std::vector<float>(21));
  weights->add("cls.predictions.bias", {2}, {0, 0});
  weights->add("bert.embeddings.position_ids", {1, 1}, {0});
  weights->get("bert.embeddings.position_ids").view.dtype = DType::kI64;
  EXPECT_FALSE(error_of([&] { bind(*weights); }).thrown);
}

TEST(Binder, AcceptsTheOldNamesOfNorms) {
  auto weights = random_weights(kSmallBert, "bert.");
  weights->rename("bert.encoder.layer.1.output.LayerNorm.weight", "bert.encoder.layer.1.output.LayerNorm.gamma");
  weights->rename("bert.encoder.layer.1.output.LayerNorm.bias", "bert.encoder.layer.1.output.LayerNorm.beta");
  const BoundWeights bound = bind(*weights);
  EXPECT_NE(bound.stacks[0].layer(1).vector(TensorRole::kFfnNorm), nullptr);
  EXPECT_NE(bound.stacks[0].layer(1).vector(TensorRole::kFfnNormBias), nullptr);
}

TEST(Binder, NamesAMissingTensorWithShapeAndNearestName) {
  auto weights = random_weights(kSmallBert, "bert.");
  weights->rename("bert.encoder.layer.2.intermediate.dense.weight", "bert.encoder.layer.2.intermediate.densely.weight");
  weights->erase("bert.encoder.layer.2.output.dense.bias");
  const SeenError error = error_of([&] { bind(*weights); });
  EXPECT_EQ(error.kind, ErrorKind::kModel);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("memory: tensor 'bert.encoder.layer.2.intermediate.dense.weight' is missing"),
                    HasSubstr("[F, D] = [11, 15]"), HasSubstr("layer.2.intermediate.densely.weight"), HasSubstr("1 more missing")));
}

TEST(Binder, AsksTheFirstLayerForNothingItGoesWithout) {
  const ConfigObject settings = ConfigObject::parse(kSmallBert, "config");
  const ModelConfig config = read_model_config(kBert, settings);
  TensorTable table = kBert.expected_tensors(config.first(), settings);
  for (TensorSpec& row : table.tensors) row.not_in_first_layer = row.role == TensorRole::kAttentionNorm;
  auto weights = random_weights(kSmallBert, "");
  weights->erase("encoder.layer.0.attention.output.LayerNorm.weight");
  const BoundWeights bound = bind_weights(config, {&table, 1}, *weights);
  EXPECT_EQ(bound.stacks[0].layer(0).vector(TensorRole::kAttentionNorm), nullptr);
  EXPECT_NE(bound.stacks[0].layer(1).vector(TensorRole::kAttentionNorm), nullptr);
  weights->erase("encoder.layer.1.attention.output.LayerNorm.weight");
  EXPECT_THAT(error_of([&] {
                bind_weights(config, {&table, 1}, *weights);
              }).message,
              HasSubstr("'encoder.layer.1.attention.output.LayerNorm.weight' is missing"));
}

TEST(Binder, NamesAWrongShapeInSymbolsAndNumbers) {
  auto weights = random_weights(kSmallBert, "");
  weights->get("encoder.layer.0.attention.self.key.weight").view.shape = {15, 14};
  const SeenError error = error_of([&] { bind(*weights); });
  EXPECT_EQ(error.kind, ErrorKind::kModel);
  EXPECT_THAT(error.message, AllOf(HasSubstr("'encoder.layer.0.attention.self.key.weight'"), HasSubstr("[G*K, D] = [15, 15]"),
                                   HasSubstr("found [15, 14]")));
}

TEST(Binder, NamesATypeThatIsNoWeight) {
  auto weights = random_weights(kSmallBert, "");
  weights->get("embeddings.word_embeddings.weight").view.dtype = DType::kI64;
  EXPECT_THAT(error_of([&] { bind(*weights); }).message, AllOf(HasSubstr("'embeddings.word_embeddings.weight'"), HasSubstr("I64"),
                                                               HasSubstr("expected F32, F16, BF16 or a block type")));
}

TEST(Binder, SaysWhatIsMissingInAFileOfAnotherModel) {
  MemoryWeights weights;
  weights.add("transformer.wte.weight", {1, 1}, {0});
  EXPECT_THAT(error_of([&] { bind(weights); }).message,
              AllOf(HasSubstr("'embeddings.word_embeddings.weight' is missing"), HasSubstr("[V, E] = [29, 15]")));
}

TEST(Binder, LeavesAlignedMatricesInTheFileAndCopiesOthers) {
  const std::string name = "encoder.layer.0.output.dense.weight";
  auto aligned = random_weights(kSmallBert, "");
  EXPECT_EQ(bind(*aligned).stacks[0].layer(0).matrix(TensorRole::kFfnDown).data, aligned->get(name).view.data);

  auto shifted = random_weights(kSmallBert, "", 1);
  const BoundWeights bound = bind(*shifted);
  const TensorView& view = bound.stacks[0].layer(0).matrix(TensorRole::kFfnDown);
  EXPECT_NE(view.data, shifted->get(name).view.data);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data) % sizeof(float), 0u);
  EXPECT_EQ(std::memcmp(view.data, shifted->get(name).view.data, 15 * 11 * sizeof(float)), 0);
}

TEST(Binder, ATableMustNameEveryLayer) {
  const ConfigObject settings = ConfigObject::parse(kSmallBert, "config");
  const ModelConfig config = read_model_config(kBert, settings);
  TensorTable table = kBert.expected_tensors(config.first(), settings);
  table.layers.clear();
  const SeenError error = error_of([&] { bind_weights(config, {&table, 1}, *random_weights(kSmallBert, "")); });
  EXPECT_EQ(error.kind, ErrorKind::kBug);
  EXPECT_THAT(error.message, HasSubstr("a table of 0 layers for a stack of 3"));
}

TEST(Binder, AnOutputHeadThatDoesNotFitIsNoHead) {
  auto weights = random_weights(kSmallBert, "");
  const auto has_head = [](const BoundWeights& bound) { return bound.stacks[0].model().has_matrix(TensorRole::kHeadTransform); };
  EXPECT_TRUE(has_head(bind(*weights)));
  weights->get("cls.predictions.transform.dense.weight").view.shape = {5, 45};
  EXPECT_FALSE(has_head(bind(*weights)));
}

TEST(Binder, SharedLayersAreBoundOnce) {
  const std::string text =
      R"({"model_type": "albert", "vocab_size": 9, "embedding_size": 4, "hidden_size": 6, "num_hidden_layers": 5, "num_hidden_groups": 2,
          "num_attention_heads": 3, "intermediate_size": 7, "max_position_embeddings": 8, "type_vocab_size": 2})";
  const ConfigObject settings = ConfigObject::parse(text, "config");
  const ModelConfig config = read_model_config(kAlbert, settings);
  const auto weights = random_weights(text, "albert.");
  const BoundWeights bound = bind_weights(config, tensor_tables(kAlbert, config, settings), *weights);
  // Step i of 5 uses group floor(i / 2.5).
  EXPECT_EQ(&bound.stacks[0].layer(0), &bound.stacks[0].layer(2));
  EXPECT_NE(&bound.stacks[0].layer(2), &bound.stacks[0].layer(3));
  EXPECT_EQ(&bound.stacks[0].layer(3), &bound.stacks[0].layer(4));
}

}  // namespace
}  // namespace attnviz

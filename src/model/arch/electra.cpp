// ELECTRA (Clark et al. 2020, "ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators"): BERT's layers over
// embeddings of a width of their own, projected to the model's where the two differ. Parity: tests/parity/data/electra*.
#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

StackSpec read_stack(const ConfigObject& config) {
  StackSpec stack = read_encoder_stack(config);
  stack.embedding.d_embedding = config.size("embedding_size", 128);
  set_masked_head(&stack, config, Activation::kGelu, stack.embedding.d_embedding);  // the generator's; a discriminator has none
  return stack;
}

TensorTable expected_tensors(const StackSpec& stack, const ConfigObject&) {
  TensorTable table;
  add_embedding_tensors(&table, stack);
  if (stack.embedding.d_embedding != stack.d_model) {
    table.add_linear(TensorRole::kEmbeddingProjection, "embeddings_project", Dim::kModel, Dim::kEmbedding);
  }
  add_bert_layer_tensors(&table, stack);
  add_masked_head(
      &table, stack,
      {"generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head.weight", "generator_lm_head.bias"});
  return table;
}

}  // namespace

const Family kElectra = {"electra", read_stack, expected_tensors};

}  // namespace attnviz

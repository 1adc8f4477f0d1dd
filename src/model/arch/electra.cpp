// ELECTRA (Clark et al. 2020, "ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators"): BERT's layers over
// embeddings of a width of their own, projected to the model's where the two differ. Parity: tests/parity/data/electra*.
#include "model/arch/common.h"
#include "model/arch/families.h"

namespace attnviz {
namespace {

ModelConfig read_config(const ConfigObject& config) {
  ModelConfig model = read_encoder_config(config, kElectra.name);
  model.embedding.d_embedding = config.size("embedding_size", 128);
  return model;
}

TensorTable expected_tensors(const ModelConfig& model, const ConfigObject&) {
  TensorTable table;
  add_embedding_tensors(&table, model);
  if (model.embedding.d_embedding != model.d_model) {
    table.add_linear(TensorRole::kEmbeddingProjection, "embeddings_project", Dim::kModel, Dim::kEmbedding);
  }
  add_bert_layer_tensors(&table, model);
  return table;
}

}  // namespace

const Family kElectra = {"electra", read_config, expected_tensors};

}  // namespace attnviz

// The settings that several families read from config.json in the same way. Tested through every family in
// tests/unit/model/families_test.cpp.
#pragma once

#include <attnviz/model_config.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "formats/weights/config_json.h"
#include "model/tensor_table.h"

namespace attnviz {

// A family's names for the sizes that every family has. Empty: the family has no such key, and the field keeps its default.
struct ConfigKeys {
  std::string_view n_layer = "num_hidden_layers";
  std::string_view d_model = "hidden_size";
  std::string_view n_head = "num_attention_heads";
  std::string_view d_ffn = "intermediate_size";
  std::string_view activation = "hidden_act";
  std::string_view default_activation = "gelu";
  std::string_view epsilon = "layer_norm_eps";
  std::string_view n_segment = "type_vocab_size";
};

// A post-norm encoder with absolute positions, H heads of width D / H, scale 1/sqrt(K) and E = D.
StackSpec read_encoder_stack(const ConfigObject& config, const ConfigKeys& keys = {});

// The same with RoBERTa's numbering of positions: from pad_token_id + 1 on, and none for pad tokens.
StackSpec read_roberta_stack(const ConfigObject& config);

// The activation under `key`; throws Error(kModel) with the known names for another.
Activation read_activation(const ConfigObject& config, std::string_view key, std::string_view fallback);

// How a family names the parts of its masked-token head, which are beside the model proper: stems of the transform's matrix and
// of its norm, the output matrix (read where it is not tied to the word embedding) and its bias.
struct MaskedHeadNames {
  std::string transform;
  std::string norm;
  std::string matrix;
  std::string bias;
  std::string other_bias{};  // another name of the bias
  std::string other_stem{};  // another stem, under which "dense", "LayerNorm" and "bias" are stored
};

// The reference adds the decoder's own bias. Older checkpoints store it once, beside the decoder.
MaskedHeadNames bert_head_names();
MaskedHeadNames roberta_head_names();

// The head scores the token at each row, with a transform of `width` (D, or E where the words have a width of their own).
void set_masked_head(StackSpec* stack, const ConfigObject& config, Activation activation, std::size_t width);
void add_masked_head(TensorTable* table, const StackSpec& stack, const MaskedHeadNames& names);

// Throws Error(kModel) if a setting asks for something that the engine does not compute.
void require_text(const ConfigObject& config, std::string_view key, std::string_view only_value);
void require_off(const ConfigObject& config, std::string_view key);

// Embedding rows under "embeddings.": words, positions and segments where there are any, and the norm over them.
void add_embedding_tensors(TensorTable* table, const StackSpec& stack);

// "encoder.layer.{layer}." as BERT lays a layer out.
void add_bert_layer_tensors(TensorTable* table, const StackSpec& stack);

// The part of a BERT layer after attention: output projection, feed-forward, and their norms.
void add_bert_output_tensors(TensorTable* table);

// The embedding rows, the layers and the masked-token head: a Family's expected_tensors.
TensorTable bert_tensors(const StackSpec& stack, const ConfigObject& config);
TensorTable roberta_tensors(const StackSpec& stack, const ConfigObject& config);

}  // namespace attnviz

// The architectures of llama.cpp that are families here, as rows of tables: tensor names and the particulars of each.
// Tested in tests/unit/model/gguf/gguf_map_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attnviz {

// "attn_q" and "self_attn.q_proj": ".weight" or ".bias" follow in both.
struct GgufRename {
  std::string_view stored;
  std::string_view hub;
};

// The names of sizes in the family's config.json. Empty: it has no such key.
struct GgufSettingNames {
  std::string_view n_layer = "num_hidden_layers";
  std::string_view d_model = "hidden_size";
  std::string_view n_head = "num_attention_heads";
  std::string_view n_kv_head = "num_key_value_heads";
  std::string_view d_head = "head_dim";
  std::string_view d_ffn = "intermediate_size";
  std::string_view n_position = "max_position_embeddings";
  std::string_view epsilon = "rms_norm_eps";
  std::string_view rope_base = "rope_theta";
  std::string_view rotary_share = "";  // of a head's columns; empty: all of them turn
};

struct GgufArchitecture {
  std::string_view name;        // general.architecture
  std::string_view model_type;  // of the family
  std::span<const GgufRename> once;
  std::span<const GgufRename> layer;  // after "blk.N." and hub_layer + "N."
  std::string_view hub_layer;         // "model.layers."
  GgufSettingNames settings;
  std::string_view more_settings;  // JSON members that every file of it has, each with a comma behind
  bool has_scalar = false;         // "query_pre_attn_scalar"
  bool interleaved_heads = false;  // the converter interleaved the rows of attn_q and attn_k
};

std::span<const GgufArchitecture> gguf_architecture_table();

// The hub's name of a stored tensor; nothing where the family has none.
std::optional<std::string> hub_name(const GgufArchitecture& architecture, std::string_view stored);

}  // namespace attnviz

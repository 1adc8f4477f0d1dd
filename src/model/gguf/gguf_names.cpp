// See gguf_names.h. Names as gguf-py/gguf/tensor_mapping.py of llama.cpp pairs them.
#include "model/gguf/gguf_names.h"

#include <algorithm>
#include <array>

namespace attnviz {
namespace {

constexpr GgufRename kLlamaOnce[] = {
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm"},
    {"output", "lm_head"},
};

constexpr GgufRename kLlamaLayer[] = {
    {"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},      {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},      {"attn_qkv", "self_attn.qkv_proj"},  {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"}, {"attn_k_norm", "self_attn.k_norm"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},           {"ffn_down", "mlp.down_proj"},
};

constexpr GgufRename kPhi3Layer[] = {
    {"attn_norm", "input_layernorm"},    {"attn_qkv", "self_attn.qkv_proj"},
    {"attn_output", "self_attn.o_proj"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_up", "mlp.gate_up_proj"},  // the gate's rows first
    {"ffn_down", "mlp.down_proj"},
};

constexpr GgufRename kGemmaLayer[] = {
    {"attn_norm", "input_layernorm"},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"},
    {"post_attention_norm", "post_attention_layernorm"},
    {"ffn_norm", "pre_feedforward_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
    {"post_ffw_norm", "post_feedforward_layernorm"},
};

constexpr GgufRename kGpt2Once[] = {
    {"token_embd", "transformer.wte"},
    {"position_embd", "transformer.wpe"},
    {"output_norm", "transformer.ln_f"},
    {"output", "lm_head"},
};

constexpr GgufRename kGpt2Layer[] = {
    {"attn_norm", "ln_1"}, {"attn_qkv", "attn.c_attn"}, {"attn_output", "attn.c_proj"},
    {"ffn_norm", "ln_2"},  {"ffn_up", "mlp.c_fc"},      {"ffn_down", "mlp.c_proj"},
};

constexpr GgufRename kGptNeoxOnce[] = {
    {"token_embd", "gpt_neox.embed_in"},
    {"output_norm", "gpt_neox.final_layer_norm"},
    {"output", "embed_out"},
};

constexpr GgufRename kGptNeoxLayer[] = {
    {"attn_norm", "input_layernorm"},         {"attn_qkv", "attention.query_key_value"}, {"attn_output", "attention.dense"},
    {"ffn_norm", "post_attention_layernorm"}, {"ffn_up", "mlp.dense_h_to_4h"},           {"ffn_down", "mlp.dense_4h_to_h"},
};

constexpr GgufRename kBertOnce[] = {
    {"token_embd", "bert.embeddings.word_embeddings"},
    {"token_types", "bert.embeddings.token_type_embeddings"},
    {"position_embd", "bert.embeddings.position_embeddings"},
    {"token_embd_norm", "bert.embeddings.LayerNorm"},
};

constexpr GgufRename kBertLayer[] = {
    {"attn_q", "attention.self.query"},
    {"attn_k", "attention.self.key"},
    {"attn_v", "attention.self.value"},
    {"attn_output", "attention.output.dense"},
    {"attn_output_norm", "attention.output.LayerNorm"},
    {"ffn_up", "intermediate.dense"},
    {"ffn_down", "output.dense"},
    {"layer_output_norm", "output.LayerNorm"},
};

constexpr GgufSettingNames kPhi3Names = {.d_head = "", .rotary_share = "partial_rotary_factor"};
constexpr GgufSettingNames kGpt2Names = {.n_layer = "n_layer",
                                         .d_model = "n_embd",
                                         .n_head = "n_head",
                                         .n_kv_head = "",
                                         .d_head = "",
                                         .d_ffn = "n_inner",
                                         .n_position = "n_positions",
                                         .epsilon = "layer_norm_epsilon",
                                         .rope_base = ""};
constexpr GgufSettingNames kGptNeoxNames = {
    .n_kv_head = "", .d_head = "", .epsilon = "layer_norm_eps", .rope_base = "rotary_emb_base", .rotary_share = "rotary_pct"};
constexpr GgufSettingNames kBertNames = {.n_kv_head = "", .d_head = "", .epsilon = "layer_norm_eps", .rope_base = ""};

constexpr std::array<GgufArchitecture, 9> kArchitectures = {{
    {"bert", "bert", kBertOnce, kBertLayer, "bert.encoder.layer.", kBertNames, R"("hidden_act": "gelu",)"},
    {"gemma2", "gemma2", kLlamaOnce, kGemmaLayer, "model.layers.", {}, "", true},
    {"gemma3", "gemma3_text", kLlamaOnce, kGemmaLayer, "model.layers.", {}, "", true},
    {"gpt2", "gpt2", kGpt2Once, kGpt2Layer, "transformer.h.", kGpt2Names, R"("activation_function": "gelu_new",)"},
    {"gptneox", "gpt_neox", kGptNeoxOnce, kGptNeoxLayer, "gpt_neox.layers.", kGptNeoxNames, R"("hidden_act": "gelu",)"},
    {"llama", "llama", kLlamaOnce, kLlamaLayer, "model.layers.", {}, R"("hidden_act": "silu",)", false, true},
    {"phi3", "phi3", kLlamaOnce, kPhi3Layer, "model.layers.", kPhi3Names, R"("hidden_act": "silu",)"},
    {"qwen2", "qwen2", kLlamaOnce, kLlamaLayer, "model.layers.", {}, R"("hidden_act": "silu",)"},
    {"qwen3", "qwen3", kLlamaOnce, kLlamaLayer, "model.layers.", {}, R"("hidden_act": "silu",)"},
}};

std::optional<std::string> renamed(std::span<const GgufRename> table, std::string_view stem) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const GgufRename& row) { return row.stored == stem; });
  return found == table.end() ? std::nullopt : std::optional<std::string>(found->hub);
}

}  // namespace

std::span<const GgufArchitecture> gguf_architecture_table() { return kArchitectures; }

std::optional<std::string> hub_name(const GgufArchitecture& architecture, std::string_view stored) {
  const std::size_t dot = stored.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view kind = stored.substr(dot);
  if (kind != ".weight" && kind != ".bias") return std::nullopt;
  std::string_view stem = stored.substr(0, dot);
  if (!stem.starts_with("blk.")) {
    const auto name = renamed(architecture.once, stem);
    return name ? std::optional(*name + std::string(kind)) : std::nullopt;
  }
  stem.remove_prefix(4);
  const std::size_t end = stem.find('.');
  if (end == std::string_view::npos) return std::nullopt;
  const auto name = renamed(architecture.layer, stem.substr(end + 1));
  if (!name) return std::nullopt;
  return std::string(architecture.hub_layer) + std::string(stem.substr(0, end + 1)) + *name + std::string(kind);
}

}  // namespace attnviz

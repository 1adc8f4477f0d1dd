// See gguf_map.h.
#include "model/gguf/gguf_map.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"
#include "base/suggest.h"
#include "model/gguf/gguf_names.h"
#include "model/gguf/gguf_source.h"
#include "model/rope_scaling.h"
#include "tensor/unpack.h"

namespace attnviz {
namespace {

const GgufArchitecture& find_architecture(const GgufMetadata& metadata) {
  const std::string name = metadata.text("general.architecture");
  for (const GgufArchitecture& architecture : gguf_architecture_table()) {
    if (architecture.name == name) return architecture;
  }
  const std::vector<std::string> known = gguf_architectures();
  const auto nearest = closest_name(name, known);
  metadata.fail("general.architecture",
                fmt::format("{} is not supported; expected one of {}{}", quote_text(name), fmt::join(known, ", "),
                            nearest ? fmt::format("; did you mean {}?", *nearest) : ""));
}

// Writes the members of a config.json out of the metadata under "<architecture>.".
class Settings {
 public:
  Settings(const GgufFile& file, const GgufArchitecture& architecture)
      : file_(file), metadata_(file.metadata()), architecture_(architecture) {}

  std::string write() {
    const GgufSettingNames& names = architecture_.settings;
    add("model_type", fmt::format("\"{}\"", architecture_.model_type));
    if (metadata_.size(key("expert_count"), 0) > 0) {
      metadata_.fail(key("expert_count"), "a mixture of experts is not supported; expected a dense model");
    }
    add_sizes(names);
    add(names.epsilon, names.epsilon == "rms_norm_eps" ? number("attention.layer_norm_rms_epsilon", 1e-6)
                                                       : number("attention.layer_norm_epsilon", 1e-5));
    add_rows(names);
    if (!names.rope_base.empty()) add_rope(names);
    add_attention();
    add_end();
    json_ += architecture_.more_settings;
    json_.back() = '}';
    return json_;
  }

  std::size_t d_head() const { return d_head_; }

 private:
  std::string key(std::string_view name) const { return fmt::format("{}.{}", architecture_.name, name); }

  void add(std::string_view name, const std::string& json) {
    if (!name.empty()) json_ += fmt::format("\"{}\": {},", name, json);
  }

  std::string number(std::string_view name, double fallback) const {
    return fmt::format("{}", metadata_.number(key(name), fallback));
  }

  // A size that some files give layer by layer; layers that differ are beyond the engine.
  std::size_t size(std::string_view name) const {
    const GgufValue* value = metadata_.find(key(name));
    if (value == nullptr || value->type != GgufType::kArray) return metadata_.size(key(name));
    const std::vector<double> sizes = metadata_.numbers(key(name));
    const bool is_same = !sizes.empty() && sizes.front() >= 0 && sizes.front() <= 0x1p32 &&
                         std::all_of(sizes.begin(), sizes.end(), [&](double size) { return size == sizes.front(); });
    if (!is_same) metadata_.fail(key(name), "differs from layer to layer, which is not supported; expected one size");
    return static_cast<std::size_t>(sizes.front());
  }

  void add_size(std::string_view name, std::size_t value) { add(name, fmt::to_string(value)); }

  void add_sizes(const GgufSettingNames& names) {
    const std::size_t d_model = size("embedding_length");
    const std::size_t n_head = size("attention.head_count");
    if (n_head == 0) metadata_.fail(key("attention.head_count"), "is 0; expected at least 1");
    d_head_ = metadata_.has(key("attention.key_length")) ? size("attention.key_length") : d_model / n_head;
    const std::size_t d_value = metadata_.has(key("attention.value_length")) ? size("attention.value_length") : d_head_;
    if (d_value != d_head_) {
      metadata_.fail(key("attention.value_length"), fmt::format("expected {}, the length of a key, found {}", d_head_, d_value));
    }
    if (d_head_ == 0) metadata_.fail(key("attention.key_length"), "is 0; expected at least 1");
    add_size(names.n_layer, size("block_count"));
    add_size(names.d_model, d_model);
    add_size(names.n_head, n_head);
    add_size(names.n_kv_head, metadata_.has(key("attention.head_count_kv")) ? size("attention.head_count_kv") : n_head);
    add_size(names.d_head, d_head_);
    if (names.d_head.empty() && d_head_ * n_head != d_model) {
      metadata_.fail(key("attention.key_length"), fmt::format("expected {} / {}, found {}", d_model, n_head, d_head_));
    }
    add_size(names.d_ffn, size("feed_forward_length"));
  }

  std::size_t rows_of(std::string_view tensor, std::size_t fallback) const {
    const StoredTensor* found = file_.find(tensor);
    return found != nullptr ? found->view.n_rows() : fallback;
  }

  // Sizes that follow from the tables themselves.
  void add_rows(const GgufSettingNames& names) {
    add_size("vocab_size", rows_of("token_embd.weight", metadata_.size(key("vocab_size"), 0)));
    add_size(names.n_position, rows_of("position_embd.weight", size("context_length")));
    const std::size_t n_segment = rows_of("token_types.weight", 0);
    if (n_segment > 0) add_size("type_vocab_size", n_segment);
    add("tie_word_embeddings", file_.find("output.weight") == nullptr ? "true" : "false");
  }

  void add_rope(const GgufSettingNames& names) {
    add(names.rope_base, number("rope.freq_base", 10000));
    const std::size_t d_rotary = metadata_.size(key("rope.dimension_count"), d_head_);
    if (!names.rotary_share.empty()) {
      add(names.rotary_share, fmt::format("{}", static_cast<double>(d_rotary) / static_cast<double>(d_head_)));
    } else if (d_rotary != d_head_) {
      metadata_.fail(key("rope.dimension_count"), fmt::format("expected {}, the width of a head, found {}", d_head_, d_rotary));
    }
    const std::string scaling = rope_scaling();
    if (!scaling.empty()) add("rope_scaling", scaling);
  }

  // Frequencies divided by a factor each (Llama 3's and Phi 3's scalings), or all by one; "" where there is no scaling.
  std::string rope_scaling() const {
    const std::size_t n_short = metadata_.size(key("rope.scaling.original_context_length"), size("context_length"));
    const std::string original = fmt::format("\"original_max_position_embeddings\": {}", n_short);
    if (file_.find("rope_factors_long.weight") != nullptr) {
      return fmt::format(R"({{"rope_type": "longrope", "short_factor": [{}], "long_factor": [{}], "attention_factor": {}, {}}})",
                         factors("rope_factors_short.weight"), factors("rope_factors_long.weight"),
                         number("rope.scaling.attn_factor", 1), original);
    }
    if (file_.find("rope_freqs.weight") != nullptr) {
      const std::string same = factors("rope_freqs.weight");
      return fmt::format(R"({{"rope_type": "longrope", "short_factor": [{0}], "long_factor": [{0}], "attention_factor": 1, {1}}})",
                         same, original);
    }
    const bool is_old = metadata_.has(key("rope.scale_linear"));
    const std::string type = metadata_.text(key("rope.scaling.type"), is_old ? "linear" : "none");
    const std::string factor = number(is_old ? "rope.scale_linear" : "rope.scaling.factor", 1);
    if (type == "none" || type == "longrope" || factor == "1") return "";
    if (type == "linear") return fmt::format(R"({{"rope_type": "linear", "factor": {}}})", factor);
    if (type == "yarn") return yarn(original);
    metadata_.fail(key("rope.scaling.type"),
                   fmt::format("{} is not supported; expected none, linear, yarn or longrope", quote_text(type)));
  }

  // The file's attention factor multiplies YaRN's own.
  std::string yarn(const std::string& original) const {
    for (const char* name : {"rope.scaling.yarn_ext_factor", "rope.scaling.yarn_log_multiplier"}) {
      if (metadata_.has(key(name))) metadata_.fail(key(name), "is not supported; expected YaRN as published, without it");
    }
    const double factor = metadata_.number(key("rope.scaling.factor"), 1);
    if (!(factor > 0)) metadata_.fail(key("rope.scaling.factor"), fmt::format("expected a positive number, found {}", factor));
    const double attention =
        metadata_.number(key("rope.scaling.attn_factor"), metadata_.number(key("rope.scaling.yarn_attn_factor"), 1));
    return fmt::format(R"({{"rope_type": "yarn", "factor": {}, "attention_factor": {}, "beta_fast": {}, "beta_slow": {}, {}}})",
                       factor, attention * yarn_attention_factor(factor), number("rope.scaling.yarn_beta_fast", 32),
                       number("rope.scaling.yarn_beta_slow", 1), original);
  }

  std::string factors(std::string_view tensor) const {
    const StoredTensor* found = file_.find(tensor);
    const std::size_t n = found != nullptr ? element_count(found->view.shape) : 0;
    if (n == 0 || n > d_head_ || found->view.dtype != DType::kF32) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: tensor {}: expected {} numbers of F32, half the width of a head; convert the model "
                              "again",
                              file_.where(), quote_text(tensor), d_head_ / 2));
    }
    return fmt::format("{}", fmt::join(unpack_all(found->view), ", "));
  }

  void add_attention() {
    if (metadata_.has(key("attention.sliding_window"))) add_size("sliding_window", size("attention.sliding_window"));
    if (metadata_.has(key("attn_logit_softcapping"))) add("attn_logit_softcapping", number("attn_logit_softcapping", 0));
    if (metadata_.has(key("final_logit_softcapping"))) add("final_logit_softcapping", number("final_logit_softcapping", 0));
    if (metadata_.has(key("use_parallel_residual"))) {
      add("use_parallel_residual", metadata_.flag(key("use_parallel_residual"), true) ? "true" : "false");
    }
    if (file_.find("blk.0.attn_q.bias") != nullptr) add("attention_bias", "true");
    if (file_.find("blk.0.ffn_up.bias") != nullptr) add("mlp_bias", "true");
    if (metadata_.has(key("rope.freq_base_swa"))) add("rope_local_base_freq", number("rope.freq_base_swa", 10000));
    add_layer_kinds();
    add_scale();
  }

  // The tokens that end a text, or a turn of a chat.
  void add_end() {
    std::vector<std::size_t> ids;
    for (const char* name : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
      if (metadata_.has(name)) ids.push_back(metadata_.size(name));
    }
    add("eos_token_id", fmt::format("[{}]", fmt::join(ids, ", ")));
  }

  // Which layers have the window, if the file lists them one by one.
  void add_layer_kinds() {
    const GgufValue* pattern = metadata_.find(key("attention.sliding_window_pattern"));
    if (pattern == nullptr) return;
    if (pattern->type != GgufType::kArray) {
      add_size("sliding_window_pattern", size("attention.sliding_window_pattern"));
      return;
    }
    if (pattern->item_type != GgufType::kBool)
      metadata_.fail(key("attention.sliding_window_pattern"), "expected an array of flags");
    std::vector<std::string_view> kinds;
    for (const std::byte flag : pattern->bytes) {
      kinds.push_back(flag != std::byte{0} ? "\"sliding_attention\"" : "\"full_attention\"");
    }
    add("layer_types", fmt::format("[{}]", fmt::join(kinds, ", ")));
  }

  // The factor on scores. Families that have no setting for it take 1 / sqrt(K).
  void add_scale() {
    const double scale = metadata_.number(key("attention.scale"), 0);
    if (architecture_.has_scalar) {
      add("query_pre_attn_scalar", scale > 0 ? fmt::format("{}", 1 / (scale * scale)) : fmt::to_string(gemma_scalar()));
    } else if (scale != 0 && std::abs(scale * std::sqrt(static_cast<double>(d_head_)) - 1) > 1e-6) {
      metadata_.fail(key("attention.scale"), fmt::format("{} is not supported; expected 1 / sqrt({})", scale, d_head_));
    }
  }

  // The square of what Gemma divides scores by. The file does not have it: only the 27B models, which have these numbers of layers,
  // take D / H instead of the width of a head.
  std::size_t gemma_scalar() const {
    const std::size_t n_layer = size("block_count");
    const bool is_27b = n_layer == (architecture_.name == "gemma2" ? 46 : 62);
    return is_27b ? size("embedding_length") / size("attention.head_count") : d_head_;
  }

  const GgufFile& file_;
  const GgufMetadata& metadata_;
  const GgufArchitecture& architecture_;
  std::string json_ = "{";
  std::size_t d_head_ = 0;
};

}  // namespace

GgufModel map_gguf(std::shared_ptr<const GgufFile> file) {
  const GgufArchitecture& architecture = find_architecture(file->metadata());
  Settings settings(*file, architecture);
  GgufModel model;
  model.settings = settings.write();
  model.where = file->where() + ": settings";
  model.weights = rename_tensors(std::move(file), architecture, settings.d_head());
  return model;
}

std::vector<std::string> gguf_architectures() {
  std::vector<std::string> names;
  for (const GgufArchitecture& architecture : gguf_architecture_table()) names.emplace_back(architecture.name);
  return names;
}

}  // namespace attnviz

// What a model is, as small specs that shared code reads; no field names an architecture.
//
// A family's file (src/model/arch) fills these from config.json. A new behaviour is a new field here, never a branch on the family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace attnviz {

enum class Activation : std::uint8_t { kGelu, kGeluTanh, kRelu, kSilu };
enum class NormPlacement : std::uint8_t { kPost };  // after the residual addition (BERT)

// Which keys a query may see: a rule on positions, not a matrix. A masked score is minus infinity.
struct MaskRule {
  bool causal = false;                // key <= query
  std::optional<std::size_t> window;  // query - key < window (and key - query < window where not causal)

  bool allows(std::size_t query_pos, std::size_t key_pos) const {
    if (causal && key_pos > query_pos) return false;
    const std::size_t distance = key_pos > query_pos ? key_pos - query_pos : query_pos - key_pos;
    return !window || distance < *window;
  }
};

// A learned bias per head on the bucketed distance key - query (T5, MPNet), shared by all layers.
struct RelativeBiasSpec {
  std::size_t n_buckets = 32;
  std::size_t max_distance = 128;
  bool bidirectional = true;
};

struct AttentionSpec {
  std::size_t n_head = 0;     // H
  std::size_t n_kv_head = 0;  // G; query head h reads key/value head h / (H / G)
  std::size_t d_head = 0;     // K
  float scale = 0;            // factor on q.k, 1/sqrt(K) as a rule
  MaskRule mask;
  std::optional<RelativeBiasSpec> relative_bias;
};

struct EmbeddingSpec {
  std::size_t n_vocab = 0;          // V
  std::size_t n_position = 0;       // rows of the position table
  std::size_t position_offset = 0;  // table row of the first token
  // A token that takes no position where it stands in a text: it gets row position_offset - 1 and the count goes on after it
  // (RoBERTa's numbering, in which positions begin after the pad token's).
  std::optional<std::int32_t> unnumbered_id;
  std::size_t n_segment = 0;    // rows of the segment table; 0: there is none
  std::size_t d_embedding = 0;  // E; projected to D where E != D
};

struct FfnSpec {
  std::size_t d_ffn = 0;  // F
  Activation activation = Activation::kGelu;
};

struct NormSpec {
  float epsilon = 1e-12f;
  NormPlacement placement = NormPlacement::kPost;
};

struct ModelConfig {
  std::string family;  // "bert", as the registry spells it
  std::size_t n_layer = 0;
  std::size_t d_model = 0;  // D
  EmbeddingSpec embedding;
  AttentionSpec attention;
  FfnSpec ffn;
  NormSpec norm;

  std::size_t max_tokens() const { return embedding.n_position - embedding.position_offset; }

  // Throws Error(kModel) that names the field: a zero size, H not a multiple of G, an odd mask ...; `where` opens the message.
  void validate(const std::string& where) const;
};

}  // namespace attnviz

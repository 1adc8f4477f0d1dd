// What a model is, as small specs that shared code reads; no field names an architecture.
//
// A model is one or several stacks of layers by role; what can differ between two models is a field of a stack's specs. A family's
// file (src/model/arch) fills these from config.json. A new behaviour is a new field here, never a branch on the family.
#pragma once

#include <attnviz/site.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

enum class Activation : std::uint8_t { kGelu, kGeluTanh, kRelu, kSilu };
enum class NormKind : std::uint8_t { kLayer, kRms };  // a layer norm may lack its bias

// Where a layer normalises around each of its two sub-blocks.
enum class NormPlacement : std::uint8_t {
  kPost,      // x = norm(x + f(x))
  kPre,       // x = x + f(norm(x)); a layer without the norm's weight reads x as it is
  kSandwich,  // x = x + norm'(f(norm(x)))
};

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

// Disentangled attention (DeBERTa): scores also get products of queries and keys with a learned embedding of the distance
// query - key. All layers share one table [2 * span, D]; a distance uses row distance + span, clamped to the table.
struct DisentangledSpec {
  std::size_t span = 0;
  bool log_buckets = false;      // distances beyond span / 2 share logarithmically wider rows up to max_distance
  std::size_t max_distance = 0;  // used only with log_buckets
  bool content_to_position = false;
  bool position_to_content = false;
  bool shared_projections = false;  // position embeddings go through the layer's own query and key matrices
};

// Rotary positions (Su et al. 2021): columns i and i + d_rotary / 2 of each query and key head rotate by the angle
// position * inverse_frequencies[i].
struct RopeSpec {
  std::size_t d_rotary = 0;                // even, <= K; the columns after it are not rotated
  std::vector<float> inverse_frequencies;  // [d_rotary / 2], with any scaling already applied
  std::vector<float> long_frequencies;     // the same for sequences of more than n_short tokens; empty: inverse_frequencies
  std::size_t n_short = 0;                 // used only with long_frequencies
  float attention_factor = 1;              // factor on the rotated columns
  bool adjacent_pairs = false;             // projections pair columns 2i and 2i + 1; rotation moves them to i and i + d_rotary / 2
};

struct AttentionSpec {
  std::size_t n_head = 0;     // H
  std::size_t n_kv_head = 0;  // G; query head h reads key/value head h / (H / G)
  std::size_t d_head = 0;     // K
  float scale = 0;            // factor on q.k, usually 1/sqrt(K)
  MaskRule mask;
  std::optional<RelativeBiasSpec> relative_bias;
  std::optional<DisentangledSpec> disentangled;
  std::optional<RopeSpec> rope;
  bool qk_norm = false;  // RMS norm over each head of q and k, with weights [K] of the layer, before the rotation
  float softcap = 0;     // scores become softcap * tanh(score / softcap) before bias and mask; 0: no cap
};

struct EmbeddingSpec {
  std::size_t n_vocab = 0;          // V
  std::size_t n_position = 0;       // rows of the position table; 0: no table
  std::size_t position_offset = 0;  // table row of the first token
  // A token that does not advance the position count: it uses row position_offset - 1, and counting continues after it
  // (RoBERTa's numbering, in which positions begin after the pad token's).
  std::optional<std::int32_t> unnumbered_id;
  std::size_t n_segment = 0;    // rows of the segment table; 0: no table
  std::size_t d_embedding = 0;  // E; projected to D where E != D
  bool project_words = false;   // only word rows are projected; the position and segment rows are D wide
  float scale = 1;              // factor on word rows
};

struct FfnSpec {
  std::size_t d_ffn = 0;  // F
  Activation activation = Activation::kGelu;
  bool gated = false;  // hidden = activation(gate x) * up x instead of activation(up x)
};

struct NormSpec {
  float epsilon = 1e-12f;
  NormPlacement placement = NormPlacement::kPost;
  NormKind kind = NormKind::kLayer;
};

enum class OutputKind : std::uint8_t {
  kNone,
  kNextToken,    // row t scores the token after t
  kMaskedToken,  // row t scores the token at t
};

// From the last layer's stream to scores over the vocabulary: final norm, then (masked-token heads) a transform
// norm(activation(W x + b)), then the output matrix and its bias. Parts that the weights do not have are skipped.
struct OutputSpec {
  OutputKind kind = OutputKind::kNone;
  bool tied = false;                      // the word embedding is the output matrix
  std::optional<Activation> transform{};  // the activation of the transform; unset: no transform
  std::size_t d_transform = 0;            // its width, D or E
  float softcap = 0;                      // as AttentionSpec::softcap, on the logits
  std::vector<std::int32_t> end_ids{};    // next-token heads: tokens that end a text
};

// A decoder's attention over the encoder's last stream, between its self-attention and its feed-forward.
struct CrossAttentionSpec {
  AttentionSpec attention;
  std::size_t d_source = 0;  // width of the encoder's stream
};

enum class StackRole : std::uint8_t { kText, kEncoder, kDecoder, kVision };

std::string_view stack_role_name(StackRole role);  // "text", "encoder", "decoder", "vision"

// One stack of layers over one stream.
struct StackSpec {
  StackRole role = StackRole::kText;
  std::size_t n_layer = 0;  // L
  std::size_t d_model = 0;  // D
  EmbeddingSpec embedding;  // how tokens become the first stream
  AttentionSpec attention;  // sizes are the same in every layer
  std::optional<CrossAttentionSpec> cross;
  FfnSpec ffn;
  NormSpec norm;                   // of the layers' norms, the embedding's and the final one
  bool parallel_residual = false;  // both sub-blocks read the layer's input: x + attention(norm(x)) + ffn(norm'(x))
  OutputSpec output;

  // Layers that differ in mask, rotation or scale: layer l has attention_kinds[attention_of_layer[l]]. Empty: all have `attention`.
  std::vector<AttentionSpec> attention_kinds;
  std::vector<std::size_t> attention_of_layer;  // [L] or empty

  std::size_t n_context = 0;  // the most tokens of a text, if there is no position table

  const AttentionSpec& attention_at(std::size_t layer) const {
    return attention_of_layer.empty() ? attention : attention_kinds[attention_of_layer[layer]];
  }
  std::size_t max_tokens() const { return embedding.n_position > 0 ? embedding.n_position - embedding.position_offset : n_context; }
};

struct ModelConfig {
  std::string family;  // "bert", as the registry spells it

  // One text stack; an encoder and a decoder, in this order; or a text and a vision stack.
  std::vector<StackSpec> stacks;

  const StackSpec& first() const { return stacks.front(); }  // the one that reads the user's text
  const StackSpec* find(StackRole role) const;               // null if the model has none
  const StackSpec& generating() const;                       // the decoder, or the first: the one that logits are read from

  // The stack whose layers number the site's maps, or null. attention_of is that stack's attention at the site.
  const StackSpec* find(Site site) const;
  std::vector<Site> sites() const;  // those that have a stack, in the order of Site
  static const AttentionSpec& attention_of(const StackSpec& stack, Site site) {
    return site == Site::kCross ? stack.cross->attention : stack.attention;
  }

  // Throws Error(kModel) that names the field: a zero size, H not a multiple of G, an odd mask, stacks that do not belong together
  // ...; `where` opens the message.
  void validate(const std::string& where) const;
};

}  // namespace attnviz

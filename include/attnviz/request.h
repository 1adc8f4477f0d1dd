// What a caller wants from a forward pass, and how it sees values while they are computed.
//
// The engine does only what a Request asks: it stops after the last wanted layer, and there it computes Q and K of the wanted
// heads only (unless a tap wants more). Taps see blocks of query rows as they are finished, so a whole [Tq, Tk] map exists only
// where a tap keeps it.
#pragma once

#include <attnviz/edits.h>
#include <attnviz/site.h>
#include <attnviz/token.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attnviz {

// Queries [begin, end) of a text.
struct QueryRows {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Wall-clock seconds of each stage of a run, summed over its layers.
struct StageTimes {
  double embed = 0;
  double project = 0;  // norm, queries, keys, values, rotation
  double attend = 0;   // scores, softmax, weighted values, and what taps do with them
  double output = 0;   // output projection, and adding it to the stream
  double feed_forward = 0;
};

// What one stack of a run starts from: tokens, or a stream of rows that already exists (a run that resumes, or rows that something
// other than a token embedding made).
struct StackInput {
  const TokenBatch* tokens = nullptr;      // the stack embeds these; null: it starts from `stream`
  std::size_t first_layer = 0;             // the first layer to run on `stream`; L: the stream is the stack's last one
  std::span<const std::size_t> offsets{};  // [B + 1] rows of each text in `stream`
  std::span<const float> stream{};         // [sum T, D] the residual stream before that layer

  bool given() const { return tokens != nullptr || !offsets.empty(); }
};

// What a run reads, and what it changes.
struct RunInput {
  StackInput source{};             // of the only stack, or of the encoder
  StackInput target{};             // of the decoder; as many texts as the source
  std::span<const Edits> edits{};  // none, one for all texts, or one for each

  RunInput() = default;
  RunInput(const TokenBatch& batch) { source.tokens = &batch; }  // NOLINT: a batch is the common input
};

struct Request {
  std::vector<std::size_t> layers;  // sorted, unique, each < L of the site's stack
  std::vector<std::size_t> heads;   // sorted, unique, each < H; the same heads in every wanted layer

  // If set, no tap needs scores, pattern or context of other queries. The last wanted layer then skips those, unless something else
  // needs them; taps may still see more rows.
  std::optional<QueryRows> rows{};

  StageTimes* times = nullptr;  // if set, every run adds its times to it

  Site site = Site::kSelf;
};

enum class TapKind : std::uint8_t {
  kScores,    // [rows, Tk] after scale, bias and mask, before softmax; masked and cut entries are -inf
  kPattern,   // [rows, Tk] after softmax
  kQuery,     // [rows, K] of one query head
  kKey,       // [rows, K] of one key/value head (head is the kv head)
  kValue,     // [rows, K] of one key/value head (head is the kv head)
  kContext,   // [rows, K] z of one query head, before the output projection and after any edit of it
  kResidual,  // [rows, D] of the stream after the layer; layer 0 is preceded by one call with layer == kEmbeddingLayer

  kAttentionOut,    // [rows, D] what the attention block adds to the stream, biases and any norm after the block included
  kFeedForwardOut,  // [rows, D] the same for the feed-forward block
  kHeadOut,         // [rows, D] z W_O[h] of one query head: its part of the output projection, without the bias
  kHeadOutNorm,     // [rows, 1] the Euclidean norm of each row of kHeadOut
  kPairNorm,        // [rows, Tk] |pattern v W_O[h]|: the norm of each key's contribution to the query (Kobayashi et al. 2020)

  // [rows, 2] what a norm subtracts (0 for an RMS norm) and the factor it multiplies by, before its weights: for the norm of the
  // attention block and of the feed-forward block, where NormPlacement puts them (before the block, or after the sum)
  kAttentionNorm,
  kFeedForwardNorm,
  kFinalNorm,  // the rows that logits are read from, one call per row; layer is L - 1
};

inline constexpr std::size_t kEmbeddingLayer = static_cast<std::size_t>(-1);

// One block of rows. Valid during the call only.
struct TapBlock {
  TapKind kind;
  std::size_t sequence;  // index in the batch
  std::size_t layer;
  std::size_t head;       // 0 where a kind has no head
  std::size_t row_begin;  // first row of the block: a query (or key) position in the sequence
  std::size_t n_rows;
  std::size_t n_columns;  // Tk, K, D, 1 or 2
  const float* values;    // row r starts at values + r * row_stride
  std::size_t row_stride;
  Site site = Site::kSelf;

  std::span<const float> row(std::size_t r) const { return {values + r * row_stride, n_columns}; }
};

// A set of kinds plus a callback. on_block may be called from several threads at once, for different blocks and in any order. It is
// called for the requests' layers and heads only, and sees every requested row exactly once.
class Tap {
 public:
  virtual ~Tap() = default;
  virtual bool wants(TapKind kind) const = 0;
  virtual void on_block(const TapBlock& block) = 0;
};

}  // namespace attnviz

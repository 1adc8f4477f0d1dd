// A loaded model: configuration, bound weights, and its one forward pass over one or several stacks of layers.
//
// A run embeds what a stack reads (run/first_stream.h), takes the stream through the stack's layers (run/stack_run.h), and stops as
// soon as no request needs more. A decoder's run begins with its encoder's. Logits come from the last stream (run/readout.h).
// Tested in tests/parity (each family against the reference), tests/parity/edits_test.cpp and tests/unit/model.
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/request.h>
#include <attnviz/token.h>
#include <attnviz/weights.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "model/binder.h"

namespace attnviz {

class GgufFile;
class KvCache;

// A row of a batch: a token's position in the text `sequence`.
struct BatchRow {
  std::size_t sequence = 0;
  std::size_t position = 0;
};

// The residual stream of a run before one of its layers, kept so that other runs can start there.
struct KeptStream {
  std::size_t first_layer = 0;
  std::vector<std::size_t> offsets{0};  // [B + 1]
  std::vector<float> rows{};            // [sum T, D]

  // Valid as long as this lives.
  StackInput input() const { return {nullptr, first_layer, offsets, rows}; }

  // Its only text, repeated n times, to run n edits of it in one batch.
  KeptStream repeated(std::size_t n) const;
};

class Model {
 public:
  // `weights` point into `source`, which the model keeps.
  Model(ModelConfig config, BoundWeights weights, std::unique_ptr<WeightSource> source);

  const ModelConfig& config() const { return config_; }

  // Runs the input as far as the requests need, calling the taps on the way; requests are of different sites. A run that starts
  // from a kept stream does not show the layers before it. Throws Error(kInput) for a text that is empty or longer than the
  // stack's max_tokens(), for ids outside the vocabulary, for requests and edits of layers, heads or positions that do not exist.
  void run(ThreadPool& pool, const RunInput& input, std::span<const Request> requests, std::span<Tap* const> taps) const;
  void run(ThreadPool& pool, const RunInput& input, const Request& request, std::span<Tap* const> taps) const {
    run(pool, input, std::span(&request, 1), taps);
  }

  // The stream of the site's stack before `layer` (L: after the last layer), for a run without edits to resume from, or an edited
  // one whose edits begin at that layer. A resumed run gives the bits of a whole one.
  KeptStream keep_stream(ThreadPool& pool, const RunInput& input, std::size_t layer, Site site = Site::kSelf) const;

  // Runs `ids` as the continuation of the tokens in the cache, adds their keys and values to it, and returns the scores [V] of
  // every vocabulary entry as the token after them. The taps see the requests' layers and heads in blocks of the new queries
  // (row_begin is a position in the whole text) over all keys up to there. Throws Error(kInput) as run does, and for a model that
  // does not predict the next token; Error(kBug) if the cache has no room or another rotation (run/kv_cache.h).
  std::vector<float> extend(ThreadPool& pool, KvCache& cache, std::span<const std::int32_t> ids, std::span<const Request> requests,
                            std::span<Tap* const> taps) const;
  std::vector<float> extend(ThreadPool& pool, KvCache& cache, std::span<const std::int32_t> ids, const Request& request,
                            std::span<Tap* const> taps) const {
    return extend(pool, cache, ids, std::span(&request, 1), taps);
  }

  // For an encoder-decoder: runs the encoder over the batch's one text and puts the keys and values of the decoder's
  // cross-attention into the cache, which extend then reads.
  void encode_source(ThreadPool& pool, KvCache& cache, const TokenBatch& source) const;

  // Scores [rows, V] of every vocabulary entry at the rows, before softmax: as the next token, or in place of a masked one,
  // whichever head the model has. Rows are of the decoder where there is one. Taps see what `requests` name, and kFinalNorm of the
  // rows. Throws Error(kInput) as run does, and if the model has no such head or the file lacks its weights.
  std::vector<float> logits(ThreadPool& pool, const RunInput& input, std::span<const BatchRow> rows,
                            std::span<const Request> requests = {}, std::span<Tap* const> taps = {}) const;

  // Whether logits() can be computed: the family has an output head, and the file its weights.
  bool has_logits() const;

  // logits() of the last row of each text, [B, V], from a model that predicts the next token.
  std::vector<float> next_token_logits(ThreadPool& pool, const RunInput& input) const;

 private:
  struct Stack;
  struct Pass;

  Stack stack_of(StackRole role) const;
  void check_logits() const;      // throws Error(kInput)
  void check_next_token() const;  // throws Error(kInput)

  ModelConfig config_;
  std::unique_ptr<WeightSource> source_;  // weights_ points into it
  BoundWeights weights_;                  // one for each of config_.stacks
};

// Opens a model folder as save_pretrained writes it (config.json, weights). Throws Error(kModel).
std::unique_ptr<Model> load_model(const std::filesystem::path& folder);

// The same from parts already open: config.json's text and a weight source that the model takes over.
std::unique_ptr<Model> make_model(const std::string& config_text, const std::string& where, std::unique_ptr<WeightSource> weights);

// The model that a GGUF file holds; it keeps the file. Throws Error(kModel).
std::unique_ptr<Model> load_gguf_model(std::shared_ptr<const GgufFile> file);

// Names the registry knows, as config.json's model_type spells them.
std::vector<std::string> supported_families();

}  // namespace attnviz

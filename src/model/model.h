// A loaded model: configuration plus bound weights, and its one forward pass.
//
// Tested in tests/parity (each family against the reference) and tests/unit/model.
#pragma once

#include <attnviz/model_config.h>
#include <attnviz/request.h>
#include <attnviz/token.h>
#include <attnviz/weights.h>

#include "base/thread_pool.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attnviz {

class GgufFile;
class KvCache;

class Model {
 public:
  virtual ~Model() = default;

  virtual const ModelConfig& config() const = 0;

  // Runs the batch as far as the request needs, calling the taps on the way. Throws Error(kInput) for a sequence that is empty or
  // longer than config().max_tokens(), and for ids outside the vocabulary.
  virtual void run(ThreadPool& pool, const TokenBatch& batch, const Request& request, std::span<Tap* const> taps) const = 0;

  // Runs `ids` as what follows the tokens that the cache holds, puts theirs there, and returns the scores [V] of every vocabulary
  // entry as the token after them. The taps see the request's layers and heads in blocks of the new queries (row_begin is a
  // position in the whole text) over the keys so far. Throws Error(kInput) as run does, and for a model that predicts no next
  // token; Error(kBug) where the cache has no room or another rotation (see kv_cache.h).
  virtual std::vector<float> extend(ThreadPool& pool, KvCache& cache, std::span<const std::int32_t> ids, const Request& request,
                                    std::span<Tap* const> taps) const = 0;

  // Scores [B, V] of every vocabulary entry as the token after each text, before softmax. Throws Error(kInput) as run does, and
  // where the model predicts no next token or its weights have no output matrix.
  virtual std::vector<float> next_token_logits(ThreadPool& pool, const TokenBatch& batch) const = 0;
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

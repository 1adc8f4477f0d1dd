// Texts and a Request -> Traces: encode, run the ragged batch once, keep the wanted maps.
// Tested in tests/unit/pipeline/runner_test.cpp and tests/parity.
#pragma once

#include <attnviz/request.h>
#include <attnviz/token.h>
#include <attnviz/trace.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "model/model.h"
#include "pipeline/resolve.h"
#include "trace/spans.h"

namespace attnviz {

// A model with its tokenizer, ready to run.
struct LoadedModel {
  ModelInfo info;
  std::filesystem::path folder;
  std::unique_ptr<Model> model;
  std::unique_ptr<Tokenizer> tokenizer;
};

// `cache`: where tokenizers are kept between runs (tokenizer_cache.h); empty: nowhere. Throws Error(kModel).
LoadedModel open_model(const ModelPlace& place, const std::filesystem::path& cache = {});

struct EncodedText {
  TextInput input;
  std::vector<Token> tokens;
  std::size_t n_cut = 0;  // tokens that did not fit and were left out
};

struct RunnerOptions {
  EncodeOptions encode;
  bool truncate = false;  // cut a text that is too long for the model; otherwise it is an error with both lengths
  std::size_t room = 0;   // tokens that will follow, for which a cut text leaves room
};

// Throws Error(kInput): an empty text, a text past the model's limit, invalid UTF-8.
EncodedText encode_text(const LoadedModel& loaded, const TextInput& input, const RunnerOptions& options);

struct KeptMaps {
  MapShape shape;
  std::vector<AttentionMap> maps;
};

// The maps that a run of `text` kept, with its tokens and notes.
Trace make_trace(const LoadedModel& loaded, const EncodedText& text, const MapChoice& choice, KeptMaps kept);

// A source and its target for an encoder-decoder.
struct EncodedPair {
  EncodedText source;
  EncodedText target;
};

// One trace per pair and request, pair by pair: a trace has one pair of axes, so each site of an encoder-decoder is a trace of its
// own. Spans of `choice` must be within both texts of every pair.
std::vector<Trace> run_pairs(ThreadPool& pool, const LoadedModel& loaded, std::span<const EncodedPair> pairs,
                             std::span<const Request> requests, const MapChoice& choice = {});

// One trace per text, in order. Keeps the part `choice` of the maps of the request's layers and heads.
std::vector<Trace> run_texts(ThreadPool& pool, const LoadedModel& loaded, std::span<const EncodedText> texts,
                             const Request& request, const MapChoice& choice = {});

}  // namespace attnviz

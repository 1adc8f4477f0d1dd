// A text that the model continues, and the attention of every step in one map.
//
// The prompt runs once, then each new token alone over the cached keys and values (model/run/kv_cache.h). The last token is run
// as well, so that every token has a row. Tested in tests/unit/pipeline/generate_test.cpp, against the reference's greedy tokens in
// tests/parity/generation_test.cpp, and in tests/property (stitched maps equal those of the whole text).
#pragma once

#include <attnviz/request.h>
#include <attnviz/trace.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "pipeline/runner.h"
#include "pipeline/sampler.h"
#include "pipeline/stitch.h"
#include "trace/spans.h"

namespace attnviz {

struct GenerateOptions {
  std::size_t n_tokens = 1;  // at most; fewer if the model ends the text, with its ending token
  SamplingOptions sampling{};
  std::function<void(std::size_t)> on_token{};  // called with each new token's number, from 1 on
};

struct Continuation {
  const Model& model;
  std::vector<std::int32_t> prompt;
  std::size_t n_known;  // ids below this may be chosen
  const GenerateOptions& options;
  const Request& request;
  std::span<Tap* const> taps;
};

// The ids that follow. Taps see the rows of every token, including the last. If the rotation of a text changes on the way
// (kv_cache.h), they see its rows twice, and the later ones are those of the whole text.
std::vector<std::int32_t> continue_ids(ThreadPool& pool, const Continuation& task);

struct GeneratedText {
  EncodedText text;  // prompt and continuation; the tokens of the latter are marked
  std::size_t n_prompt = 0;
  bool ended = false;                 // by the model, before it made n_tokens
  std::shared_ptr<StitchTap> rows{};  // of the steps; null if they are too many to keep
};

// Throws Error(kInput): the model does not predict next tokens, a pair, a prompt that leaves no room for that many tokens.
// `request` must outlive the result.
GeneratedText generate_text(ThreadPool& pool, const LoadedModel& loaded, const EncodedText& prompt, const Request& request,
                            const GenerateOptions& options);

// The part `choice` of the maps of all steps. If the rows were too many to keep, runs the whole text once more.
Trace trace_generated(ThreadPool& pool, const LoadedModel& loaded, const GeneratedText& generated, const Request& request,
                      const MapChoice& choice = {});

// "last 20 of 24 tokens generated: greedy", and whether the model ended the text.
std::string generation_note(const GeneratedText& generated, const SamplingOptions& sampling);

}  // namespace attnviz

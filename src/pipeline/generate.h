// A text that the model itself goes on with, and the attention of every step in one map.
//
// The prompt runs once, then each new token alone over the cached keys and values (model/run/kv_cache.h). The last token is run
// too, so that every token has its row. Tested in tests/unit/pipeline/generate_test.cpp, against the reference's greedy tokens in
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
  std::size_t n_tokens = 1;  // at most; fewer where the model ends the text, whose ending token is the last
  SamplingOptions sampling{};
  std::function<void(std::size_t)> on_token{};  // called with each new token's number, from 1 on
};

struct Continuation {
  const Model& model;
  std::vector<std::int32_t> prompt;
  std::size_t n_known;  // ids below this may come
  const GenerateOptions& options;
  const Request& request;
  std::span<Tap* const> taps;
};

// The ids that follow. Taps see every token's rows, the last one's too, and those of a text whose rotation changes on the way
// (kv_cache.h) twice: the later ones are the whole text's.
std::vector<std::int32_t> continue_ids(ThreadPool& pool, const Continuation& task);

struct GeneratedText {
  EncodedText text;  // prompt and continuation; the tokens of the latter are marked
  std::size_t n_prompt = 0;
  bool ended = false;                 // by the model, before n_tokens were there
  std::shared_ptr<StitchTap> rows{};  // of the steps; null where they are too many to be kept
};

// Throws Error(kInput): the model does not predict next tokens, a pair, a prompt that leaves no room for that many tokens.
// `request` must outlive the result.
GeneratedText generate_text(ThreadPool& pool, const LoadedModel& loaded, const EncodedText& prompt, const Request& request,
                            const GenerateOptions& options);

// What `choice` names of the maps of all steps. Where the rows were too many to be kept, the whole text is run once more.
Trace trace_generated(ThreadPool& pool, const LoadedModel& loaded, const GeneratedText& generated, const Request& request,
                      const MapChoice& choice = {});

// "last 20 of 24 tokens generated: greedy", and whether the model ended the text.
std::string generation_note(const GeneratedText& generated, const SamplingOptions& sampling);

}  // namespace attnviz

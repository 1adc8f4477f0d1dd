// See generate.h.
#include "pipeline/generate.h"

#include <attnviz/error.h>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/limits.h"
#include "model/run/kv_cache.h"
#include "pipeline/taps.h"

namespace attnviz {
namespace {

void check_room(const LoadedModel& loaded, std::size_t n_prompt, std::size_t n_new) {
  const std::size_t limit = loaded.model->config().generating().max_tokens();
  if (n_prompt <= limit && n_new <= limit - n_prompt) return;
  throw Error(ErrorKind::kInput,
              fmt::format("text: {} tokens and {} more are too many; {} takes at most {}; generate fewer, or shorten the text",
                          n_prompt, n_new, loaded.info.name, limit));
}

bool is_end(const StackSpec& stack, std::int32_t id) {
  const auto& ends = stack.output.end_ids;
  return std::find(ends.begin(), ends.end(), id) != ends.end();
}

std::vector<std::int32_t> ids_of(const std::vector<Token>& tokens) {
  std::vector<std::int32_t> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

}  // namespace

std::vector<std::int32_t> continue_ids(ThreadPool& pool, const Continuation& task) {
  const ModelConfig& config = task.model.config();
  const StackSpec& stack = config.generating();
  const std::size_t n_tokens = task.options.n_tokens;
  KvCache cache(config, task.prompt.size() + n_tokens);
  Sampler sampler(task.options.sampling);
  std::vector<std::int32_t> next = task.prompt;
  std::vector<std::int32_t> made;
  while (true) {
    if (!keeps_rotation(stack, cache, next.size())) {  // the rows so far come once more, as the whole text has them
      cache.clear();
      next = task.prompt;
      next.insert(next.end(), made.begin(), made.end());
    }
    const std::vector<float> logits = task.model.extend(pool, cache, next, task.request, task.taps);
    if (made.size() == n_tokens || (!made.empty() && is_end(stack, made.back()))) return made;
    next = {sampler.pick(std::span(logits).first(task.n_known))};
    made.push_back(next.front());
    if (task.options.on_token) task.options.on_token(made.size());
  }
}

GeneratedText generate_text(ThreadPool& pool, const LoadedModel& loaded, const EncodedText& prompt, const Request& request,
                            const GenerateOptions& options) {
  if (prompt.input.text2) {
    throw Error(ErrorKind::kInput, "generation: continues one text; expected no second text; leave it out");
  }
  const Model& model = *loaded.model;
  const std::size_t n_prompt = prompt.tokens.size();
  check_room(loaded, n_prompt, options.n_tokens);
  const std::size_t capacity = n_prompt + options.n_tokens;
  GeneratedText generated{prompt, n_prompt, false, nullptr};
  std::vector<Tap*> taps;
  if (StitchTap::n_weights(request, capacity) <= kMostKeptWeights) {
    generated.rows = std::make_shared<StitchTap>(request, capacity);
    taps.push_back(generated.rows.get());
  }
  const std::size_t n_known =
      std::min(loaded.tokenizer->n_vocab(), model.config().generating().embedding.n_vocab);  // tables may be padded
  const std::vector<std::int32_t> made = continue_ids(pool, {model, ids_of(prompt.tokens), n_known, options, request, taps});
  generated.ended = made.size() < options.n_tokens;
  EncodedText& text = generated.text;
  if (text.n_cut > 0) text.input.text.resize(text.tokens.back().end);  // what follows is behind what was kept
  for (Token& token : loaded.tokenizer->decode_after(&text.input.text, prompt.tokens, made)) {
    text.tokens.push_back(std::move(token));
  }
  return generated;
}

Trace trace_generated(ThreadPool& pool, const LoadedModel& loaded, const GeneratedText& generated, const Request& request,
                      const MapChoice& choice) {
  if (!generated.rows) return std::move(run_texts(pool, loaded, {&generated.text, 1}, request, choice).front());
  TokenBatch batch;
  batch.append(generated.text.tokens);
  MapTap keep(batch, request, choice);
  generated.rows->replay(generated.text.tokens.size(), keep);
  return make_trace(loaded, generated.text, choice, {keep.shape(0), keep.take(0)});
}

std::string generation_note(const GeneratedText& generated, const SamplingOptions& sampling) {
  std::string how = "greedy";
  if (sampling.temperature > 0) {
    how = fmt::format("temperature {}, {}seed {}", sampling.temperature,
                      sampling.top_k > 0 ? fmt::format("top {}, ", sampling.top_k) : "", sampling.seed);
  }
  const std::size_t n_token = generated.text.tokens.size();
  return fmt::format("last {} of {} tokens generated ({}){}", n_token - generated.n_prompt, n_token, how,
                     generated.ended ? ", where the model ended the text" : "");
}

}  // namespace attnviz

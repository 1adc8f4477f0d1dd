// See runner.h.
#include "pipeline/runner.h"

#include <attnviz/error.h>

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/setting_error.h"
#include "formats/gguf/gguf.h"
#include "formats/tokenizer/gguf_tokenizer.h"
#include "formats/tokenizer/tokenizer_files.h"
#include "pipeline/taps.h"
#include "pipeline/tokenizer_cache.h"

namespace attnviz {
namespace {

void check_not_empty(const std::string& text, const char* which) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(ErrorKind::kInput, fmt::format("{}: is empty; expected at least one word", which));
  }
}

// The texts that the axes of a map are of; one and the same for self-attention.
struct Axes {
  const EncodedText& queries;
  const EncodedText& keys;

  AxisLengths lengths() const { return {queries.tokens.size(), keys.tokens.size()}; }
};

// A list of all tokens needs no positions: they are the places in the list.
void name_axes(const Axes& axes, const MapChoice& choice, const MapShape& shape, Trace* trace) {
  if (!choice.rows && !choice.columns && !shape.pooled()) {
    trace->queries = axes.queries.tokens;
    trace->keys = axes.keys.tokens;
    return;
  }
  trace->queries = axis_tokens(axes.queries.tokens, shape.rows, shape.row_side);
  trace->keys = axis_tokens(axes.keys.tokens, shape.columns, shape.column_side);
  if (shape.pooled()) trace->pool = Pool{shape.row_side, shape.column_side, shape.by};
}

void add_run_notes(const EncodedText& text, Trace* trace) {
  if (text.n_cut > 0) trace->notes.push_back(fmt::format("last {} tokens cut off", text.n_cut));
}

void finish_trace(const Axes& axes, const MapChoice& choice, KeptMaps kept, Trace* trace) {
  name_axes(axes, choice, kept.shape, trace);
  trace->maps = std::move(kept.maps);
  for (std::string& note : shape_notes(choice, kept.shape, axes.lengths())) trace->notes.push_back(std::move(note));
}

TokenBatch batch_of(std::span<const EncodedPair> pairs, EncodedText EncodedPair::*side) {
  TokenBatch batch;
  for (const EncodedPair& pair : pairs) batch.append((pair.*side).tokens);
  return batch;
}

EncodedText EncodedPair::*queries_of(Site site) {
  return site == Site::kDecoder || site == Site::kCross ? &EncodedPair::target : &EncodedPair::source;
}

EncodedText EncodedPair::*keys_of(Site site) { return site == Site::kDecoder ? &EncodedPair::target : &EncodedPair::source; }

}  // namespace

LoadedModel open_model(const ModelPlace& place, const std::filesystem::path& cache) {
  const std::int64_t begun = current_file_time();
  LoadedModel loaded;
  loaded.folder = place.folder;
  if (const auto gguf = find_gguf(place.folder)) {
    const auto file = open_gguf(*gguf);
    loaded.model = load_gguf_model(file);
    const TokenizerSource source{*gguf, {file->metadata().where()}, [&] { return read_gguf_tokenizer(file->metadata()); }, begun};
    loaded.tokenizer = open_tokenizer_of(source, cache);
  } else {
    loaded.model = load_model(place.folder);
    const TokenizerSource source{place.folder, tokenizer_file_paths(place.folder),
                                 [&] { return read_tokenizer_files(place.folder); }, begun};
    loaded.tokenizer = open_tokenizer_of(source, cache);
  }
  const ModelConfig& config = loaded.model->config();
  const StackSpec& first = config.first();
  if (loaded.tokenizer->n_vocab() > first.embedding.n_vocab) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("{}: the tokenizer's vocabulary has {} tokens but the model embeds {}; the files do not belong together",
                    place.folder.string(), loaded.tokenizer->n_vocab(), first.embedding.n_vocab));
  }
  loaded.info = {place.name, config.family, first.n_layer, first.attention.n_head};
  return loaded;
}

EncodedText encode_text(const LoadedModel& loaded, const TextInput& input, const RunnerOptions& options) {
  check_not_empty(input.text, "text");
  if (input.text2) check_not_empty(*input.text2, "second text");
  EncodedText encoded{input, loaded.tokenizer->encode(input, options.encode), 0};
  const std::size_t limit = loaded.model->config().first().max_tokens();
  const std::size_t n_token = encoded.tokens.size();
  // Without any room for the text itself the generation says what is wrong.
  const std::size_t kept = options.truncate && options.room < limit ? limit - options.room : limit;
  if (n_token <= kept) return encoded;
  if (!options.truncate) {
    throw SettingError(ErrorKind::kInput, {fmt::format("text: has {} tokens (special ones included); {} takes at most {}; shorten "
                                                       "it, or cut it with ",
                                                       n_token, loaded.info.name, limit),
                                           Setting::kTruncate});
  }
  encoded.tokens = loaded.tokenizer->truncate(std::move(encoded.tokens), kept);
  encoded.n_cut = n_token - encoded.tokens.size();
  return encoded;
}

Trace make_trace(const LoadedModel& loaded, const EncodedText& text, const MapChoice& choice, KeptMaps kept) {
  Trace trace;
  trace.model = loaded.info;
  trace.texts.push_back(text.input.text);
  if (text.input.text2) trace.texts.push_back(*text.input.text2);
  add_run_notes(text, &trace);
  finish_trace({text, text}, choice, std::move(kept), &trace);
  return trace;
}

std::vector<Trace> run_texts(ThreadPool& pool, const LoadedModel& loaded, std::span<const EncodedText> texts,
                             const Request& request, const MapChoice& choice) {
  TokenBatch batch;
  for (const EncodedText& text : texts) batch.append(text.tokens);
  Request wanted = request;
  if (choice.rows) wanted.rows = QueryRows{choice.rows->begin, choice.rows->end};
  MapTap keep(batch, wanted, choice);
  Tap* const taps[] = {&keep};
  loaded.model->run(pool, batch, wanted, taps);
  std::vector<Trace> traces;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    traces.push_back(make_trace(loaded, texts[i], choice, {keep.shape(i), keep.take(i)}));
  }
  return traces;
}

std::vector<Trace> run_pairs(ThreadPool& pool, const LoadedModel& loaded, std::span<const EncodedPair> pairs,
                             std::span<const Request> requests, const MapChoice& choice) {
  const TokenBatch sources = batch_of(pairs, &EncodedPair::source);
  const TokenBatch targets = batch_of(pairs, &EncodedPair::target);
  std::vector<std::unique_ptr<MapTap>> kept;
  std::vector<Tap*> taps;
  for (const Request& request : requests) {
    const bool of_source[] = {queries_of(request.site) == &EncodedPair::source, keys_of(request.site) == &EncodedPair::source};
    kept.push_back(std::make_unique<MapTap>(of_source[0] ? sources : targets, of_source[1] ? sources : targets, request, choice));
    taps.push_back(kept.back().get());
  }
  RunInput input(sources);
  input.target.tokens = &targets;
  loaded.model->run(pool, input, requests, taps);
  std::vector<Trace> traces;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (std::size_t r = 0; r < requests.size(); ++r) {
      Trace trace;
      trace.model = loaded.info;
      trace.texts = {pairs[i].source.input.text, pairs[i].target.input.text};
      for (const EncodedText* text : {&pairs[i].source, &pairs[i].target}) add_run_notes(*text, &trace);
      const Axes axes{pairs[i].*queries_of(requests[r].site), pairs[i].*keys_of(requests[r].site)};
      finish_trace(axes, choice, {kept[r]->shape(i), kept[r]->take(i)}, &trace);
      traces.push_back(std::move(trace));
    }
  }
  return traces;
}

}  // namespace attnviz

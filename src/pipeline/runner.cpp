// See runner.h.
#include "pipeline/runner.h"

#include <attnviz/error.h>
#include <fmt/format.h>

#include <algorithm>

#include "formats/gguf.h"
#include "formats/tokenizer_files.h"
#include "model/arch/gguf_tokenizer.h"
#include "text/make_tokenizer.h"

namespace attnviz {
namespace {

// Keeps whole patterns. Every block has its own place, so concurrent calls never meet.
class KeepPatterns final : public Tap {
 public:
  KeepPatterns(const TokenBatch& batch, const Request& request) : request_(request), maps_(batch.n_sequences()) {
    for (std::size_t sequence = 0; sequence < maps_.size(); ++sequence) {
      const std::size_t n_token = batch.offsets[sequence + 1] - batch.offsets[sequence];
      for (const std::size_t layer : request.layers) {
        for (const std::size_t head : request.heads) {
          maps_[sequence].push_back({MapKind::kSelf, layer, head, n_token, n_token, std::vector<float>(n_token * n_token)});
        }
      }
    }
  }

  bool wants(TapKind kind) const override { return kind == TapKind::kPattern; }

  void on_block(const TapBlock& block) override {
    const std::size_t layer_place = place_in(request_.layers, block.layer);
    const std::size_t head_place = place_in(request_.heads, block.head);
    AttentionMap& map = maps_[block.sequence][layer_place * request_.heads.size() + head_place];
    for (std::size_t r = 0; r < block.n_rows; ++r) {
      const auto row = block.row(r);
      std::copy(row.begin(), row.end(), map.pattern.begin() + static_cast<std::ptrdiff_t>((block.row_begin + r) * map.n_key));
    }
  }

  std::vector<AttentionMap> take(std::size_t sequence) { return std::move(maps_[sequence]); }

 private:
  static std::size_t place_in(const std::vector<std::size_t>& sorted, std::size_t value) {
    return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
  }

  const Request& request_;
  std::vector<std::vector<AttentionMap>> maps_;  // [sequence][layer place * n heads + head place]
};

void check_not_empty(const std::string& text, const char* which) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(ErrorKind::kInput, fmt::format("{}: is empty; expected at least one word", which));
  }
}

}  // namespace

LoadedModel open_model(const ModelPlace& place) {
  LoadedModel loaded;
  loaded.folder = place.folder;
  if (const auto gguf = find_gguf(place.folder)) {
    const auto file = open_gguf(*gguf);
    loaded.model = load_gguf_model(file);
    loaded.tokenizer = make_tokenizer(read_gguf_tokenizer(file->metadata()));
  } else {
    loaded.model = load_model(place.folder);
    loaded.tokenizer = make_tokenizer(read_tokenizer_files(place.folder));
  }
  const ModelConfig& config = loaded.model->config();
  if (loaded.tokenizer->n_vocab() > config.embedding.n_vocab) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("{}: the tokenizer's vocabulary has {} tokens but the model embeds {}; the files do not belong together",
                    place.folder.string(), loaded.tokenizer->n_vocab(), config.embedding.n_vocab));
  }
  loaded.info = {place.name, config.family, config.n_layer, config.attention.n_head};
  return loaded;
}

EncodedText encode_text(const LoadedModel& loaded, const TextInput& input, const RunnerOptions& options) {
  check_not_empty(input.text, "text");
  if (input.text2) check_not_empty(*input.text2, "second text");
  EncodedText encoded{input, loaded.tokenizer->encode(input, options.encode), 0};
  const std::size_t limit = loaded.model->config().max_tokens();
  const std::size_t n_token = encoded.tokens.size();
  if (n_token <= limit) return encoded;
  if (!options.truncate) {
    throw Error(ErrorKind::kInput,
                fmt::format("text: has {} tokens (special ones included); {} takes at most {}; shorten it, or cut it "
                            "with --truncate",
                            n_token, loaded.info.name, limit));
  }
  encoded.tokens = loaded.tokenizer->truncate(std::move(encoded.tokens), limit);
  encoded.n_cut = n_token - encoded.tokens.size();
  return encoded;
}

std::vector<Trace> run_texts(ThreadPool& pool, const LoadedModel& loaded, std::span<const EncodedText> texts,
                             const Request& request) {
  TokenBatch batch;
  for (const EncodedText& text : texts) batch.append(text.tokens);
  KeepPatterns keep(batch, request);
  Tap* const taps[] = {&keep};
  loaded.model->run(pool, batch, request, taps);
  std::vector<Trace> traces;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Trace trace;
    trace.model = loaded.info;
    trace.texts.push_back(texts[i].input.text);
    if (texts[i].input.text2) trace.texts.push_back(*texts[i].input.text2);
    trace.queries = texts[i].tokens;
    trace.keys = texts[i].tokens;
    trace.maps = keep.take(i);
    if (texts[i].n_cut > 0) trace.notes.push_back(fmt::format("last {} tokens cut off", texts[i].n_cut));
    traces.push_back(std::move(trace));
  }
  return traces;
}

}  // namespace attnviz

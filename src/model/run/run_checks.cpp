// See run_checks.h.
#include "model/run/run_checks.h"

#include <attnviz/error.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/run/kv_cache.h"

namespace attnviz {
namespace {

std::size_t text_length(std::span<const std::size_t> offsets, std::size_t text) { return offsets[text + 1] - offsets[text]; }

// `whose` opens the message: "request", "edit".
void check_index(std::string_view whose, std::string_view what, std::size_t index, std::size_t n) {
  if (index < n) return;
  throw Error(ErrorKind::kInput, fmt::format("{}: {} {} is out of range; expected 0 to {}", whose, what, index, n - 1));
}

void check_indices(std::string_view what, std::span<const std::size_t> indices, std::size_t n) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    check_index("request", what, indices[i], n);
    if (i > 0 && indices[i - 1] >= indices[i]) {
      throw Error(ErrorKind::kBug, fmt::format("request: {} numbers must be sorted and unique", what));
    }
  }
}

}  // namespace

std::span<const std::size_t> offsets_of(const StackInput& input) {
  return input.tokens != nullptr ? std::span<const std::size_t>(input.tokens->offsets) : input.offsets;
}

void check_request(const StackSpec& stack, const Request* request, std::size_t first_layer) {
  if (request == nullptr) return;
  if (request->layers.empty() || request->heads.empty()) {
    throw Error(ErrorKind::kBug, "request: names no layer or no head; expected at least one of each");
  }
  check_indices("layer", request->layers, stack.n_layer);
  check_indices("head", request->heads, ModelConfig::attention_of(stack, request->site).n_head);
  if (request->layers.front() < first_layer) {
    throw Error(ErrorKind::kBug,
                fmt::format("request: layer {} comes before layer {}, where the run starts", request->layers.front(), first_layer));
  }
}

void check_sites(const ModelConfig& config, std::span<const Request> requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (config.find(requests[i].site) == nullptr) {
      std::vector<std::string_view> known;
      for (const Site site : config.sites()) known.push_back(site_name(site));
      throw Error(ErrorKind::kInput, fmt::format("request: the model has no {} attention; expected {}", site_name(requests[i].site),
                                                 fmt::join(known, ", ")));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (requests[i].site == requests[j].site) throw Error(ErrorKind::kBug, "request: two requests are of one site");
    }
  }
}

void check_batch(const StackSpec& stack, const TokenBatch& batch) {
  const bool consistent = !batch.offsets.empty() && batch.offsets.front() == 0 && batch.offsets.back() == batch.ids.size() &&
                          std::is_sorted(batch.offsets.begin(), batch.offsets.end()) && batch.segments.size() == batch.ids.size();
  if (!consistent) throw Error(ErrorKind::kBug, "batch: ids, segments and offsets do not belong together");
  for (std::size_t sequence = 0; sequence < batch.n_sequences(); ++sequence) {
    const std::size_t n_tokens = text_length(batch.offsets, sequence);
    if (n_tokens == 0) throw Error(ErrorKind::kInput, fmt::format("text {}: has no tokens; expected at least one", sequence + 1));
    if (n_tokens > stack.max_tokens()) {
      throw Error(ErrorKind::kInput, fmt::format("text {}: is too long for the model; expected at most {} tokens, found {}; cut it",
                                                 sequence + 1, stack.max_tokens(), n_tokens));
    }
  }
  const auto outside = [](std::int32_t value, std::size_t n) { return value < 0 || static_cast<std::size_t>(value) >= n; };
  for (const std::int32_t id : batch.ids) {
    if (!outside(id, stack.embedding.n_vocab)) continue;
    throw Error(ErrorKind::kInput,
                fmt::format("token id {} is outside the model's vocabulary; expected 0 to {}; the tokenizer and the "
                            "weights must be of one model",
                            id, stack.embedding.n_vocab - 1));
  }
  if (stack.embedding.n_segment == 0) return;
  for (const std::int32_t segment : batch.segments) {
    if (!outside(segment, stack.embedding.n_segment)) continue;
    throw Error(ErrorKind::kInput,
                fmt::format("segment {} is outside the model's; expected 0 to {}: the model was not made for pairs of "
                            "texts",
                            segment, stack.embedding.n_segment - 1));
  }
}

void check_input(const StackSpec& stack, const StackInput& input) {
  if (input.tokens != nullptr) return check_batch(stack, *input.tokens);
  const bool consistent = !input.offsets.empty() && input.offsets.front() == 0 &&
                          std::is_sorted(input.offsets.begin(), input.offsets.end()) &&
                          input.stream.size() == input.offsets.back() * stack.d_model && input.first_layer <= stack.n_layer;
  if (!consistent) throw Error(ErrorKind::kBug, "run: the stream to start from does not fit the stack");
}

void check_extension(const StackSpec& stack, const KvCache& cache, const TokenBatch& batch) {
  check_batch(stack, batch);
  const std::size_t n_past = cache.n_tokens();
  const std::size_t n_tokens = n_past + batch.n_tokens();
  if (n_tokens > stack.max_tokens()) {
    throw Error(ErrorKind::kInput,
                fmt::format("text: would grow to {} tokens; the model takes at most {}; generate fewer, or shorten the text",
                            n_tokens, stack.max_tokens()));
  }
  if (n_tokens > cache.capacity()) {
    throw Error(ErrorKind::kBug, fmt::format("cache: has room for {} tokens, not for {}", cache.capacity(), n_tokens));
  }
  if (!keeps_rotation(stack, cache, batch.n_tokens())) {
    throw Error(
        ErrorKind::kBug,
        fmt::format("cache: its {} keys are rotated differently than those of {} tokens; run the text again", n_past, n_tokens));
  }
}

namespace {

const StackSpec& stack_of_edit(const ModelConfig& config, Site site) {
  if (const StackSpec* stack = config.find(site)) return *stack;
  throw Error(ErrorKind::kInput, fmt::format("edit: the model has no {} attention", site_name(site)));
}

bool is_of_target(Site site) { return site == Site::kDecoder || site == Site::kCross; }

// A layer that the run computes: an edit of one before its start would silently do nothing.
void check_edited_layer(const RunInput& input, const StackSpec& stack, Site site, std::size_t layer) {
  check_index("edit", "layer", layer, stack.n_layer);
  const StackInput& start = is_of_target(site) ? input.target : input.source;
  if (start.tokens != nullptr || layer >= start.first_layer) return;
  throw Error(ErrorKind::kInput,
              fmt::format("edit: layer {} comes before layer {}, where the run starts", layer, start.first_layer));
}

void check_head_edit(const ModelConfig& config, const RunInput& input, const HeadEdit& edit) {
  const StackSpec& stack = stack_of_edit(config, edit.site);
  const AttentionSpec& attention = ModelConfig::attention_of(stack, edit.site);
  check_edited_layer(input, stack, edit.site, edit.layer);
  check_index("edit", "head", edit.head, attention.n_head);
  if (edit.replacement.empty() || edit.replacement.size() == attention.d_head) return;
  throw Error(ErrorKind::kInput, fmt::format("edit: a replacement of {} values; expected {}, the width of a head",
                                             edit.replacement.size(), attention.d_head));
}

// `lengths`: tokens of the text's queries and keys.
void check_cut(const ModelConfig& config, const RunInput& input, const PairCut& cut, const TokenPair& lengths) {
  const StackSpec& stack = stack_of_edit(config, cut.site);
  if (cut.layers.empty()) check_edited_layer(input, stack, cut.site, 0);  // empty means all layers
  for (const std::size_t layer : cut.layers) check_edited_layer(input, stack, cut.site, layer);
  for (const std::size_t head : cut.heads) check_index("edit", "head", head, ModelConfig::attention_of(stack, cut.site).n_head);
  for (const TokenPair& pair : cut.pairs) {
    check_index("edit", "query", pair.query_pos, lengths.query_pos);
    check_index("edit", "key", pair.key_pos, lengths.key_pos);
  }
}

}  // namespace

void check_edits(const ModelConfig& config, const RunInput& input) {
  const std::span<const std::size_t> sources = offsets_of(input.source);
  const std::span<const std::size_t> targets = input.target.given() ? offsets_of(input.target) : std::span<const std::size_t>{};
  const std::size_t n_text = sources.size() - 1;
  const std::span<const Edits> edits = input.edits;
  if (edits.size() > 1 && edits.size() != n_text) {
    throw Error(ErrorKind::kBug, fmt::format("edits: {} for {} texts; expected one, or one for each", edits.size(), n_text));
  }
  for (std::size_t text = 0; !edits.empty() && text < n_text; ++text) {
    const Edits& of_text = edits.size() == 1 ? edits.front() : edits[text];
    for (const HeadEdit& edit : of_text.heads) check_head_edit(config, input, edit);
    for (const PairCut& cut : of_text.cuts) {
      const bool of_target = is_of_target(cut.site) && !targets.empty();
      const std::size_t n_query = text_length(of_target ? targets : sources, text);
      check_cut(config, input, cut, {n_query, cut.site == Site::kCross ? text_length(sources, text) : n_query});
    }
    for (const BlockEdit& edit : of_text.left_out) {
      check_edited_layer(input, stack_of_edit(config, edit.site), edit.site, edit.layer);
      if (edit.block == Block::kFeedForward && edit.site == Site::kCross) {
        throw Error(ErrorKind::kInput, "edit: cross-attention has no feed-forward; expected the decoder's");
      }
    }
  }
}

}  // namespace attnviz

// See include/attnviz/model_config.h. Limits keep every product of two sizes inside 64 bits and a corrupt config from asking for
// more memory than any model needs. Tested in tests/unit/model/model_config_test.cpp.
#include <attnviz/error.h>
#include <attnviz/model_config.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace attnviz {
namespace {

constexpr std::size_t kMaxLayers = 4096;
constexpr std::size_t kMaxWidth = std::size_t{1} << 24;
constexpr std::size_t kMaxVocab = std::numeric_limits<std::int32_t>::max();  // ids are int32

class Checker {
 public:
  explicit Checker(const std::string& where) : where_(where) {}

  void in_range(std::string_view field, std::size_t value, std::size_t least, std::size_t most) const {
    if (value >= least && value <= most) return;
    fail(field, fmt::format("{} to {}", least, most), fmt::format("{}", value));
  }

  void fail(std::string_view field, const std::string& expected, const std::string& found) const {
    throw Error(ErrorKind::kModel, fmt::format("{}: {} is not usable; expected {}, found {}", where_, field, expected, found));
  }

 private:
  const std::string& where_;
};

void check_cap(const Checker& check, std::string_view field, float cap) {
  if (!std::isfinite(cap) || cap < 0) check.fail(field, "a number that is not negative", fmt::format("{}", cap));
}

void check_rope(const Checker& check, const RopeSpec& rope, std::size_t d_head) {
  check.in_range("the rotated width of a head", rope.d_rotary, 2, d_head);
  if (rope.d_rotary % 2 != 0) check.fail("the rotated width of a head", "an even number", fmt::format("{}", rope.d_rotary));
  const std::size_t n_pair = rope.d_rotary / 2;
  check.in_range("the number of rotary frequencies", rope.inverse_frequencies.size(), n_pair, n_pair);
  if (!rope.long_frequencies.empty()) {
    check.in_range("the number of rotary frequencies for long texts", rope.long_frequencies.size(), n_pair, n_pair);
  }
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (!std::all_of(rope.inverse_frequencies.begin(), rope.inverse_frequencies.end(), is_finite) ||
      !std::all_of(rope.long_frequencies.begin(), rope.long_frequencies.end(), is_finite)) {
    check.fail("the rotary frequencies", "finite numbers", "others");
  }
  if (!std::isfinite(rope.attention_factor) || rope.attention_factor <= 0) {
    check.fail("the rotary attention factor", "a positive number", fmt::format("{}", rope.attention_factor));
  }
}

void check_disentangled(const Checker& check, const DisentangledSpec& spec) {
  check.in_range("the number of rows for distances", spec.span, 1, kMaxVocab);
  if (!spec.content_to_position && !spec.position_to_content) check.fail("the kinds of position scores", "at least one", "none");
  if (!spec.log_buckets) return;
  check.in_range("the number of distance buckets", spec.span, 4, kMaxVocab);
  check.in_range("the largest relative distance", spec.max_distance, spec.span / 2 + 2, kMaxVocab);
}

void check_attention(const Checker& check, const AttentionSpec& attention) {
  check.in_range("the number of heads", attention.n_head, 1, kMaxWidth);
  check.in_range("the number of key/value heads", attention.n_kv_head, 1, attention.n_head);
  if (attention.n_head % attention.n_kv_head != 0) {
    check.fail("the number of key/value heads", fmt::format("a divisor of the {} heads", attention.n_head),
               fmt::format("{}", attention.n_kv_head));
  }
  check.in_range("the width of a head", attention.d_head, 1, kMaxWidth);
  if (!std::isfinite(attention.scale) || attention.scale <= 0) {
    check.fail("the scale of scores", "a positive number", fmt::format("{}", attention.scale));
  }
  check_cap(check, "the softcap of scores", attention.softcap);
  if (attention.disentangled) check_disentangled(check, *attention.disentangled);
  if (attention.rope) check_rope(check, *attention.rope, attention.d_head);
  if (attention.mask.window) check.in_range("the attention window", *attention.mask.window, 1, kMaxVocab);
  if (!attention.relative_bias) return;
  const RelativeBiasSpec& bias = *attention.relative_bias;
  const std::size_t n_exact = bias.n_buckets / (bias.bidirectional ? 4 : 2);
  check.in_range("the number of relative position buckets", bias.n_buckets, bias.bidirectional ? 4 : 2, kMaxWidth);
  check.in_range("the largest relative distance", bias.max_distance, n_exact + 1, kMaxVocab);
}

// Layers may differ in mask, rotation and scale, not in sizes: buffers and tensor shapes are those of stack.attention.
void check_kinds(const Checker& check, const StackSpec& stack) {
  if (stack.attention_of_layer.empty()) return;
  check.in_range("the number of layers with a kind of attention", stack.attention_of_layer.size(), stack.n_layer, stack.n_layer);
  for (const std::size_t kind : stack.attention_of_layer) {
    check.in_range("the number of kinds of attention", stack.attention_kinds.size(), kind + 1, kMaxLayers);
  }
  for (const AttentionSpec& kind : stack.attention_kinds) {
    check_attention(check, kind);
    check.in_range("the number of heads", kind.n_head, stack.attention.n_head, stack.attention.n_head);
    check.in_range("the number of key/value heads", kind.n_kv_head, stack.attention.n_kv_head, stack.attention.n_kv_head);
    check.in_range("the width of a head", kind.d_head, stack.attention.d_head, stack.attention.d_head);
  }
}

void check_embedding(const Checker& check, const StackSpec& stack) {
  const EmbeddingSpec& embedding = stack.embedding;
  check.in_range("the vocabulary's size", embedding.n_vocab, 1, kMaxVocab);
  if (embedding.n_position > 0 || stack.n_context == 0) {
    check.in_range("the number of positions", embedding.n_position, embedding.position_offset + 1, kMaxVocab);
  } else {
    check.in_range("the number of positions", stack.n_context, 1, kMaxVocab);
  }
  check.in_range("the number of segments", embedding.n_segment, 0, kMaxWidth);
  check.in_range("the embedding's width", embedding.d_embedding, 1, kMaxWidth);
  if (embedding.unnumbered_id && embedding.position_offset == 0) {
    check.fail("the position offset", "at least 1 where a token takes no position", "0");
  }
  if (!std::isfinite(embedding.scale)) check.fail("the embedding's scale", "a number", fmt::format("{}", embedding.scale));
}

void check_stack(const Checker& check, const StackSpec& stack) {
  check.in_range("the number of layers", stack.n_layer, 1, kMaxLayers);
  check.in_range("the model's width", stack.d_model, 1, kMaxWidth);
  if (stack.role != StackRole::kVision) check_embedding(check, stack);
  check_cap(check, "the softcap of logits", stack.output.softcap);
  if (stack.output.transform) check.in_range("the width of the output head", stack.output.d_transform, 1, kMaxWidth);
  check_attention(check, stack.attention);
  check_kinds(check, stack);
  if (stack.cross) {
    check_attention(check, stack.cross->attention);
    if (stack.role != StackRole::kDecoder) check.fail("the cross-attention", "none outside of a decoder", "one");
  }
  check.in_range("the feed-forward width", stack.ffn.d_ffn, 1, kMaxWidth);
  if (!std::isfinite(stack.norm.epsilon) || stack.norm.epsilon < 0) {
    check.fail("the layer norm's epsilon", "a number that is not negative", fmt::format("{}", stack.norm.epsilon));
  }
}

}  // namespace

std::string_view stack_role_name(StackRole role) {
  switch (role) {
    case StackRole::kText: return "text";
    case StackRole::kEncoder: return "encoder";
    case StackRole::kDecoder: return "decoder";
    case StackRole::kVision: return "vision";
  }
  return "?";
}

const StackSpec* ModelConfig::find(StackRole role) const {
  const auto found = std::find_if(stacks.begin(), stacks.end(), [&](const StackSpec& stack) { return stack.role == role; });
  return found == stacks.end() ? nullptr : &*found;
}

const StackSpec& ModelConfig::generating() const {
  const StackSpec* decoder = find(StackRole::kDecoder);
  return decoder != nullptr ? *decoder : first();
}

const StackSpec* ModelConfig::find(Site site) const {
  switch (site) {
    case Site::kSelf: return find(StackRole::kText);
    case Site::kEncoder: return find(StackRole::kEncoder);
    case Site::kDecoder: return find(StackRole::kDecoder);
    case Site::kVision: return find(StackRole::kVision);
    case Site::kCross: break;
  }
  const StackSpec* decoder = find(StackRole::kDecoder);
  return decoder != nullptr && decoder->cross ? decoder : nullptr;
}

std::vector<Site> ModelConfig::sites() const {
  std::vector<Site> sites;
  std::copy_if(kAllSites.begin(), kAllSites.end(), std::back_inserter(sites), [&](Site site) { return find(site) != nullptr; });
  return sites;
}

void ModelConfig::validate(const std::string& where) const {
  const Checker check(where);
  if (stacks.empty()) check.fail("the model", "at least one stack of layers", "none");
  for (const StackSpec& stack : stacks) check_stack(check, stack);
  const StackSpec* encoder = find(StackRole::kEncoder);
  const StackSpec* decoder = find(StackRole::kDecoder);
  if ((encoder == nullptr) != (decoder == nullptr)) check.fail("the model", "an encoder and a decoder", "one of them");
  if (decoder == nullptr) return;
  if (!decoder->cross) check.fail("the decoder", "cross-attention", "none");
  check.in_range("the width of the stream that cross-attention reads", decoder->cross->d_source, encoder->d_model,
                 encoder->d_model);
}

}  // namespace attnviz

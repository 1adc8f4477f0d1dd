// See tensor_table.h.
#include "model/tensor_table.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnviz {
namespace {

constexpr std::string_view kLayer = "{layer}";

std::string_view dim_symbol(Dim dim) {
  switch (dim) {
    case Dim::kVocab: return "V";
    case Dim::kPosition: return "P";
    case Dim::kSegment: return "S";
    case Dim::kEmbedding: return "E";
    case Dim::kModel: return "D";
    case Dim::kQuery: return "H*K";
    case Dim::kKeyValue: return "G*K";
    case Dim::kHead: return "H";
    case Dim::kFfn: return "F";
    case Dim::kBucket: return "B";
    case Dim::kHeadWidth: return "K";
    case Dim::kDistance: return "R";
    case Dim::kTransform: return "E'";
    case Dim::kSource: return "D'";
    case Dim::kCrossQuery: return "H*K";
    case Dim::kCrossKeyValue: return "G*K";
  }
  return "?";
}

}  // namespace

std::size_t dim_size(const StackSpec& stack, Dim dim) {
  const AttentionSpec& attention = stack.attention;
  const AttentionSpec& cross = stack.cross ? stack.cross->attention : attention;
  switch (dim) {
    case Dim::kVocab: return stack.embedding.n_vocab;
    case Dim::kPosition: return stack.embedding.n_position;
    case Dim::kSegment: return stack.embedding.n_segment;
    case Dim::kEmbedding: return stack.embedding.d_embedding;
    case Dim::kModel: return stack.d_model;
    case Dim::kQuery: return attention.n_head * attention.d_head;
    case Dim::kKeyValue: return attention.n_kv_head * attention.d_head;
    case Dim::kHead: return attention.n_head;
    case Dim::kFfn: return stack.ffn.d_ffn;
    case Dim::kBucket: return attention.relative_bias ? attention.relative_bias->n_buckets : 0;
    case Dim::kHeadWidth: return attention.d_head;
    case Dim::kDistance: return attention.disentangled ? 2 * attention.disentangled->span : 0;
    case Dim::kTransform: return stack.output.d_transform;
    case Dim::kSource: return stack.cross ? stack.cross->d_source : 0;
    case Dim::kCrossQuery: return cross.n_head * cross.d_head;
    case Dim::kCrossKeyValue: return cross.n_kv_head * cross.d_head;
  }
  return 0;
}

Shape dim_sizes(const StackSpec& stack, std::span<const Dim> dims) {
  Shape shape;
  for (const Dim dim : dims) shape.push_back(dim_size(stack, dim));
  return shape;
}

Shape stored_sizes(const StackSpec& stack, const TensorSpec& spec) {
  Shape shape = dim_sizes(stack, spec.shape);
  if (!spec.fused.empty()) {
    shape.front() = 0;
    for (const Dim dim : spec.fused) shape.front() += dim_size(stack, dim);
  }
  if (spec.transposed && shape.size() == 2) std::swap(shape.front(), shape.back());
  return shape;
}

std::string stored_text(const TensorSpec& spec) {
  std::vector<std::string> symbols;
  for (const Dim dim : spec.shape) symbols.emplace_back(dim_symbol(dim));
  if (!spec.fused.empty()) {
    std::vector<std::string_view> heights;
    for (const Dim dim : spec.fused) heights.push_back(dim_symbol(dim));
    symbols.front() = fmt::format("{}", fmt::join(heights, " + "));
  }
  if (spec.transposed && symbols.size() == 2) std::swap(symbols.front(), symbols.back());
  return fmt::format("[{}]", fmt::join(symbols, ", "));
}

void TensorTable::add(TensorRole role, std::string pattern, std::vector<Dim> shape) {
  TensorSpec spec;
  spec.role = role;
  spec.pattern = std::move(pattern);
  spec.shape = std::move(shape);
  tensors.push_back(std::move(spec));
}

void TensorTable::add_linear(TensorRole weight, const std::string& stem, Dim out, Dim in) {
  add(weight, stem + ".weight", {out, in});
  add(bias_of(weight), stem + ".bias", {out});
}

void TensorTable::add_norm(TensorRole weight, const std::string& stem, Dim width) {
  add(weight, stem + ".weight", {width});
  tensors.back().other_names = {stem + ".gamma"};
  add(bias_of(weight), stem + ".bias", {width});
  tensors.back().other_names = {stem + ".beta"};
}

void TensorTable::add_rms_norm(TensorRole weight, const std::string& stem, Dim width) { add(weight, stem + ".weight", {width}); }

void TensorTable::add_fused(const std::vector<TensorRole>& weights, const std::string& stem, const std::vector<Dim>& heights,
                            Dim in, bool with_bias) {
  for (std::size_t part = 0; part < weights.size(); ++part) {
    const std::size_t first = tensors.size();
    add(weights[part], stem + ".weight", {heights[part], in});
    if (with_bias) add(bias_of(weights[part]), stem + ".bias", {heights[part]});
    for (std::size_t row = first; row < tensors.size(); ++row) {
      tensors[row].fused = heights;
      tensors[row].part = part;
    }
  }
}

void TensorTable::number_layers(std::size_t n) {
  for (std::size_t layer = 0; layer < n; ++layer) layers.push_back(std::to_string(layer));
}

std::string tensor_name(const std::string& prefix, const std::string& pattern, const std::string& layer) {
  std::string name = prefix + pattern;
  const std::size_t place = name.find(kLayer, prefix.size());
  if (place != std::string::npos) name.replace(place, kLayer.size(), layer);
  return name;
}

}  // namespace attnviz

// See binder.h.
#include "model/binder.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggest.h"
#include "tensor/unpack.h"

namespace attnviz {
namespace {

constexpr std::size_t kSuggestNames = 2000;  // "nearest name" is searched among at most that many names, of at most that many bytes
constexpr std::size_t kSuggestLength = 200;
constexpr std::size_t kPrefixes = 64;  // candidates that are tried, so that a file of hostile names costs little

bool is_layer_row(const TensorSpec& spec) { return spec.pattern.find("{layer}") != std::string::npos; }

// "model.language_model." without its last part.
std::string outer_prefix(const std::string& prefix) {
  const std::size_t dot = prefix.size() < 2 ? std::string::npos : prefix.find_last_of('.', prefix.size() - 2);
  return dot == std::string::npos ? std::string() : prefix.substr(0, dot + 1);
}

// The file's tensor for a row, under its first name or another; null: absent.
const StoredTensor* find_row(const WeightSource& source, const std::string& prefix, const TensorSpec& spec,
                             const std::string& layer) {
  const StoredTensor* found = source.find(tensor_name(prefix, spec.pattern, layer));
  for (std::size_t i = 0; found == nullptr && i < spec.other_names.size(); ++i) {
    found = source.find(tensor_name(prefix, spec.other_names[i], layer));
  }
  if (found != nullptr || !spec.outside || prefix.empty()) return found;
  return find_row(source, outer_prefix(prefix), spec, layer);
}

// Calls visit(row, layer's text, its number among the stored layers) for each tensor that the table stands for, shared layers once.
template <typename Visit>
void for_each_row(const TensorTable& table, const std::vector<std::string>& stored_layers, Visit visit) {
  for (const TensorSpec& spec : table.tensors) {
    if (!is_layer_row(spec)) {
      visit(spec, std::string(), 0);
      continue;
    }
    for (std::size_t i = spec.not_in_first_layer ? 1 : 0; i < stored_layers.size(); ++i) visit(spec, stored_layers[i], i);
  }
}

// Blocks are read byte by byte.
bool is_aligned(const TensorView& view) {
  return is_block_dtype(view.dtype) || reinterpret_cast<std::uintptr_t>(view.data) % dtype_size(view.dtype) == 0;
}

// The first row of a part, and how far its heads are apart.
struct PartPlace {
  std::size_t first_row = 0;
  std::size_t head_stride = 0;
};

PartPlace place_of_part(const StackSpec& stack, const TensorSpec& spec) {
  if (spec.head_by_head) return {spec.part * stack.attention.d_head, spec.fused.size() * stack.attention.d_head};
  PartPlace place;
  for (std::size_t part = 0; part < spec.part; ++part) place.first_row += dim_size(stack, spec.fused[part]);
  return place;
}

// A vector's own values, in the order of its heads, out of the tensor that it shares.
std::vector<float> take_values(const StackSpec& stack, const TensorSpec& spec, const TensorView& view) {
  std::vector<float> values = unpack_all(view);
  if (!spec.fused.empty()) {
    const PartPlace place = place_of_part(stack, spec);
    const std::size_t n = element_count(dim_sizes(stack, spec.shape));
    const std::size_t d_part = place.head_stride > 0 ? stack.attention.d_head : n;
    std::vector<float> own(n);
    for (std::size_t i = 0; i < n; ++i) own[i] = values[place.first_row + i / d_part * place.head_stride + i % d_part];
    values = std::move(own);
  }
  if (spec.add_one) {
    for (float& value : values) value += 1.0F;
  }
  return values;
}

// The table for a source whose tensors are in plain form.
TensorTable plain_table(TensorTable table) {
  for (TensorSpec& spec : table.tensors) spec.transposed = spec.head_by_head = spec.add_one = false;
  return table;
}

}  // namespace

// Binds one stack.
class Binder {
 public:
  Binder(const StackSpec& stack, const TensorTable& table, const WeightSource& source)
      : stack_(stack), table_(table), source_(source) {
    for (const std::string& layer : table.layers) {
      if (std::find(stored_layers_.begin(), stored_layers_.end(), layer) == stored_layers_.end()) stored_layers_.push_back(layer);
    }
  }

  const std::vector<std::string>& stored_layers() const { return stored_layers_; }

  // Checkpoints put the family's names under "<family>.", under nothing, or deeper ("model.encoder."). The prefix is what stands
  // before the table's first name; where several do, the one under which most of the table is found.
  std::string find_prefix() const {
    const std::string& anchor = table_.tensors.front().pattern;
    std::vector<std::string> best;
    std::size_t best_count = 0;
    std::size_t n_seen = 0;
    for (const StoredTensor& tensor : source_.tensors()) {
      if (!tensor.name.ends_with(anchor) || n_seen++ >= kPrefixes) continue;
      const std::string prefix = tensor.name.substr(0, tensor.name.size() - anchor.size());
      if (!prefix.empty() && prefix.back() != '.') continue;
      const std::size_t count = count_rows(prefix);
      if (count > best_count) best.clear(), best_count = count;
      if (count == best_count) best.push_back(prefix);
    }
    if (best.size() > 1) {
      throw Error(ErrorKind::kModel, fmt::format("{}: holds several models of this family, under the names {}; expected one",
                                                 source_.where(), fmt::join(best, ", ")));
    }
    return best.empty() ? std::string() : best.front();
  }

  void require_all(const std::string& prefix) const {
    std::vector<std::pair<const TensorSpec*, std::string>> missing;
    std::set<std::string> expected;
    for_each_row(table_, stored_layers_, [&](const TensorSpec& spec, const std::string& layer, std::size_t) {
      expected.insert(tensor_name(prefix, spec.pattern, layer));
      if (spec.optional || find_row(source_, prefix, spec, layer) != nullptr) return;
      missing.emplace_back(&spec, tensor_name(prefix, spec.pattern, layer));
    });
    if (missing.empty()) return;
    const auto& [spec, name] = missing.front();
    const auto nearest = nearest_name(name, expected);
    throw Error(
        ErrorKind::kModel,
        fmt::format("{}: tensor '{}' is missing; expected shape {} = {}, found no such name{}{}; config.json and the weights "
                    "must be of one model",
                    source_.where(), name, stored_text(*spec), shape_text(stored_sizes(stack_, *spec)),
                    nearest ? fmt::format(" (nearest: '{}')", *nearest) : "",
                    missing.size() > 1 ? fmt::format("; {} more missing", missing.size() - 1) : ""));
  }

  StackWeights bind(const std::string& prefix) const {
    StackWeights weights;
    weights.stored_layers_.resize(stored_layers_.size());
    for (const std::string& layer : table_.layers) {
      const auto place = std::find(stored_layers_.begin(), stored_layers_.end(), layer);
      weights.stored_layer_of_.push_back(static_cast<std::size_t>(place - stored_layers_.begin()));
    }
    for_each_row(table_, stored_layers_, [&](const TensorSpec& spec, const std::string& layer, std::size_t stored_layer) {
      const StoredTensor* tensor = find_row(source_, prefix, spec, layer);
      if (tensor == nullptr || (spec.ignore_misfit && !fits(spec, *tensor))) return;
      check(spec, *tensor);
      BoundTensor& bound = (is_layer_row(spec) ? weights.stored_layers_[stored_layer] : weights.model_).at(spec.role);
      if (spec.unpack || spec.shape.size() < 2) {
        bound.values = take_values(stack_, spec, tensor->view);
        return;
      }
      const PartPlace place = place_of_part(stack_, spec);
      bound.view = tensor->view;
      bound.transposed = spec.transposed;
      bound.first_row = place.first_row;
      bound.head_stride = place.head_stride;
      if (!is_aligned(bound.view)) keep_copy(&bound.view, &weights);
    });
    return weights;
  }

  bool fits(const TensorSpec& spec, const StoredTensor& tensor) const {
    return tensor.view.shape == stored_sizes(stack_, spec) && is_weight_dtype(tensor.view.dtype);
  }

  void check(const TensorSpec& spec, const StoredTensor& tensor) const {
    const Shape expected = stored_sizes(stack_, spec);
    if (tensor.view.shape != expected) {
      throw Error(
          ErrorKind::kModel,
          fmt::format("{}: tensor '{}' has the wrong shape; expected {} = {}, found {}; config.json and the "
                      "weights must be of one model",
                      source_.where(), tensor.name, stored_text(spec), shape_text(expected), shape_text(tensor.view.shape)));
    }
    if (!is_weight_dtype(tensor.view.dtype)) {
      throw Error(ErrorKind::kModel, fmt::format("{}: tensor '{}' has type {}; expected F32, F16, BF16 or a block type of GGUF",
                                                 source_.where(), tensor.name, dtype_name(tensor.view.dtype)));
    }
  }

 private:
  static void keep_copy(TensorView* view, StackWeights* weights) {
    const std::size_t n_bytes = view->n_bytes();
    weights->copies_.push_back(std::make_unique_for_overwrite<std::byte[]>(n_bytes));
    std::memcpy(weights->copies_.back().get(), view->data, n_bytes);
    view->data = weights->copies_.back().get();
  }

  std::size_t count_rows(const std::string& prefix) const {
    std::size_t count = 0;
    for_each_row(table_, stored_layers_, [&](const TensorSpec& spec, const std::string& layer, std::size_t) {
      count += find_row(source_, prefix, spec, layer) != nullptr ? 1 : 0;
    });
    return count;
  }

  // Among the names that no other row uses: the same tensor of another layer would be no help.
  std::optional<std::string> nearest_name(const std::string& name, const std::set<std::string>& expected) const {
    const auto all = source_.tensors();
    std::optional<std::string> best;
    std::size_t best_distance = name.size() / 3 + 1;
    for (const StoredTensor& tensor : all.subspan(0, std::min(all.size(), kSuggestNames))) {
      if (tensor.name.size() > kSuggestLength || expected.contains(tensor.name)) continue;
      const std::size_t distance = edit_distance(name, tensor.name);
      if (distance < best_distance) best = tensor.name, best_distance = distance;
    }
    return best;
  }

  const StackSpec& stack_;
  const TensorTable& table_;
  const WeightSource& source_;
  std::vector<std::string> stored_layers_;
};

BoundWeights bind_weights(const ModelConfig& config, std::span<const TensorTable> tables, const WeightSource& source) {
  if (tables.size() != config.stacks.size()) throw Error(ErrorKind::kBug, "binder: expected one table of tensors per stack");
  BoundWeights weights;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TensorTable table = source.is_plain() ? plain_table(tables[i]) : tables[i];
    if (table.layers.size() != config.stacks[i].n_layer) {
      throw Error(ErrorKind::kBug, fmt::format("binder: a table of {} layers for a stack of {}; the family's table must name every "
                                               "layer (number_layers)",
                                               table.layers.size(), config.stacks[i].n_layer));
    }
    const Binder binder(config.stacks[i], table, source);
    if (i == 0) weights.prefix = binder.find_prefix();
    binder.require_all(weights.prefix);
    weights.stacks.push_back(binder.bind(weights.prefix));
  }
  return weights;
}

}  // namespace attnviz

// See torch_zip_tensors.h. torch.save writes a tensor as the call that creates it again:
//   torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks[, metadata])
//   torch._utils._rebuild_parameter(tensor, requires_grad, hooks)
// with the storage as the persistent id ("storage", type, key, device, number of elements).
#include "formats/weights/torch_zip_tensors.h"

#include <attnviz/error.h>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/quote.h"

namespace attnviz {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";
constexpr std::size_t kMaxDimensions = 8;  // weights have four at most; the limit keeps memory within the file's size

class TensorReader {
 public:
  TensorReader(const Pickle& pickle, const std::string& where, std::string_view name)
      : pickle_(pickle), where_(where), name_(name) {}

  TorchTensor read(const PickleValue& call) const {
    const PickleValue& function = pickle_.at(call.items[0]);
    if (function.text != kRebuildParameter) return read_tensor(pickle_.at(call.items[1]).items);
    const auto& arguments = pickle_.at(call.items[1]).items;
    if (arguments.size() != 3) fail(fmt::format("a parameter of {} values; expected 3", arguments.size()));
    const PickleValue& inner = expect(arguments[0], Kind::kCall, "a parameter");
    if (pickle_.at(inner.items[0]).text == kRebuildParameter) fail("a parameter of a parameter; expected one of a tensor");
    return read_tensor(pickle_.at(inner.items[1]).items);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: tensor {}: {}; the file is damaged: download or save it again", where_, quote_text(name_), what));
  }

  const PickleValue& expect(PickleIndex index, Kind kind, std::string_view what) const {
    const PickleValue& value = pickle_.at(index);
    if (value.kind != kind) {
      fail(fmt::format("{}: expected {}, found {}", what, pickle_kind_name(kind), pickle_kind_name(value.kind)));
    }
    return value;
  }

  std::size_t size(PickleIndex index, std::string_view what) const {
    const std::int64_t number = expect(index, Kind::kNumber, what).number;
    if (number < 0) fail(fmt::format("{}: expected a whole number >= 0, found {}", what, number));
    return static_cast<std::size_t>(number);
  }

  std::vector<std::size_t> sizes(PickleIndex index, std::string_view what) const {
    const PickleValue& tuple = expect(index, Kind::kTuple, what);
    if (tuple.items.size() > kMaxDimensions) {
      fail(fmt::format("{}: expected at most {} dimensions, found {}", what, kMaxDimensions, tuple.items.size()));
    }
    std::vector<std::size_t> result;
    for (const PickleIndex item : tuple.items) result.push_back(size(item, what));
    return result;
  }

  TorchTensor read_tensor(const std::vector<PickleIndex>& arguments) const {
    if (arguments.size() != 6 && arguments.size() != 7) {
      fail(fmt::format("is made of {} values; expected 6 or 7", arguments.size()));
    }
    TorchTensor tensor;
    tensor.name = name_;
    read_storage(arguments[0], &tensor);
    tensor.offset = size(arguments[1], "offset");
    tensor.shape = sizes(arguments[2], "shape");
    tensor.strides = sizes(arguments[3], "strides");
    if (tensor.strides.size() != tensor.shape.size()) {
      fail(fmt::format("has {} dimensions and {} strides; expected as many", tensor.shape.size(), tensor.strides.size()));
    }
    check_extent(&tensor);
    return tensor;
  }

  void read_storage(PickleIndex index, TorchTensor* tensor) const {
    const PickleValue& id = expect(expect(index, Kind::kPersistent, "storage").items[0], Kind::kTuple, "storage");
    if (id.items.size() != 5) fail(fmt::format("storage: expected 5 values, found {}", id.items.size()));
    const std::string_view tag = expect(id.items[0], Kind::kText, "storage").text;
    if (tag != "storage") fail(fmt::format("storage: expected \"storage\", found {}", quote_text(tag)));
    tensor->dtype = expect(id.items[1], Kind::kDType, "storage").dtype;
    tensor->storage = expect(id.items[2], Kind::kText, "storage").text;
    tensor->n_storage = size(id.items[4], "storage");
  }

  // Every element inside the storage, and all products of the shape in 64 bits.
  void check_extent(TorchTensor* tensor) const {
    std::optional<std::size_t> n_element = 1;  // without the dimensions of 0, so that no part of the shape overflows
    std::optional<std::size_t> last = tensor->offset;
    bool empty = false;
    for (std::size_t d = tensor->shape.size(); d-- > 0;) {
      const std::size_t extent = tensor->shape[d];
      empty = empty || extent == 0;
      if (extent <= 1) continue;
      if (tensor->strides[d] != n_element) tensor->contiguous = false;
      if (n_element) n_element = try_multiply(*n_element, extent);
      const auto reach = try_multiply(extent - 1, tensor->strides[d]);
      last = reach && last ? try_add(*last, *reach) : std::nullopt;
    }
    if (!n_element) fail(fmt::format("shape {} has more elements than a 64-bit number can count", shape_text(tensor->shape)));
    const bool inside = empty ? tensor->offset <= tensor->n_storage : last && *last < tensor->n_storage;
    if (!inside) {
      fail(fmt::format("shape {} from element {} reaches past its storage of {} elements", shape_text(tensor->shape),
                       tensor->offset, tensor->n_storage));
    }
    tensor->n_element = empty ? 0 : *n_element;
    if (empty) tensor->contiguous = true;
  }

  const Pickle& pickle_;
  const std::string& where_;
  std::string_view name_;
};

bool is_named_tensor(const Pickle& pickle, const PickleValue& dict, std::size_t i) {
  return pickle.at(dict.items[i]).kind == Kind::kText && pickle.at(dict.items[i + 1]).kind == Kind::kCall;
}

bool has_tensors(const Pickle& pickle, const PickleValue& dict) {
  for (std::size_t i = 0; i < dict.items.size(); i += 2) {
    if (is_named_tensor(pickle, dict, i)) return true;
  }
  return false;
}

// The dict that maps names to tensors.
const PickleValue& find_state(const Pickle& pickle, const std::string& where) {
  const PickleValue& root = pickle.at(pickle.root);
  if (root.kind != Kind::kDict) {
    throw Error(ErrorKind::kModel, fmt::format("{}: holds {}; expected a dict of tensors, as torch.save(model.state_dict(), ...) "
                                               "writes it",
                                               where, pickle_kind_name(root.kind)));
  }
  if (has_tensors(pickle, root)) return root;
  const PickleValue* found = nullptr;
  std::string_view found_key;
  for (std::size_t i = 0; i < root.items.size(); i += 2) {
    const PickleValue& key = pickle.at(root.items[i]);
    const PickleValue& value = pickle.at(root.items[i + 1]);
    if (key.kind != Kind::kText || value.kind != Kind::kDict || !has_tensors(pickle, value)) continue;
    if (found != nullptr) {
      throw Error(ErrorKind::kModel, fmt::format("{}: holds several models, {} and {}; expected one: save the state_dict of one "
                                                 "of them alone",
                                                 where, quote_text(found_key), quote_text(key.text)));
    }
    found = &value;
    found_key = key.text;
  }
  if (found != nullptr) return *found;
  throw Error(
      ErrorKind::kModel,
      fmt::format("{}: holds no tensors; expected a dict of them, as torch.save(model.state_dict(), ...) writes it", where));
}

}  // namespace

std::vector<TorchTensor> find_torch_tensors(const Pickle& pickle, const std::string& where) {
  const PickleValue& state = find_state(pickle, where);
  std::vector<TorchTensor> tensors;
  for (std::size_t i = 0; i < state.items.size(); i += 2) {
    if (!is_named_tensor(pickle, state, i)) continue;
    tensors.push_back(TensorReader(pickle, where, pickle.at(state.items[i]).text).read(pickle.at(state.items[i + 1])));
  }
  return tensors;
}

}  // namespace attnviz

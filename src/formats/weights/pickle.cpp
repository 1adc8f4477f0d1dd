// See pickle.h. One method per group of opcodes; each takes what it needs from the stack and the bytes, which both refuse to give
// more than they have.
#include "formats/weights/pickle.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "base/quote.h"
#include "base/utf8.h"

namespace attnviz {
namespace {

using Kind = PickleValue::Kind;

// The names that may appear, as "module.name".
struct KnownName {
  std::string_view name;
  Kind kind;
  DType dtype = DType::kF32;
};

constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr std::string_view kSize = "torch.Size";

constexpr KnownName kKnownNames[] = {
    {kOrderedDict, Kind::kFunction},
    {kSize, Kind::kFunction},
    {"torch._utils._rebuild_tensor_v2", Kind::kFunction},
    {"torch._utils._rebuild_parameter", Kind::kFunction},
    {"torch.FloatStorage", Kind::kDType, DType::kF32},
    {"torch.HalfStorage", Kind::kDType, DType::kF16},
    {"torch.BFloat16Storage", Kind::kDType, DType::kBF16},
    {"torch.DoubleStorage", Kind::kDType, DType::kF64},
    {"torch.LongStorage", Kind::kDType, DType::kI64},
    {"torch.IntStorage", Kind::kDType, DType::kI32},
    {"torch.ShortStorage", Kind::kDType, DType::kI16},
    {"torch.CharStorage", Kind::kDType, DType::kI8},
    {"torch.ByteStorage", Kind::kDType, DType::kU8},
    {"torch.BoolStorage", Kind::kDType, DType::kBool},
    {"torch.ComplexFloatStorage", Kind::kDType, DType::kC64},
};

enum Op : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kNoneOp = 'N',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kBinFloat = 'G',
  kBinUnicode = 'X',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kEmptyDict = '}',
  kTuple = 't',
  kAppend = 'a',
  kAppends = 'e',
  kSetItem = 's',
  kSetItems = 'u',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kGlobal = 'c',
  kReduce = 'R',
  kBuild = 'b',
  kBinPersId = 'Q',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
};

class Machine {
 public:
  Machine(std::span<const std::byte> bytes, const std::string& where) : where_(where), reader_(bytes, where) {}

  Pickle run() {
    if (read<std::uint8_t>() != kProto) fail("expected a pickle of protocol 2 to 5");
    const auto protocol = read<std::uint8_t>();
    if (protocol < 2 || protocol > 5) fail(fmt::format("expected a pickle of protocol 2 to 5, found {}", protocol));
    while (true) {
      at_ = reader_.position();
      const auto op = read<std::uint8_t>();
      if (op == kStop) break;
      if (!scalar(op) && !container(op) && !memo(op) && !object(op)) {
        fail(fmt::format("opcode 0x{:02x} is not one that torch.save writes; nothing in the file was executed", op));
      }
    }
    if (stack_.size() != 1 || !marks_.empty()) {
      fail(fmt::format("expected one value at the end, found {} and {} open marks", stack_.size(), marks_.size()));
    }
    if (reader_.remaining() != 0) fail(fmt::format("{} bytes after the end", reader_.remaining()));
    pickle_.root = stack_.back();
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kModel, fmt::format("{}: the pickle at its byte {}: {}", where_, at_, what));
  }

  template <typename Number>
  Number read() {
    return reader_.read<Number>("the pickle");
  }

  PickleIndex add(PickleValue value) {
    if (pickle_.values.size() >= std::numeric_limits<PickleIndex>::max()) fail("more values than can be counted");
    pickle_.values.push_back(std::move(value));
    return static_cast<PickleIndex>(pickle_.values.size() - 1);
  }
  void push(PickleValue value) { stack_.push_back(add(std::move(value))); }
  void push_number(std::int64_t number) { push({.kind = Kind::kNumber, .number = number}); }

  PickleValue& value(PickleIndex index) { return pickle_.values[index]; }

  // Values above the innermost mark; values below it cannot be reached until the mark is removed.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  PickleIndex pop() {
    if (stack_.size() <= floor()) fail("takes more values than there are");
    const PickleIndex top = stack_.back();
    stack_.pop_back();
    return top;
  }

  std::vector<PickleIndex> pop_items(std::size_t n) {
    if (stack_.size() - floor() < n) fail("takes more values than there are");
    const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(n);
    std::vector<PickleIndex> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    return items;
  }

  std::vector<PickleIndex> pop_to_mark() {
    if (marks_.empty()) fail("takes values from a mark that does not exist");
    auto items = pop_items(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }

  PickleValue& top(Kind kind) {
    if (stack_.size() <= floor()) fail("takes more values than there are");
    PickleValue& found = value(stack_.back());
    if (found.kind != kind) fail(fmt::format("expected {}, found {}", pickle_kind_name(kind), pickle_kind_name(found.kind)));
    return found;
  }

  void push_text(std::uint64_t n) {
    const std::string_view text = reader_.take_text(n, "a text of the pickle");
    if (const auto invalid = find_invalid_utf8(text)) fail(fmt::format("a text is not UTF-8 at its byte {}", *invalid));
    push({.kind = Kind::kText, .text = text});
  }

  // Two's complement, little-endian, of 0 to 255 bytes.
  void push_long() {
    const auto bytes = reader_.take(read<std::uint8_t>(), "a number of the pickle");
    if (bytes.size() > sizeof(std::int64_t)) return push({.kind = Kind::kBigNumber});
    const bool negative = !bytes.empty() && (std::to_integer<unsigned>(bytes.back()) & 0x80) != 0;
    std::int64_t number = negative ? -1 : 0;
    std::memcpy(&number, bytes.data(), bytes.size());
    push_number(number);
  }

  bool scalar(std::uint8_t op) {
    switch (op) {
      case kNoneOp: push({.kind = Kind::kNone}); return true;
      case kNewTrue: push({.kind = Kind::kFlag, .number = 1}); return true;
      case kNewFalse: push({.kind = Kind::kFlag, .number = 0}); return true;
      case kBinInt: push_number(read<std::int32_t>()); return true;
      case kBinInt1: push_number(read<std::uint8_t>()); return true;
      case kBinInt2: push_number(read<std::uint16_t>()); return true;
      case kLong1: push_long(); return true;
      case kBinFloat:
        read<std::uint64_t>();
        push({.kind = Kind::kFloat});
        return true;
      case kShortBinUnicode: push_text(read<std::uint8_t>()); return true;
      case kBinUnicode: push_text(read<std::uint32_t>()); return true;
      case kBinUnicode8: push_text(read<std::uint64_t>()); return true;
      // A frame is a hint for buffering: its size changes nothing that is read.
      case kFrame: read<std::uint64_t>(); return true;
      default: return false;
    }
  }

  void append(Kind kind, const std::vector<PickleIndex>& items) {
    std::vector<PickleIndex>& all = top(kind).items;
    all.insert(all.end(), items.begin(), items.end());
  }

  bool container(std::uint8_t op) {
    switch (op) {
      case kMark: marks_.push_back(stack_.size()); return true;
      case kEmptyTuple: push({.kind = Kind::kTuple}); return true;
      case kEmptyList: push({.kind = Kind::kList}); return true;
      case kEmptyDict: push({.kind = Kind::kDict}); return true;
      case kTuple1: push({.kind = Kind::kTuple, .items = pop_items(1)}); return true;
      case kTuple2: push({.kind = Kind::kTuple, .items = pop_items(2)}); return true;
      case kTuple3: push({.kind = Kind::kTuple, .items = pop_items(3)}); return true;
      case kTuple: push({.kind = Kind::kTuple, .items = pop_to_mark()}); return true;
      case kAppend: append(Kind::kList, pop_items(1)); return true;
      case kAppends: append(Kind::kList, pop_to_mark()); return true;
      case kSetItem: append(Kind::kDict, pop_items(2)); return true;
      case kSetItems: {
        const auto items = pop_to_mark();
        if (items.size() % 2 != 0) fail("a key without a value");
        append(Kind::kDict, items);
        return true;
      }
      default: return false;
    }
  }

  void put(std::size_t key) {
    if (stack_.size() <= floor()) fail("stores a value that does not exist");
    memo_[key] = stack_.back();
  }

  void get(std::size_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) fail(fmt::format("recalls value {}, which was never remembered", key));
    stack_.push_back(found->second);
  }

  bool memo(std::uint8_t op) {
    switch (op) {
      case kBinPut: put(read<std::uint8_t>()); return true;
      case kLongBinPut: put(read<std::uint32_t>()); return true;
      case kMemoize: put(memo_.size()); return true;
      case kBinGet: get(read<std::uint8_t>()); return true;
      case kLongBinGet: get(read<std::uint32_t>()); return true;
      default: return false;
    }
  }

  std::string_view take_line() {
    const std::size_t begin = reader_.position();
    ByteReader ahead = reader_;
    while (ahead.read<char>("a name of the pickle") != '\n') {
    }
    const std::string_view line = reader_.take_text(ahead.position() - begin, "a name of the pickle");
    return line.substr(0, line.size() - 1);
  }

  std::string_view pop_text() {
    const PickleValue& found = value(pop());
    if (found.kind != Kind::kText) fail(fmt::format("expected a text, found {}", pickle_kind_name(found.kind)));
    return found.text;
  }

  void push_name(std::string_view module, std::string_view name) {
    const auto matches = [&](const KnownName& known) {
      return known.name.size() == module.size() + 1 + name.size() && known.name.starts_with(module) &&
             known.name[module.size()] == '.' && known.name.ends_with(name);
    };
    const auto known = std::find_if(std::begin(kKnownNames), std::end(kKnownNames), matches);
    if (known == std::end(kKnownNames)) {
      fail(fmt::format(
          "{} is {}; nothing in the file was executed; expected a file of plain tensors alone: save the model's "
          "state_dict() again",
          quote_text(fmt::format("{}.{}", module, name)), module.starts_with("torch") ? "not supported" : "not a tensor"));
    }
    push({.kind = known->kind, .dtype = known->dtype, .text = known->name});
  }

  // Makes a call that only creates a container. For other calls, keeps function and arguments for the reader of the values.
  void reduce() {
    const PickleIndex arguments = pop();
    const PickleIndex function = pop();
    if (value(function).kind != Kind::kFunction || value(arguments).kind != Kind::kTuple) {
      fail(fmt::format("calls {} with {}; expected a function with a tuple; nothing in the file was executed",
                       pickle_kind_name(value(function).kind), pickle_kind_name(value(arguments).kind)));
    }
    const std::string_view name = value(function).text;
    const auto& items = value(arguments).items;
    if (name == kOrderedDict) {
      if (!items.empty()) fail(fmt::format("{} with {} arguments; expected none", name, items.size()));
      push({.kind = Kind::kDict});
    } else if (name == kSize) {
      if (items.size() != 1 || value(items[0]).kind != Kind::kTuple) fail(fmt::format("{}: expected one tuple", name));
      stack_.push_back(items[0]);
    } else {
      push({.kind = Kind::kCall, .items = {function, arguments}});
    }
  }

  bool object(std::uint8_t op) {
    switch (op) {
      case kGlobal: {
        const std::string_view module = take_line();
        push_name(module, take_line());
        return true;
      }
      case kStackGlobal: {
        const std::string_view name = pop_text();
        push_name(pop_text(), name);
        return true;
      }
      case kReduce: reduce(); return true;
      case kBinPersId: push({.kind = Kind::kPersistent, .items = {pop()}}); return true;
      // Sets attributes: a state_dict has "_metadata", versions of its modules. They are not tensors.
      case kBuild:
        pop();
        top(Kind::kDict);
        return true;
      default: return false;
    }
  }

  const std::string& where_;
  ByteReader reader_;
  std::size_t at_ = 0;  // where the current opcode is
  Pickle pickle_;
  std::vector<PickleIndex> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::unordered_map<std::size_t, PickleIndex> memo_;
};

}  // namespace

std::string_view pickle_kind_name(PickleValue::Kind kind) {
  switch (kind) {
    case Kind::kNone: return "None";
    case Kind::kFlag: return "a flag";
    case Kind::kNumber: return "a whole number";
    case Kind::kBigNumber: return "a whole number past 64 bits";
    case Kind::kFloat: return "a float";
    case Kind::kText: return "a text";
    case Kind::kTuple: return "a tuple";
    case Kind::kList: return "a list";
    case Kind::kDict: return "a dict";
    case Kind::kDType: return "a type of storage";
    case Kind::kFunction: return "a function";
    case Kind::kCall: return "a tensor";
    case Kind::kPersistent: return "a storage";
  }
  return "a value";
}

Pickle parse_pickle(std::span<const std::byte> bytes, const std::string& where) { return Machine(bytes, where).run(); }

}  // namespace attnviz

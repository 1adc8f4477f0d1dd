// A pickle as data: turns the few opcodes and names that torch.save writes into a flat table of values. Nothing is ever called.
//
// A pickle is a program for a small stack machine that may name and call anything. This reader accepts lists, dicts, texts,
// numbers and the names in pickle.cpp's table; any other name, call or opcode is refused with its name. Values refer to each other
// by index, so a cycle or a deep nest costs no recursion, and each opcode makes at most one value: memory is linear in the pickle's
// size. The machine: https://github.com/python/cpython/blob/main/Lib/pickletools.py (protocols 2 to 5). Tested in
// tests/unit/formats/weights/torch_zip_test.cpp, fuzzed by tests/fuzz/torch_zip_fuzz.cpp.
#pragma once

#include <attnviz/tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

using PickleIndex = std::uint32_t;

struct PickleValue {
  enum class Kind : std::uint8_t {
    kNone,
    kFlag,        // number: 0 or 1
    kNumber,      // number
    kBigNumber,   // a whole number past 64 bits
    kFloat,       // its value does not matter here
    kText,        // text: UTF-8
    kTuple,       // items; also torch.Size
    kList,        // items
    kDict,        // items: key, value, key, value ...; also OrderedDict
    kDType,       // dtype, text: "torch.FloatStorage"
    kFunction,    // text: "torch._utils._rebuild_tensor_v2"
    kCall,        // items: a function and the tuple of its arguments
    kPersistent,  // items: the id, which names something outside the pickle
  };
  Kind kind = Kind::kNone;
  DType dtype = DType::kF32;
  std::int64_t number = 0;
  std::string_view text{};  // points into the pickle or the table of names
  std::vector<PickleIndex> items{};
};

struct Pickle {
  std::vector<PickleValue> values;
  PickleIndex root = 0;

  const PickleValue& at(PickleIndex index) const { return values[index]; }
};

// "a list", for messages.
std::string_view pickle_kind_name(PickleValue::Kind kind);

// Throws Error(kModel). The bytes must outlive the result.
Pickle parse_pickle(std::span<const std::byte> bytes, const std::string& where);

}  // namespace attnviz

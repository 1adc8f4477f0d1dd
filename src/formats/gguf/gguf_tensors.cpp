// See gguf_tensors.h.
#include "formats/gguf/gguf_tensors.h"

#include <attnviz/error.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "base/checked.h"
#include "base/quote.h"

namespace attnviz {
namespace {

constexpr std::uint32_t kMaxDims = 4;

struct TypeRow {
  std::uint32_t number;
  std::string_view name;
  std::optional<DType> dtype;  // none: attnviz cannot unpack it
};

// Numbered as in ggml.h.
constexpr TypeRow kTypes[] = {
    {0, "F32", DType::kF32},
    {1, "F16", DType::kF16},
    {2, "Q4_0", DType::kQ4_0},
    {3, "Q4_1", DType::kQ4_1},
    {4, "Q4_2", {}},
    {5, "Q4_3", {}},
    {6, "Q5_0", DType::kQ5_0},
    {7, "Q5_1", DType::kQ5_1},
    {8, "Q8_0", DType::kQ8_0},
    {9, "Q8_1", {}},
    {10, "Q2_K", DType::kQ2_K},
    {11, "Q3_K", DType::kQ3_K},
    {12, "Q4_K", DType::kQ4_K},
    {13, "Q5_K", DType::kQ5_K},
    {14, "Q6_K", DType::kQ6_K},
    {15, "Q8_K", {}},
    {16, "IQ2_XXS", {}},
    {17, "IQ2_XS", {}},
    {18, "IQ3_XXS", {}},
    {19, "IQ1_S", {}},
    {20, "IQ4_NL", DType::kIQ4_NL},
    {21, "IQ3_S", {}},
    {22, "IQ2_S", {}},
    {23, "IQ4_XS", DType::kIQ4_XS},
    {24, "I8", DType::kI8},
    {25, "I16", DType::kI16},
    {26, "I32", DType::kI32},
    {27, "I64", DType::kI64},
    {28, "F64", DType::kF64},
    {29, "IQ1_M", {}},
    {30, "BF16", DType::kBF16},
    {31, "Q4_0_4_4", {}},
    {32, "Q4_0_4_8", {}},
    {33, "Q4_0_8_8", {}},
    {34, "TQ1_0", {}},
    {35, "TQ2_0", {}},
    {36, "IQ4_NL_4_4", {}},
    {37, "IQ4_NL_4_8", {}},
    {38, "IQ4_NL_8_8", {}},
    {39, "MXFP4", {}},
    {40, "NVFP4", {}},
    {41, "Q1_0", {}},
};

[[noreturn]] void fail(const std::string& where, std::string_view name, const std::string& what) {
  throw Error(ErrorKind::kModel, fmt::format("{}: tensor {}: {}; the file is damaged or cut short: download or save it again",
                                             where, quote_text(name), what));
}

DType read_type(ByteReader* reader, std::string_view name, const std::string& where) {
  const auto number = reader->read<std::uint32_t>("tensor type");
  for (const TypeRow& row : kTypes) {
    if (row.number != number) continue;
    if (row.dtype) return *row.dtype;
    throw Error(ErrorKind::kModel,
                fmt::format("{}: tensor {} has type {}, which is not supported; expected F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, "
                            "Q8_0, Q2_K to Q6_K, IQ4_NL or IQ4_XS; get the model in one of these",
                            where, quote_text(name), row.name));
  }
  throw Error(ErrorKind::kModel, fmt::format("{}: tensor {} has the unknown type {}; expected 0 to {}; the file is newer than this "
                                             "program, or damaged",
                                             where, quote_text(name), number, std::size(kTypes) - 1));
}

Shape read_shape(ByteReader* reader, std::string_view name, const std::string& where) {
  const auto n_dims = reader->read<std::uint32_t>("number of dimensions");
  if (n_dims == 0 || n_dims > kMaxDims) {
    fail(where, name, fmt::format("has {} dimensions; expected 1 to {}", n_dims, kMaxDims));
  }
  Shape shape(n_dims);
  std::size_t count = 1;
  for (std::uint32_t i = 0; i < n_dims; ++i) {
    const auto extent = reader->read<std::uint64_t>("dimension");
    if (extent == 0) fail(where, name, "has a dimension of 0; expected at least 1");
    const auto product = try_multiply(count, extent);
    if (!product || *product > std::size_t{1} << 60) fail(where, name, "has more elements than a 64-bit number can count bytes of");
    count = *product;
    shape[n_dims - 1 - i] = extent;
  }
  return shape;
}

GgufInfo read_info(ByteReader* reader, const std::string& where) {
  const auto n_name = reader->read<std::uint64_t>("tensor name length");
  if (n_name > reader->remaining()) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: a tensor's name of {} bytes is longer than the {} bytes that are left; the file is damaged or cut "
                            "short: download or save it again",
                            where, n_name, reader->remaining()));
  }
  GgufInfo info;
  info.name = reader->take_text(n_name, "tensor name");
  info.shape = read_shape(reader, info.name, where);
  info.dtype = read_type(reader, info.name, where);
  info.offset = reader->read<std::uint64_t>("tensor offset");
  const std::size_t block = dtype_block_size(info.dtype);
  if (info.shape.back() % block != 0) {
    fail(where, info.name,
         fmt::format("{} {} has rows that are not a whole number of blocks; expected a multiple of {}", dtype_name(info.dtype),
                     shape_text(info.shape), block));
  }
  return info;
}

std::size_t n_bytes_of(const GgufInfo& info) { return TensorView{info.dtype, info.shape}.n_bytes(); }

void check_place(const GgufInfo& info, std::size_t n_data, std::size_t alignment, const std::string& where) {
  if (info.offset % alignment != 0) {
    fail(where, info.name, fmt::format("begins at offset {}; expected a multiple of the alignment {}", info.offset, alignment));
  }
  const std::size_t n_bytes = n_bytes_of(info);
  if (info.offset > n_data || n_bytes > n_data - info.offset) {
    fail(where, info.name,
         fmt::format("{} {} at offset {} needs {} bytes; expected it to end within the {} bytes of data", dtype_name(info.dtype),
                     shape_text(info.shape), info.offset, n_bytes, n_data));
  }
}

void check_overlap(std::vector<GgufInfo>* infos, const std::string& where) {
  const auto before_other = [](const auto& a, const auto& b) { return a.offset < b.offset; };
  if (!std::is_sorted(infos->begin(), infos->end(), before_other)) std::sort(infos->begin(), infos->end(), before_other);
  for (std::size_t i = 1; i < infos->size(); ++i) {
    const GgufInfo& before = (*infos)[i - 1];
    const GgufInfo& info = (*infos)[i];
    const std::size_t end = before.offset + n_bytes_of(before);
    if (info.offset < end) {
      fail(where, info.name,
           fmt::format("overlaps tensor {}: expected it to begin at {} or later, found {}", quote_text(before.name), end,
                       info.offset));
    }
  }
}

}  // namespace

std::vector<GgufInfo> read_gguf_infos(ByteReader* reader, std::size_t n, const std::string& where) {
  std::vector<GgufInfo> infos;
  infos.reserve(n);
  for (std::size_t i = 0; i < n; ++i) infos.push_back(read_info(reader, where));
  return infos;
}

std::vector<StoredTensor> place_gguf_tensors(std::vector<GgufInfo> infos, std::span<const std::byte> data, std::size_t alignment,
                                             const std::string& where) {
  for (const GgufInfo& info : infos) check_place(info, data.size(), alignment, where);
  check_overlap(&infos, where);
  std::vector<StoredTensor> tensors;
  tensors.reserve(infos.size());
  for (GgufInfo& info : infos)
    tensors.push_back({std::move(info.name), {info.dtype, std::move(info.shape), data.data() + info.offset}});
  sort_by_name(&tensors);
  const auto twin =
      std::adjacent_find(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twin != tensors.end()) fail(where, twin->name, "occurs twice");
  return tensors;
}

}  // namespace attnviz

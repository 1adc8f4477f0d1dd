// Any bytes as a safetensors file. The tensors of an accepted file must cover its data exactly, and every byte must be readable.
#include <cstdint>
#include <cstring>

#include "formats/weights/safetensors.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attnviz;
  const auto bytes = std::as_bytes(std::span(data, size));
  std::vector<StoredTensor> tensors;
  if (!fuzz::accepts([&] { tensors = parse_safetensors(bytes, "fuzz.safetensors"); })) return 0;
  std::size_t n_covered = 0;
  volatile unsigned sum = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorView& view = tensors[i].view;
    const std::size_t n_bytes = element_count(view.shape) * dtype_bits(view.dtype) / 8;
    for (std::size_t b = 0; b < n_bytes; ++b) sum = sum + std::to_integer<unsigned>(view.data[b]);
    n_covered += n_bytes;
    fuzz::require(i == 0 || tensors[i - 1].name < tensors[i].name, "names not sorted, or one twice");
  }
  std::uint64_t n_header = 0;
  std::memcpy(&n_header, data, sizeof(n_header));
  fuzz::require(8 + n_header + n_covered == size, "bytes that belong to no tensor");
  return 0;
}

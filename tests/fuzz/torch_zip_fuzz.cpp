// Any bytes as a file of torch.save, and as the pickle in one. Every byte of an accepted tensor must be readable, and all copies of
// tensors together must be no larger than the file.
#include <cstdint>

#include "formats/weights/pickle.h"
#include "formats/weights/torch_zip.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attnviz;
  const auto bytes = std::as_bytes(std::span(data, size));
  Pickle pickle;
  if (fuzz::accepts([&] { pickle = parse_pickle(bytes, "fuzz.pkl"); })) {
    fuzz::require(pickle.root < pickle.values.size(), "a root that is no value");
    fuzz::require(pickle.values.size() <= size, "more values than bytes");
  }
  TorchTensors found;
  if (!fuzz::accepts([&] { found = parse_torch_zip(bytes, "fuzz.bin"); })) return 0;
  std::size_t n_copied = 0;
  for (const auto& copy : found.copies) n_copied += copy.size();
  fuzz::require(n_copied <= size, "copies larger than the file");
  volatile unsigned sum = 0;
  for (std::size_t i = 0; i < found.tensors.size(); ++i) {
    const TensorView& view = found.tensors[i].view;
    const std::size_t n_bytes = element_count(view.shape) * dtype_size(view.dtype);
    fuzz::require(n_bytes <= size, "a tensor larger than the file");
    for (std::size_t b = 0; b < n_bytes; ++b) sum = sum + std::to_integer<unsigned>(view.data[b]);
    view.row_size();
    fuzz::require(i == 0 || found.tensors[i - 1].name < found.tensors[i].name, "names not sorted, or one twice");
  }
  return 0;
}

// Any bytes as a GGUF file. In an accepted file, every byte of every tensor must be readable and unpackable, and every value
// readable. Its tokenizer is read too.
#include <cstdint>

#include "formats/gguf/gguf.h"
#include "formats/tokenizer/gguf_tokenizer.h"
#include "fuzz.h"
#include "tensor/unpack.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attnviz;
  GgufContents contents;
  if (!fuzz::accepts([&] { contents = parse_gguf(std::as_bytes(std::span(data, size)), "fuzz.gguf"); })) return 0;
  for (std::size_t i = 0; i < contents.tensors.size(); ++i) {
    const StoredTensor& tensor = contents.tensors[i];
    fuzz::require(i == 0 || contents.tensors[i - 1].name < tensor.name, "names not sorted, or one twice");
    volatile unsigned sum = 0;
    for (std::size_t b = 0; b < tensor.view.n_bytes(); ++b) sum = sum + std::to_integer<unsigned>(tensor.view.data[b]);
    if (is_weight_dtype(tensor.view.dtype)) unpack_all(tensor.view);
  }
  const GgufMetadata& metadata = contents.metadata;
  for (const char* key : {"t", "general.architecture", "tokenizer.ggml.tokens", "tokenizer.ggml.scores"}) {
    fuzz::accepts([&] { metadata.texts(key); });
    fuzz::accepts([&] { metadata.numbers(key); });
    fuzz::accepts([&] { metadata.text(key, ""); });
    fuzz::accepts([&] { metadata.size(key, 0); });
  }
  fuzz::accepts([&] { read_gguf_tokenizer(metadata); });
  return 0;
}

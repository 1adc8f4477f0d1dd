// GGUF files (versions 2 and 3), memory-mapped: one file, or the parts of a split one.
//
// Layout (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): magic, version, counts, key-value pairs, tensor infos
// {name, dimensions innermost first, type, offset}, padding, then the data. Every kind of damage has its own message
// (docs/FORMATS.md). Tested in tests/unit/formats/gguf/gguf_test.cpp, fuzzed by tests/fuzz/gguf_fuzz.cpp.
#pragma once

#include <attnviz/weights.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/gguf/gguf_metadata.h"

namespace attnviz {

// The parsed contents of one file. Metadata and views point into its bytes.
struct GgufContents {
  std::uint32_t version = 0;
  GgufMetadata metadata;
  std::vector<StoredTensor> tensors;  // sorted by name; shapes outermost first
};

GgufContents parse_gguf(std::span<const std::byte> bytes, const std::string& where);  // throws Error(kModel)

// A mapped file with all its parts.
class GgufFile final : public WeightSource {
 public:
  std::span<const StoredTensor> tensors() const override;
  std::string where() const override;  // the file that was asked for

  std::uint32_t version() const;
  const GgufMetadata& metadata() const;  // of the first part
  std::size_t n_parts() const;

 private:
  friend std::shared_ptr<const GgufFile> open_gguf(const std::filesystem::path& file);
  struct Impl;
  explicit GgufFile(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// Opens one file. For any part of a split file (NAME-00001-of-00003.gguf) it opens all parts. Throws Error(kModel).
std::shared_ptr<const GgufFile> open_gguf(const std::filesystem::path& file);

// The GGUF file that a path means: the file itself, if its name or first bytes are those of one; in a folder without config.json
// the only one, or the first part of the only split one. None otherwise.
std::optional<std::filesystem::path> find_gguf(const std::filesystem::path& path);

}  // namespace attnviz

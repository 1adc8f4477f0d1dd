// The tokenizer of a model folder: tokenizer.json where it is, else vocab.txt with tokenizer_config.json and
// special_tokens_map.json. Tested in tests/unit/formats/tokenizer_files_test.cpp, fuzzed by tests/fuzz/tokenizer_fuzz.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <filesystem>

namespace attnviz {

// Throws Error(kModel): no tokenizer file (names what was looked for), an unsupported kind (named), a broken file.
TokenizerSpec read_tokenizer_files(const std::filesystem::path& folder);

}  // namespace attnviz

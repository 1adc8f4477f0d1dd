// The tokenizer of a model folder: tokenizer.json where it is, else vocab.txt with tokenizer_config.json, special_tokens_map.json
// and added_tokens.json.
//
// If a folder has both a tokenizer.json and a tokenizer_config.json of a BERT-like class, an explicit do_lower_case, strip_accents
// or tokenize_chinese_chars of the latter wins, as in the reference. Ids that the reference would number differently are an error.
// Tested in tests/unit/formats/tokenizer/tokenizer_files_test.cpp, fuzzed by tests/fuzz/tokenizer_fuzz.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

// Throws Error(kModel): no tokenizer file (names what was looked for), an unsupported kind (named), a broken file.
TokenizerSpec read_tokenizer_files(const std::filesystem::path& folder);

// Everything that read_tokenizer_files looks at, there or not; what it finds depends on nothing else.
std::vector<std::filesystem::path> tokenizer_file_paths(const std::filesystem::path& folder);

// The text of one tokenizer.json. Throws Error(kModel).
TokenizerSpec parse_tokenizer_json(std::string_view text, const std::string& where);

}  // namespace attnviz

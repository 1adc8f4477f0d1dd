// A whole tokenizer as one block of bytes, which can be kept in a file and used in place: opening it looks nothing up, parses
// only the few settings around the vocabulary, and copies no table. Every tokenizer is made this way, including one that was just
// read from a model's files, so that a cached one cannot give other tokens.
//
//     frozen: settings (spec_bytes.h) | array of bytes: the model's tables, as its own header draws them
//
// Tested in tests/unit/text/frozen_tokenizer_test.cpp and tests/parity/tokenizer, fuzzed by tests/fuzz/frozen_fuzz.cpp.
#pragma once

#include <attnviz/token.h>
#include <attnviz/tokenizer_spec.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/flat_bytes.h"

namespace attnviz {

// Increased with every change of the frozen format.
constexpr std::uint32_t kFrozenFormat = 1;

std::string freeze_tokenizer(const TokenizerSpec& spec);  // throws Error(kModel) for a spec that cannot be served

// `where` opens messages, as TokenizerSpec::where. No lookup leaves the bytes, whatever they are. Throws Error(kModel).
std::unique_ptr<Tokenizer> open_tokenizer(FlatBytes frozen, const std::string& where);

}  // namespace attnviz

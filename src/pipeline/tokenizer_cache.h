// Tokenizers kept between runs: a vocabulary is parsed once, and from then on looked up in a mapped file.
//
// A file that is damaged, cut short, of another version, or made from files that have changed since is ignored and written again,
// completely or not at all. A failure to write is ignored silently. Everything here may be deleted at any time.
// Tested in tests/unit/pipeline/tokenizer_cache_test.cpp, tests/parity/tokenizer and tests/cli, fuzzed by
// tests/fuzz/frozen_fuzz.cpp.
#pragma once

#include <attnviz/token.h>
#include <attnviz/tokenizer_spec.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/flat_bytes.h"

namespace attnviz {

// FOLDER/tokenizers/HASH.tok, one for each model's place, so that a changed model's file replaces the old one (as flat_bytes.h
// writes):
//
//     u64    checksum of all that follows
//     text   of this header: text magic | u32 kFrozenFormat | text the program's version | text identity: the place, and of every
//            file the tokenizer may be read from its name, whether it is there, device, inode, size and times
//     u32    which of these files its messages begin with | text what follows there
//     array  bytes of the frozen tokenizer (text/frozen_tokenizer.h)

struct TokenizerSource {
  std::filesystem::path place;               // the model's folder or file
  std::vector<std::filesystem::path> files;  // everything that `read` looks at, there or not; its messages begin with one of them
  std::function<TokenizerSpec()> read;       // throws Error(kModel)
  std::int64_t begun = 0;                    // current_file_time() before any of them was opened
};

// Where the program keeps tokenizers: ATTNVIZ_CACHE, else XDG_CACHE_HOME/attnviz, else ~/.cache/attnviz. Empty, for nowhere, when
// ATTNVIZ_CACHE is "off" or there is no such home.
std::filesystem::path program_cache_folder();

// The source's tokenizer, from `cache` if it is there. `cache` empty: read and not kept. Throws Error(kModel) as reading and
// make_tokenizer do, never for a fault of the cache.
std::unique_ptr<Tokenizer> open_tokenizer_of(const TokenizerSource& source, const std::filesystem::path& cache);

// --- The parts, for tests ---

constexpr std::size_t kMinKeptBytes = std::size_t{48} << 10;  // smaller ones are parsed as fast as they are looked up
constexpr std::size_t kMaxKeptFiles = 64;                     // the oldest ones go

std::filesystem::path tokenizer_cache_file(const TokenizerSource& source, const std::filesystem::path& cache);

std::string identity_of(const TokenizerSource& source);  // empty: it has none that is worth trusting

// What a file holds of a tokenizer that was read from one of `files`; empty where its messages begin with none of them.
std::string kept_bytes(const FlatBytes& frozen, const std::string& where, const std::string& identity,
                       const std::vector<std::filesystem::path>& files);

// The tokenizer that a file's bytes (at an address that is a multiple of 8) hold for `identity`; null where they do not.
std::unique_ptr<Tokenizer> open_kept_tokenizer(const FlatBytes& file, const std::string& identity,
                                               const std::vector<std::filesystem::path>& files);

}  // namespace attnviz

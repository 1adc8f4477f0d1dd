// The tokenizer of a spec as another run of the program would find it: frozen, in the bytes of a file, opened on them.
#pragma once

#include <attnviz/token.h>
#include <attnviz/tokenizer_spec.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/flat_bytes.h"
#include "pipeline/tokenizer_cache.h"
#include "text/frozen_tokenizer.h"

namespace attnviz {

inline std::unique_ptr<Tokenizer> open_as_kept(const TokenizerSpec& spec) {
  const std::string file = spec.where.substr(0, spec.where.find(": "));
  const std::string bytes = kept_bytes(FlatBytes::of(freeze_tokenizer(spec)), spec.where, "identity", {file});
  return open_kept_tokenizer(FlatBytes::of(bytes), "identity", {file});
}

inline auto fields_of(const Token& token) {
  return std::tie(token.id, token.text, token.begin, token.end, token.kind, token.word, token.segment, token.type_id);
}

// Everything about every token of every input, and the spelling of every id.
inline void expect_same_tokens(const Tokenizer& expected, const Tokenizer& found, const std::vector<TextInput>& inputs) {
  ASSERT_EQ(found.n_vocab(), expected.n_vocab());
  for (std::size_t id = 0; id < expected.n_vocab(); ++id) {
    ASSERT_EQ(found.token_text(static_cast<std::int32_t>(id)), expected.token_text(static_cast<std::int32_t>(id))) << id;
  }
  for (const TextInput& input : inputs) {
    const std::vector<Token> a = expected.encode(input), b = found.encode(input);
    ASSERT_EQ(a.size(), b.size()) << input.text;
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(fields_of(a[i]), fields_of(b[i])) << "token " << i << " of " << input.text;
  }
}

}  // namespace attnviz

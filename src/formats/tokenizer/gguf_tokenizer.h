// The tokenizer inside a GGUF file: "tokenizer.ggml.*" as the pipeline that the model's own tokenizer.json would give.
//
// Kinds: "gpt2" (byte-level BPE; "pre" names the pattern that splits words), "llama" (SentencePiece pieces with scores) and "bert"
// (WordPiece). Here and not in formats, because these names are those of families. Tested in
// tests/unit/formats/tokenizer/gguf_tokenizer_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include "formats/gguf/gguf_metadata.h"

namespace attnviz {

// Throws Error(kModel): an unknown kind or "pre" (named, for a guess would give wrong tokens), lists that contradict each other.
TokenizerSpec read_gguf_tokenizer(const GgufMetadata& metadata);

}  // namespace attnviz

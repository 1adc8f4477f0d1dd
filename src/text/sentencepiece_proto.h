// Writes SentencePiece's ModelProto (sentencepiece_model.proto of google/sentencepiece) for the library: pieces and nothing else.
// Its normaliser is the identity, for text is normalised before. Tested in tests/unit/text/sentencepiece_bpe_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <string>
#include <vector>

namespace attnviz {

std::string sentencepiece_bpe_proto(const std::vector<SpmPiece>& pieces);

}  // namespace attnviz

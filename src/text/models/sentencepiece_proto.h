// Writes SentencePiece's ModelProto (sentencepiece_model.proto of google/sentencepiece) for the library: pieces and nothing else.
// Its normaliser is the identity, for text is normalised before. Tested in tests/unit/text/models/sentencepiece_bpe_test.cpp and,
// for Unigram, where only tests need the library, in tests/parity/tokenizer/sentencepiece_library_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <cstdint>
#include <string>
#include <vector>

namespace attnviz {

enum class ProtoModel : std::uint8_t { kUnigram = 1, kBpe };  // as TrainerSpec.model_type numbers them

std::string sentencepiece_proto(ProtoModel type, const std::vector<SpmPiece>& pieces);

}  // namespace attnviz

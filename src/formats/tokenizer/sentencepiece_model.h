// A SentencePiece .model file: a protobuf message (sentencepiece_model.proto of google/sentencepiece), read by its wire format.
//
// It is read here and not by the sentencepiece library, because the library neither gives out the normaliser's settings and the
// model's type, nor survives every broken file: what it segments with (text/models/sentencepiece_bpe.h) is written anew from what
// is read here. Only what tokenizing needs is kept. Tested in tests/unit/formats/tokenizer/sentencepiece_model_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct SentencePieceModel {
  enum class Type : std::uint8_t { kUnigram = 1, kBpe, kWord, kChar };
  Type type = Type::kUnigram;
  std::vector<SpmPiece> pieces;
  bool byte_fallback = false;
  bool treat_whitespace_as_suffix = false;
  std::string charsmap{};
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
};

// Throws Error(kModel) for bytes that are not such a message, that hold no piece, or a piece that is empty, not UTF-8 or there
// twice.
SentencePieceModel parse_sentencepiece_model(std::string_view bytes, const std::string& where);

// What a GGUF file's "llama" vocabulary, or a .model of SentencePiece's BPE, says.
struct SpmVocabulary {
  std::vector<SpmPiece> pieces;
  bool add_space_prefix = true;
  bool remove_extra_whitespaces = false;
  std::optional<std::int32_t> bos_id{};  // set: put in front of each text
  std::optional<std::int32_t> eos_id{};  // set: put behind each text
};

// Control and unknown pieces become special added tokens; user-defined ones are the model's own matter. Throws Error(kModel).
TokenizerSpec make_spm_tokenizer_spec(SpmVocabulary vocabulary, const std::string& where);

}  // namespace attnviz

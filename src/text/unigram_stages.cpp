// See unigram_stages.h. None of these is there yet: each is refused by name, for a step that is skipped would give wrong tokens.
#include "text/unigram_stages.h"

#include <attnviz/error.h>

#include <fmt/format.h>

namespace attnviz {
namespace {

[[noreturn]] void refuse(const std::string& where, std::string_view kind) {
  throw Error(ErrorKind::kModel, fmt::format("{}: the kind \"{}\" is not supported; expected a WordPiece or byte-level BPE "
                                             "tokenizer; use another model",
                                             where, kind));
}

}  // namespace

std::unique_ptr<Normalizer> make_precompiled(const PrecompiledSpec&, const std::string& where) { refuse(where, "Precompiled"); }

std::unique_ptr<PreTokenizer> make_metaspace(const MetaspaceSpec&, const std::string& where) { refuse(where, "Metaspace"); }

std::unique_ptr<PieceModel> make_unigram(const UnigramSpec&, const std::string& where) { refuse(where, "Unigram"); }

std::unique_ptr<PieceModel> make_sentencepiece(const SentencePieceSpec&, const std::string& where) {
  refuse(where, "SentencePiece");
}

}  // namespace attnviz

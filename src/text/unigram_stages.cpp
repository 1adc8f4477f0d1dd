// See unigram_stages.h.
#include "text/unigram_stages.h"

#include "text/metaspace.h"
#include "text/precompiled.h"
#include "text/sentencepiece_bpe.h"
#include "text/unigram.h"

namespace attnviz {

std::unique_ptr<Normalizer> make_precompiled(const PrecompiledSpec& spec, const std::string& where) {
  return std::make_unique<PrecompiledNormalizer>(spec, where);
}

std::unique_ptr<PreTokenizer> make_metaspace(const MetaspaceSpec& spec, const std::string& where) {
  return std::make_unique<Metaspace>(spec, where);
}

std::unique_ptr<PieceModel> make_unigram(const UnigramSpec& spec, const std::string& where) {
  return std::make_unique<Unigram>(spec, where);
}

std::unique_ptr<PieceModel> make_spm(const SpmSpec& spec, const std::string& where) {
  return std::make_unique<SentencePieceBpe>(spec, where);
}

}  // namespace attnviz

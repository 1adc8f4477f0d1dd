// See unigram_stages.h.
#include "text/models/unigram_stages.h"

#include "text/models/sentencepiece_bpe.h"
#include "text/models/unigram.h"
#include "text/normalize/precompiled.h"
#include "text/split/metaspace.h"

namespace attnviz {

std::unique_ptr<Normalizer> make_precompiled(const PrecompiledSpec& spec, const std::string& where) {
  return std::make_unique<PrecompiledNormalizer>(spec, where);
}

std::unique_ptr<PreTokenizer> make_metaspace(const MetaspaceSpec& spec, const std::string& where) {
  return std::make_unique<Metaspace>(spec, where);
}

std::string freeze_unigram(const UnigramSpec& spec, const std::string& where) { return Unigram::freeze(spec, where); }

std::unique_ptr<PieceModel> open_unigram(const UnigramSpec& settings, const std::string& where, FlatReader* frozen) {
  return std::make_unique<Unigram>(settings, where, frozen);
}

std::string freeze_spm(const SpmSpec& spec, const std::string& where) { return SentencePieceBpe::freeze(spec, where); }

std::unique_ptr<PieceModel> open_spm(const std::string& where, FlatReader* frozen) {
  return std::make_unique<SentencePieceBpe>(where, frozen);
}

}  // namespace attnviz

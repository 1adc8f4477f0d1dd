// Makes the stages that SentencePiece introduced: stages.cpp calls these for their alternatives of the spec's variants.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <memory>
#include <string>

#include "base/flat_bytes.h"
#include "text/stages.h"

namespace attnviz {

// Each throws Error(kModel). The spec must outlive what is made from it, and so must `frozen`, the model's tables.
std::unique_ptr<Normalizer> make_precompiled(const PrecompiledSpec& spec, const std::string& where);
std::unique_ptr<PreTokenizer> make_metaspace(const MetaspaceSpec& spec, const std::string& where);
std::string freeze_unigram(const UnigramSpec& spec, const std::string& where);
std::unique_ptr<PieceModel> open_unigram(const UnigramSpec& settings, const std::string& where, FlatReader* frozen);
std::string freeze_spm(const SpmSpec& spec, const std::string& where);
std::unique_ptr<PieceModel> open_spm(const std::string& where, FlatReader* frozen);

}  // namespace attnviz

// The normalisers, pre-tokenisers and models of tokenizer.json. Anything else is refused by name, because skipping a step would
// give wrong tokens. Tested in tests/unit/formats/tokenizer/tokenizer_files_test.cpp and tokenizer_stages_test.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <string_view>
#include <vector>

#include "formats/tokenizer/tokenizer_json_tree.h"

namespace attnviz {

// Nothing for null in the file; sequences are flattened. Throw Error(kModel) naming the place.
std::vector<NormalizerSpec> read_normalizers(const JsonPlace& normalizer);
std::vector<PreTokenizerSpec> read_pre_tokenizers(const JsonPlace& pre_tokenizer);

// Takes the vocabulary and merges out of `document`.
PieceModelSpec read_piece_model(const JsonPlace& model, JsonDocument* document);

[[noreturn]] void fail_unsupported(const JsonPlace& place, std::string_view kind, std::string_view supported);

}  // namespace attnviz

// A model folder whose tokenizer is a SentencePiece .model and a few settings, as "slow" tokenizers were saved: T5, XLM-RoBERTa,
// ALBERT, DeBERTa-v2, Llama and Gemma, each with the pipeline its class in the reference gives it. Another class is refused by
// name. Tested in tests/unit/formats/tokenizer/sentencepiece_folder_test.cpp and against the reference in tests/parity/tokenizer.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <array>
#include <filesystem>
#include <optional>

namespace attnviz {

// The names that a folder's .model file goes by; the first one there is read.
constexpr std::array<const char*, 4> kSentencePieceFiles = {"spiece.model", "sentencepiece.bpe.model", "spm.model",
                                                            "tokenizer.model"};

// The folder's .model file, or nothing.
std::optional<std::filesystem::path> find_sentencepiece_file(const std::filesystem::path& folder);

TokenizerSpec read_sentencepiece_folder(const std::filesystem::path& folder,
                                        const std::filesystem::path& file);  // throws Error(kModel)

}  // namespace attnviz

// See piece_spelling.h.
#include "text/models/piece_spelling.h"

#include <optional>

#include "base/replace_all.h"
#include "base/utf8.h"
#include "text/models/byte_fallback.h"
#include "text/models/byte_level.h"

namespace attnviz {
namespace {

constexpr std::string_view kLowLine = "\xE2\x96\x81";  // U+2581

std::string bytes_of_byte_level(std::string_view spelling) {
  std::string bytes;
  for (std::size_t i = 0; i < spelling.size();) {
    const Utf8Char c = decode_utf8(spelling, i);
    const std::size_t length = c.length > 0 ? c.length : 1;
    const auto byte = c.length > 0 ? char_to_byte(c.code_point) : std::nullopt;
    if (byte) {
      bytes.push_back(static_cast<char>(*byte));
    } else {
      bytes += spelling.substr(i, length);
    }
    i += length;
  }
  return bytes;
}

}  // namespace

PieceSpelling::PieceSpelling(const TokenizerSpec& spec) {
  for (const NormalizerSpec& stage : spec.normalizers) {
    const auto* replace = std::get_if<ReplaceSpec>(&stage);
    if (replace != nullptr && replace->pattern.text == " " && replace->content == kLowLine) mark_ = kLowLine;
  }
  for (const PreTokenizerSpec& stage : spec.pre_tokenizers) {
    if (const auto* metaspace = std::get_if<MetaspaceSpec>(&stage)) mark_ = metaspace->replacement;
    byte_level_ = byte_level_ || std::holds_alternative<ByteLevelSpec>(stage);
  }
  if (const auto* word_piece = std::get_if<WordPieceSpec>(&spec.model)) {
    continuing_prefix_ = word_piece->continuing_prefix;
  } else if (const auto* bpe = std::get_if<BpeSpec>(&spec.model)) {
    byte_pieces_ = bpe->byte_fallback;
    end_of_word_ = bpe->end_of_word_suffix;
    continuing_prefix_ = bpe->continuing_prefix;
  } else if (const auto* unigram = std::get_if<UnigramSpec>(&spec.model)) {
    byte_pieces_ = unigram->byte_fallback;
  } else {
    byte_pieces_ = true;
    mark_ = kLowLine;
  }
}

std::string PieceSpelling::bytes_of(std::string_view spelling) const {
  if (byte_pieces_) {
    if (const auto byte = byte_of_piece(spelling)) return std::string(1, static_cast<char>(*byte));
  }
  if (byte_level_) return bytes_of_byte_level(spelling);
  if (!mark_.empty()) {
    std::string bytes(spelling);
    replace_all(&bytes, mark_, " ");
    return bytes;
  }
  if (!end_of_word_.empty()) {
    if (!spelling.ends_with(end_of_word_)) return std::string(spelling);
    return std::string(spelling.substr(0, spelling.size() - end_of_word_.size())).append(" ");
  }
  if (continuing_prefix_.empty()) return std::string(spelling);
  if (spelling.starts_with(continuing_prefix_)) return std::string(spelling.substr(continuing_prefix_.size()));
  return std::string(" ").append(spelling);
}

}  // namespace attnviz

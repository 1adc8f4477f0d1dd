// See precompiled.h. The bits of a trie's unit are those of darts-clone: bit 8 "has a leaf", bits 0..7 and 31 the label,
// bits 10..30 the offset to the children, in steps of 256 where bit 9 is set; a leaf's low 31 bits are its value.
#include "text/normalize/precompiled.h"

#include <attnviz/error.h>

#include <cstring>

#include <fmt/format.h>
#include <utf8proc.h>

#include "base/utf8.h"

namespace attnviz {
namespace {

constexpr std::size_t kUnitSize = sizeof(std::uint32_t);
constexpr std::size_t kMaxGraphemeBytes = 5;  // longer ones are taken character by character

bool has_leaf(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t leaf_value(std::uint32_t unit) { return unit & 0x7FFFFFFF; }
std::uint32_t label(std::uint32_t unit) { return unit & 0x800000FF; }
std::uint32_t offset(std::uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kModel, fmt::format("{}: the precompiled character map {}; get the file again", where, what));
}

// The end of the grapheme that starts at `begin`.
std::size_t grapheme_end(AlignedView text, std::size_t begin) {
  std::int32_t state = 0;
  std::size_t end = begin + 1;
  for (; end < text.size(); ++end) {
    const auto before = static_cast<std::int32_t>(text[end - 1].code_point);
    const auto after = static_cast<std::int32_t>(text[end].code_point);
    if (utf8proc_grapheme_break_stateful(before, after, &state)) break;
  }
  return end;
}

}  // namespace

CharsMap::CharsMap(std::string_view bytes, const std::string& where) {
  std::uint32_t trie_size = 0;
  if (bytes.size() < sizeof trie_size) fail(where, fmt::format("has {} bytes; expected at least 4", bytes.size()));
  std::memcpy(&trie_size, bytes.data(), sizeof trie_size);
  bytes.remove_prefix(sizeof trie_size);
  if (trie_size == 0 || trie_size % kUnitSize != 0 || trie_size > bytes.size()) {
    fail(where, fmt::format("announces a trie of {} bytes; expected a multiple of 4, at most {}", trie_size, bytes.size()));
  }
  trie_ = bytes.substr(0, trie_size);
  replacements_ = bytes.substr(trie_size);
  if (const auto invalid = find_invalid_utf8(replacements_)) {
    fail(where, fmt::format("has a replacement that is not UTF-8 (byte {})", trie_size + *invalid));
  }
}

std::optional<std::uint32_t> CharsMap::unit(std::size_t index) const {
  if (index >= trie_.size() / kUnitSize) return std::nullopt;
  std::uint32_t value = 0;
  std::memcpy(&value, trie_.data() + index * kUnitSize, kUnitSize);
  return value;
}

std::optional<std::string_view> CharsMap::replacement(std::string_view text) const {
  std::size_t node = offset(*unit(0));
  for (const char byte : text) {
    const auto c = static_cast<unsigned char>(byte);
    if (c == 0) return std::nullopt;
    node ^= c;
    const auto here = unit(node);
    if (!here || label(*here) != c) return std::nullopt;
    node ^= offset(*here);
    if (!has_leaf(*here)) continue;
    const auto leaf = unit(node);
    if (!leaf || leaf_value(*leaf) >= replacements_.size()) return std::nullopt;
    const std::string_view found = replacements_.substr(leaf_value(*leaf));
    // No trainer writes a value that points into a character.
    if (is_utf8_trail(found[0])) return std::nullopt;
    return found.substr(0, found.find('\0'));
  }
  return std::nullopt;
}

bool PrecompiledNormalizer::replace(AlignedView source, AlignedText* out) const {
  std::string text;
  for (const AlignedChar& c : source) append_utf8(&text, c.code_point);
  if (text.size() > kMaxGraphemeBytes) return false;
  const auto found = map_.replacement(text);
  if (!found) return false;
  for (AlignedChar c : align_text(*found)) out->push_back({c.code_point, source.front().begin, source.back().end});
  return true;
}

AlignedText PrecompiledNormalizer::normalize(AlignedText text) const {
  AlignedText out;
  out.reserve(text.size());
  const AlignedView whole(text);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = grapheme_end(whole, begin);
    if (!replace(whole.subspan(begin, end - begin), &out)) {
      for (std::size_t i = begin; i < end; ++i) {
        if (!replace(whole.subspan(i, 1), &out)) out.push_back(text[i]);
      }
    }
    begin = end;
  }
  return out;
}

}  // namespace attnviz

// See bert_normalizer.h.
#include "text/normalize/bert_normalizer.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/unicode/unicode.h"

namespace attnviz {
namespace {

AlignedText clean(AlignedView text) {
  AlignedText out;
  out.reserve(text.size());
  for (AlignedChar c : text) {
    if (is_cleaned_away(c.code_point)) continue;
    if (is_white_space(c.code_point)) c.code_point = ' ';
    out.push_back(c);
  }
  return out;
}

AlignedText space_out_chinese(AlignedText text) {
  if (std::none_of(text.begin(), text.end(), [](const AlignedChar& c) { return is_chinese(c.code_point); })) return text;
  AlignedText out;
  out.reserve(text.size() * 2);
  for (const AlignedChar& c : text) {
    if (!is_chinese(c.code_point)) {
      out.push_back(c);
      continue;
    }
    const AlignedChar space{' ', c.begin, c.end};
    out.insert(out.end(), {space, c, space});
  }
  return out;
}

// A code point of a canonical decomposition during canonical reordering.
struct DecomposedChar {
  char32_t code_point = 0;
  bool first = true;  // of what its source decomposed into
  int combining_class = 0;
};

void reorder_canonically(std::vector<DecomposedChar>* text) {
  auto run = text->begin();
  while (run != text->end()) {
    run = std::find_if(run, text->end(), [](const DecomposedChar& c) { return c.combining_class != 0; });
    const auto end = std::find_if(run, text->end(), [](const DecomposedChar& c) { return c.combining_class == 0; });
    std::stable_sort(run, end, [](const auto& a, const auto& b) { return a.combining_class < b.combining_class; });
    run = end;
  }
}

// Places are dealt out in order, as the reference does: the n-th "first" code point has the place of the n-th character, however
// far reordering moved it. So places never run backwards.
AlignedText decompose(AlignedText text) {
  if (std::all_of(text.begin(), text.end(), [](const AlignedChar& c) { return c.code_point < 0xC0; })) return text;
  std::vector<DecomposedChar> decomposed;
  decomposed.reserve(text.size() * 2);
  for (const AlignedChar& c : text) {
    bool first = true;
    const CodePoints parts = decompose_canonically(c.code_point);
    for (const char32_t part : parts.span()) {
      decomposed.push_back({part, first, canonical_combining_class(part)});
      first = false;
    }
  }
  reorder_canonically(&decomposed);
  AlignedText out;
  out.reserve(decomposed.size());
  std::size_t n_placed = 0;
  for (const DecomposedChar& c : decomposed) {
    if (c.first) ++n_placed;
    const AlignedChar& source = text[n_placed == 0 ? 0 : n_placed - 1];
    out.push_back({c.code_point, source.begin, source.end});
  }
  return out;
}

AlignedText strip_accents(AlignedText text) {
  AlignedText out = decompose(std::move(text));
  std::erase_if(out, [](const AlignedChar& c) { return is_nonspacing_mark(c.code_point); });
  return out;
}

AlignedText lower(AlignedText text) {
  AlignedText out;
  out.reserve(text.size());
  for (const AlignedChar& c : text) {
    const CodePoints lowered = lower_case(c.code_point);
    for (const char32_t part : lowered.span()) out.push_back({part, c.begin, c.end});
  }
  return out;
}

}  // namespace

AlignedText align_text(std::string_view text) {
  AlignedText out;
  out.reserve(text.size());
  std::size_t position = 0;
  while (position < text.size()) {
    const Utf8Char c = decode_utf8(text, position);
    const std::size_t end = position + std::max<std::size_t>(c.length, 1);
    out.push_back({c.code_point, static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(end)});
    position = end;
  }
  return out;
}

std::u32string code_points(AlignedView text) {
  std::u32string out;
  out.reserve(text.size());
  for (const AlignedChar& c : text) out.push_back(c.code_point);
  return out;
}

AlignedText normalize_bert(const BertNormalizerSpec& spec, AlignedView text) {
  AlignedText out = spec.clean_text ? clean(text) : AlignedText(text.begin(), text.end());
  if (spec.handle_chinese_chars) out = space_out_chinese(std::move(out));
  if (spec.strip_accents.value_or(spec.lowercase)) out = strip_accents(std::move(out));
  if (spec.lowercase) out = lower(std::move(out));
  return out;
}

}  // namespace attnviz

// See text_fit.h.
#include "figure/layout/text_fit.h"

#include <algorithm>

#include "base/utf8.h"

namespace attnviz {
namespace {

constexpr const char* kEllipsis = "…";

// Code points that belong to the one before them: combining marks, variation selectors, joiners, emoji modifiers.
bool clings_to_previous(char32_t c) {
  return (c >= 0x300 && c <= 0x36F) || (c >= 0x483 && c <= 0x489) || (c >= 0x591 && c <= 0x5BD) || (c >= 0x64B && c <= 0x65F) ||
         (c >= 0x900 && c <= 0xDFF && ((c & 0x7F) <= 0x03 || ((c & 0x7F) >= 0x3A && (c & 0x7F) <= 0x4F))) || c == 0xE31 ||
         (c >= 0xE34 && c <= 0xE3A) || (c >= 0xE47 && c <= 0xE4E) || (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x1DC0 && c <= 0x1DFF) ||
         c == 0x200D || (c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0x1F3FB && c <= 0x1F3FF) ||
         (c >= 0xE0020 && c <= 0xE007F);
}

// Byte offsets where the text may be cut, the ends included.
std::vector<std::size_t> cut_positions(std::string_view text) {
  std::vector<std::size_t> positions;
  bool after_joiner = false;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    if (at == 0 || (!after_joiner && !clings_to_previous(c.code_point))) positions.push_back(at);
    after_joiner = c.code_point == 0x200D;
    at += std::max<std::size_t>(c.length, 1);
  }
  positions.push_back(text.size());
  return positions;
}

// `kept` characters stay, the larger half of them in front.
std::string keep_ends(std::string_view text, const std::vector<std::size_t>& cuts, std::size_t kept) {
  const std::size_t n_characters = cuts.size() - 1;
  const std::size_t front = (kept + 1) / 2;
  const std::size_t back = kept / 2;
  return std::string(text.substr(0, cuts[front])) + kEllipsis + std::string(text.substr(cuts[n_characters - back]));
}

std::vector<std::string_view> split_at_spaces(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return words;
}

}  // namespace

std::string elide_middle(std::string_view text, double max_width, const TextStyle& style, const TextMeasure& measure) {
  // No line holds more than a few hundred characters, so a text of megabytes need not be measured.
  constexpr std::size_t kLongest = 4096;
  if (text.size() <= kLongest && measure(text, style.size, style.weight) <= max_width) return std::string(text);
  const std::vector<std::size_t> cuts = cut_positions(text);
  std::size_t low = 0;
  std::size_t high = std::min<std::size_t>(cuts.size() - 1, kLongest) - (cuts.size() > 1 ? 1 : 0);
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (measure(keep_ends(text, cuts, middle), style.size, style.weight) <= max_width) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return keep_ends(text, cuts, low);
}

std::vector<std::string> wrap_text(std::string_view text, double max_width, const TextStyle& style, const TextMeasure& measure,
                                   std::size_t max_lines) {
  std::vector<std::string> lines;
  const auto fits = [&](std::string_view line) { return measure(line, style.size, style.weight) <= max_width; };
  for (const std::string_view word : split_at_spaces(text)) {
    const std::string longer = lines.empty() ? std::string(word) : lines.back() + " " + std::string(word);
    if (!lines.empty() && fits(longer)) {
      lines.back() = longer;
    } else if (lines.size() < max_lines) {
      lines.push_back(elide_middle(word, max_width, style, measure));
    } else {
      std::string& last = lines.back();
      const std::vector<std::size_t> cuts = cut_positions(last);
      for (std::size_t i = cuts.size(); i-- > 0;) {
        const std::string cut = last.substr(0, cuts[i]) + kEllipsis;
        if (i == 0 || fits(cut)) {
          last = cut;
          break;
        }
      }
      break;
    }
  }
  return lines;
}

}  // namespace attnviz

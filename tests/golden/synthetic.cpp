// See synthetic.h. Only +, *, / on whole numbers and doubles: nothing that rounds differently elsewhere.
#include "synthetic.h"

#include <fmt/format.h>

namespace attnviz {
namespace {

std::vector<Token> tokens_of(const std::vector<std::string>& words) {
  std::vector<Token> tokens(words.size() + 2);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool special = i == 0 || i + 1 == tokens.size();
    tokens[i].text = i == 0 ? "[CLS]" : special ? "[SEP]" : words[i - 1];
    tokens[i].kind = special ? TokenKind::kSpecial : TokenKind::kWord;
  }
  return tokens;
}

// Row i: 1 / (1 + 4 d^2) around i - back, a share for the first token, nothing far away (so that long maps stay sparse).
AttentionMap banded_map(std::size_t n, std::size_t back, double sink) {
  AttentionMap map{.n_query = n, .n_key = n, .pattern = WeightArray(n * n, 0.0F)};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> row(n);
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double d = static_cast<double>(j) + static_cast<double>(back) - static_cast<double>(i);
      row[j] = d * d > 16 ? 0.002 / static_cast<double>(n) : 1 / (1 + 4 * d * d);
      if (j == 0) row[j] += sink * static_cast<double>(1 + i * 7 % 5);
      if (i == n * 3 / 4 && j == n / 4) row[j] += 3;
      sum += row[j];
    }
    for (std::size_t j = 0; j < n; ++j) map.pattern[i * n + j] = static_cast<float>(row[j] / sum);
  }
  return map;
}

Trace trace_without_maps(const std::vector<std::string>& words) {
  Trace trace;
  trace.model = {"synthetic", "bert", 6, 12};
  trace.texts = {fmt::format("{}", fmt::join(words, " "))};
  trace.queries = tokens_of(words);
  trace.keys = trace.queries;
  trace.provenance.made_by.command = trace.provenance.redraw_by.command = "golden";
  return trace;
}

}  // namespace

Trace one_map(const std::vector<std::string>& words) {
  Trace trace = trace_without_maps(words);
  trace.maps.push_back(banded_map(words.size() + 2, 1, 0.5));
  trace.maps.back().layer = 3;
  trace.maps.back().head = 1;
  return trace;
}

Trace map_of_changes(const std::vector<std::string>& words) {
  Trace trace = one_map(words);
  trace.value = {.name = "change of attention weight", .is_signed = true};
  const AttentionMap other = banded_map(words.size() + 2, 2, 0.25);
  for (std::size_t i = 0; i < other.pattern.size(); ++i) trace.maps[0].pattern[i] -= other.pattern[i];
  return trace;
}

std::vector<std::string> numbered_words(std::size_t n) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < n; ++i)
    words.push_back(fmt::format("{}{}", std::string(1 + i * 5 % 7, static_cast<char>('a' + i % 26)), i));
  return words;
}

Trace grid_of_maps(const std::vector<std::string>& words, std::size_t n_layer, std::size_t n_head) {
  Trace trace = trace_without_maps(words);
  for (std::size_t layer = 0; layer < n_layer; ++layer) {
    for (std::size_t head = 0; head < n_head; ++head) {
      trace.maps.push_back(banded_map(words.size() + 2, head, 0.3 * static_cast<double>(layer)));
      trace.maps.back().layer = layer;
      trace.maps.back().head = head;
    }
  }
  return trace;
}

}  // namespace attnviz

// See page_data.h.
#include "render/page/page_data.h"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/command_text.h"
#include "base/replace_all.h"
#include "base/utf8.h"
#include "figure/colour_map.h"
#include "figure/view_registry.h"
#include "render/page/payload.h"
#include "trace/label.h"
#include "trace/words.h"

namespace attnviz {
namespace {

using Json = nlohmann::ordered_json;

// Bits of a token's flags in the page.
constexpr int kIsSpecial = 1;
constexpr int kIsGenerated = 2;

constexpr std::string_view kKeptInProse = " \n";

// The token as it is in the sentence; its label where it stands for nothing in it, or for a part of a character.
std::string piece_of(const Trace& trace, const Token& token) {
  const std::string_view text = text_at(token, trace.texts);
  const bool as_written = token.kind != TokenKind::kBytes && token.kind != TokenKind::kSpecial && token.n_tokens == 1;
  return as_written && !text.empty() ? visible_prose(text, kKeptInProse) : token_label(token);
}

// The gap as it is in the text. Between two tiles, that would be all tokens of the first but one.
std::string page_gap(const Trace& trace, const std::vector<Token>& tokens, std::size_t i) {
  const std::string gap = gap_before(tokens, i, trace.texts);
  const bool between_tiles = trace.pool && i > 0 && tokens[i].segment == tokens[i - 1].segment;
  return between_tiles && !gap.empty() ? " " : visible_prose(gap, kKeptInProse);
}

Json tokens_json(const Trace& trace, const std::vector<Token>& tokens) {
  Json labels = Json::array();
  Json pieces = Json::array();
  Json gaps = Json::array();
  Json flags = Json::array();
  Json positions = Json::array();
  Json spans = Json::array();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    labels.push_back(token_label(token));
    pieces.push_back(piece_of(trace, token));
    gaps.push_back(page_gap(trace, tokens, i));
    flags.push_back((token.kind == TokenKind::kSpecial ? kIsSpecial : 0) | (token.generated ? kIsGenerated : 0));
    positions.push_back(token.position.value_or(i));
    spans.push_back(token.position ? token.n_tokens : 1);
  }
  Trace words;
  words.texts = trace.texts;
  words.queries = tokens;
  words.keys = tokens;
  words = merge_words(words);
  Json groups = Json::array();
  Json names = Json::array();
  const std::vector<TokenSpan> spans_of_words = word_groups(tokens);
  for (std::size_t i = 0; i < spans_of_words.size(); ++i) {
    groups.push_back(spans_of_words[i].begin);
    names.push_back(token_label(words.queries[i]));
  }
  return {{"labels", labels},       {"pieces", pieces}, {"gaps", gaps},    {"flags", flags},
          {"positions", positions}, {"spans", spans},   {"words", groups}, {"wordLabels", names}};
}

Json maps_json(const PageContents& contents) {
  Json maps = Json::array();
  for (std::size_t i = 0; i < contents.trace.maps.size(); ++i) {
    const AttentionMap& map = contents.trace.maps[i];
    const MapSummary& summary = contents.summaries[i];
    Json one{{"layer", map.layer}, {"head", map.head}, {"maximum", summary.maximum}};
    if (summary.best) one["best"] = {summary.best->query_pos, summary.best->key_pos, summary.best->weight};
    maps.push_back(std::move(one));
  }
  return maps;
}

void append_colour(Rgb colour, std::string* bytes) {
  for (const std::uint8_t part : {colour.r, colour.g, colour.b}) *bytes += static_cast<char>(part);
}

// 256 of the 257 colours for differences, in the same form as colours_json: the middle one is at 128.
std::string difference_colours() {
  std::string bytes;
  for (const bool dark : {false, true}) {
    for (int i = 0; i < 256; ++i) append_colour(diverging_map(dark).at((i - 128) / 127.5), &bytes);
  }
  std::string text;
  append_encoded(bytes, &text);
  return text;
}

// Every colour map as text (payload.h): 256 colours of three bytes for a light ground, then for a dark one.
Json colours_json() {
  Json colours = Json::object();
  for (const std::string& name : colour_map_names()) {
    std::string bytes;
    for (const bool dark : {false, true}) {
      for (const Rgb& colour : find_colour_map(name, dark).colours) append_colour(colour, &bytes);
    }
    std::string text;
    append_encoded(bytes, &text);
    colours[name] = text;
  }
  return colours;
}

std::string_view scale_name(Scale scale) {
  switch (scale) {
    case Scale::kRow: return "row";
    case Scale::kLog: return "log";
    case Scale::kRobust: return "robust";
    default: return "linear";
  }
}

Json style_json(const PictureOptions& picture) {
  const Style& style = picture.style;
  Json json{{"tab", view_spec(picture.figure.view).page_tab},
            {"scale", scale_name(style.scale)},
            {"colours", style.cmap},
            {"dark", style.dark},
            {"values", style.values},
            {"words", picture.page.words},
            {"special", !picture.page.hide_special}};
  if (style.vmax) json["vmax"] = *style.vmax;
  return json;
}

// What combined maps stand for; null for an axis that was not combined.
Json reduction_json(const Reduction& reduced) {
  return {{"by", reduce_by_name(reduced.by)},
          {"layers", reduced.over_layers ? Json(reduced.layers) : Json(nullptr)},
          {"heads", reduced.over_heads ? Json(reduced.heads) : Json(nullptr)}};
}

void escape_character(std::string* text, char32_t c) {
  std::string bytes;
  append_utf8(&bytes, c);
  replace_all(text, bytes, fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c)));
}

}  // namespace

std::string page_json(const PageContents& contents) {
  const Trace& trace = contents.trace;
  const CommandLine& redraw = trace.provenance.redraw_by;
  const Json queries = tokens_json(trace, trace.queries);
  const Json keys = tokens_json(trace, trace.keys);
  Json texts = Json::array();
  for (const std::string& text : trace.texts) texts.push_back(visible_prose(text, kKeptInProse));
  const ModelInfo& model = trace.model;
  Json page{{"format", "attnviz.page/1"},
            {"model",
             {{"name", visible_prose(model.name, kKeptInProse)},
              {"family", model.family},
              {"layers", model.n_layer},
              {"heads", model.n_head}}},
            {"texts", texts},
            {"value", visible_prose(trace.value.name, kKeptInProse)},
            {"kind", site_name(trace.maps.front().site)},
            {"queries", queries},
            {"keys", keys == queries ? Json(nullptr) : keys},
            {"maps", maps_json(contents)},
            {"first", contents.first},
            {"start", contents.start ? Json{contents.start->first, contents.start->second} : Json(nullptr)},
            {"exact", contents.exact},
            {"scores", contents.scores},
            {"thumbnailSide", contents.thumbnail_side},
            {"notes", trace.notes},
            {"focus", trace.focus},
            {"made", command_text(trace.provenance)},
            {"command", {{"words", command_words(trace.provenance.program, redraw)}, {"texts", redraw.texts}}},
            {"style", style_json(contents.picture)},
            {"colours", colours_json()},
            {"difference", difference_colours()}};
  if (trace.pool)
    page["pool"] = {{"rows", trace.pool->rows}, {"columns", trace.pool->columns}, {"by", pool_by_name(trace.pool->by)}};
  if (trace.reduced) page["reduced"] = reduction_json(*trace.reduced);
  std::string text = page.dump(-1, ' ', false, Json::error_handler_t::replace);
  replace_all(&text, "<", "\\u003c");
  replace_all(&text, ">", "\\u003e");
  replace_all(&text, "&", "\\u0026");
  // Line and paragraph separators end lines of scripts; bidi controls would reorder what an editor shows of the file.
  for (char32_t c = 0x2028; c <= 0x202E; ++c) escape_character(&text, c);
  for (char32_t c = 0x2066; c <= 0x2069; ++c) escape_character(&text, c);
  return text;
}

}  // namespace attnviz

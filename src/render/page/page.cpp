// See page.h. Order matters: the first map, the thumbnails and the script come before the other maps, so that the first picture is
// there while a browser is still reading.
#include "render/page/page.h"

#include <attnviz/error.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/command_text.h"
#include "base/limits.h"
#include "base/replace_all.h"
#include "base/setting_error.h"
#include "base/utf8.h"
#include "render/page/assets.h"
#include "render/page/page_data.h"
#include "render/page/payload.h"
#include "render/parallel_write.h"
#include "trace/label.h"

namespace attnviz {
namespace {

constexpr std::size_t kAlwaysExact = 100000;  // weights; some 400 kB
constexpr std::size_t kThumbnailSide = 24;
constexpr std::size_t kTitleBytes = 200;  // of the text, in the title of the page

std::string escaped(std::string_view text) {
  std::string html = visible_prose(text);
  replace_all(&html, "&", "&amp;");
  replace_all(&html, "<", "&lt;");
  replace_all(&html, ">", "&gt;");
  replace_all(&html, "\"", "&quot;");
  return html;
}

std::size_t n_weights(const Trace& trace) { return trace.queries.size() * trace.keys.size() * trace.maps.size(); }

std::vector<MapSummary> summarise(const Trace& trace, ThreadPool* pool) {
  std::vector<MapSummary> summaries(trace.maps.size());
  const auto one = [&](std::size_t i, std::size_t) {
    summaries[i] = {maximum_of(trace.maps[i]), strongest_telling_link(trace, trace.maps[i])};
  };
  if (pool != nullptr) {
    pool->run(summaries.size(), one);
  } else {
    for (std::size_t i = 0; i < summaries.size(); ++i) one(i, 0);
  }
  return summaries;
}

// The link that was asked for: a marked one, or the query's strongest in any map.
std::optional<std::pair<std::size_t, std::size_t>> chosen_pair(const Trace& trace, const Marks& marks) {
  if (!marks.links.empty()) return std::pair{marks.links.front().query.begin, marks.links.front().key.begin};
  if (!marks.row) return std::nullopt;
  const std::size_t query_pos = marks.row->begin;
  Link best;
  for (const AttentionMap& map : trace.maps) {
    for (const Link& link : strongest_of_row(map, query_pos, 1)) {
      if (link.weight > best.weight) best = link;
    }
  }
  return std::pair{query_pos, best.key_pos};
}

std::size_t strongest_map(const Trace& trace, const std::pair<std::size_t, std::size_t>& pair) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < trace.maps.size(); ++i) {
    if (trace.maps[i].at(pair.first, pair.second) > trace.maps[best].at(pair.first, pair.second)) best = i;
  }
  return best;
}

// The map of the strongest link that says something; the first map where there is none.
std::size_t first_shown(const std::vector<MapSummary>& summaries) {
  std::size_t first = 0;
  for (std::size_t i = 1; i < summaries.size(); ++i) {
    const float best = summaries[first].best ? summaries[first].best->weight : 0;
    if (summaries[i].best && summaries[i].best->weight > best) first = i;
  }
  return first;
}

std::string head_of(const Trace& trace) {
  const std::string text = escaped(utf8_prefix(trace.texts.empty() ? trace.model.name : trace.texts.front(), kTitleBytes));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
      "content=\""
      "default-src 'none'; script-src '{}'; style-src '{}'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
      "dark\">\n"
      "<meta name=\"generator\" content=\"attnviz\">\n<meta name=\"attnviz-command\" content=\"{}\">\n<link rel=\"icon\" "
      "href=\"data:,\">\n<title>{} · attnviz</title>\n<style>{}</style>\n</head>\n<body>\n{}\n",
      kPageScriptHash, kPageStyleHash, escaped(command_text(trace.provenance)), text, kPageStyle, kPageMarkup);
}

struct Maps {
  const Trace& trace;
  const std::vector<MapSummary>& summaries;
  bool exact;
};

void append_map(const Maps& maps, std::size_t i, std::string* out) {
  *out += fmt::format("<script type=\"application/x-attnviz-{}\" id=\"map-{}\">", maps.exact ? "f32" : "codes", i);
  if (maps.exact) {
    append_exact(maps.trace.maps[i], out);
  } else {
    append_codes(maps.trace.maps[i], maps.summaries[i].maximum, out);
  }
  *out += "</script>\n";
}

void append_thumbnails(const Maps& maps, std::string* out) {
  std::string bytes;
  for (std::size_t i = 0; i < maps.trace.maps.size(); ++i) {
    const std::vector<std::uint8_t> codes = thumbnail_of(maps.trace.maps[i], maps.summaries[i].maximum, kThumbnailSide);
    bytes.append(codes.begin(), codes.end());
  }
  *out += "<script type=\"application/x-attnviz-codes\" id=\"thumbnails\">";
  append_packed(bytes, out);
  *out += "</script>\n";
}

bool has_log_sums(const Trace& trace) {
  return std::all_of(trace.maps.begin(), trace.maps.end(),
                     [](const AttentionMap& map) { return map.log_sums.size() == map.n_query; });
}

// [maps, Tq], what scores are made of (AttentionMap::log_sums).
void append_log_sums(const Trace& trace, std::string* out) {
  std::vector<float> sums;
  for (const AttentionMap& map : trace.maps) sums.insert(sums.end(), map.log_sums.begin(), map.log_sums.end());
  *out += "<script type=\"application/x-attnviz-f32\" id=\"log-sums\">";
  append_floats(sums, out);
  *out += "</script>\n";
}

}  // namespace

void check_page_maps(const PageMaps& size) {
  if (size.n_query > kMostPageSide || size.n_key > kMostPageSide) {
    throw SettingError(ErrorKind::kInput,
                       {fmt::format("page: a map of {} x {} tokens is more than browsers draw; expected at most {} "
                                    "per side; try ",
                                    size.n_query, size.n_key, kMostPageSide),
                        Setting::kPool, " 512 for an overview, or ", Setting::kRows, " and ", Setting::kColumns, " for a part"});
  }
  const std::size_t most = size.exact ? kMostExactPageWeights : kMostPageWeights;
  if (size.n_map == 0 || size.n_query * size.n_key <= most / size.n_map) return;
  std::vector<SettingError::Part> parts{
      fmt::format("page: {} maps of {} x {} tokens are more than a browser holds well; expected at most {} {}weights, found {}; "
                  "choose some with ",
                  size.n_map, size.n_query, size.n_key, most, size.exact ? "exact " : "", size.n_map * size.n_query * size.n_key),
      Setting::kLayer,
      " and ",
      Setting::kHead,
      ", or try ",
      Setting::kPool,
      " 256"};
  if (size.exact) {
    parts.emplace_back(", or leave ");
    parts.emplace_back(Setting::kExact);
    parts.emplace_back(" out");
  }
  throw SettingError(ErrorKind::kInput, std::move(parts));
}

void write_page(const Trace& trace, const PictureOptions& picture, const ByteSink& sink, ThreadPool* pool) {
  if (trace.value.is_signed) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("page: {} can be below 0, and pages show values from 0 up only; draw a picture instead", trace.value.name));
  }
  const bool exact = picture.page.exact || n_weights(trace) <= kAlwaysExact;
  check_page_maps({trace.queries.size(), trace.keys.size(), trace.maps.size(), exact});
  if (trace.maps.empty()) throw Error(ErrorKind::kBug, "page: there is no map to show");
  const std::vector<MapSummary> summaries = summarise(trace, pool);
  const Maps maps{trace, summaries, exact};
  const bool thumbnails = n_weights(trace) > kAlwaysExact;  // small pages make them of their maps
  const auto start_pair = chosen_pair(trace, picture.figure.marks);
  const std::size_t first = start_pair ? strongest_map(trace, *start_pair) : first_shown(summaries);

  std::string start = head_of(trace);
  start += "<script type=\"application/json\" id=\"page\">";
  start += page_json({trace, picture, summaries, first, start_pair, exact, has_log_sums(trace), thumbnails ? kThumbnailSide : 0});
  start += "</script>\n";
  append_map(maps, first, &start);
  if (thumbnails) append_thumbnails(maps, &start);
  start += fmt::format("<script>{}</script>\n", kPageScript);
  if (!sink(start)) return;
  const auto make = [&](std::size_t i, std::string* out) {
    if (i != first) append_map(maps, i, out);
  };
  if (!write_pieces(pool, trace.maps.size(), make, sink)) return;
  std::string end;
  if (has_log_sums(trace)) append_log_sums(trace, &end);
  sink(end + "</body>\n</html>\n");
}

}  // namespace attnviz

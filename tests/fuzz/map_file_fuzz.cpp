// Any bytes as a file of maps, with tokens named and maps checked with `force`. Accepted maps must match their tokens, every weight
// must be readable, and after the checks a valid weight or NaN. The same bytes are also read as a line, an array's name and a token
// list.
#include <cmath>
#include <cstdint>

#include "formats/maps/map_checks.h"
#include "formats/maps/map_file.h"
#include "fuzz.h"

namespace {

using namespace attnviz;

void check(MapFile file, std::size_t size) {
  Trace& trace = file.trace;
  fuzz::require(!trace.maps.empty(), "a file without a map");
  if (file.plain) name_tokens(&file, std::nullopt, std::nullopt, "fuzz");
  check_maps(&file, {"fuzz", true});
  std::size_t n_weight = 0;
  for (std::size_t i = 0; i < trace.maps.size(); ++i) {
    const AttentionMap& map = trace.maps[i];
    fuzz::require(map.n_query == trace.queries.size() && map.n_key == trace.keys.size(), "a map that does not fit its tokens");
    fuzz::require(map.pattern.size() == map.n_query * map.n_key, "a map of another size than it says");
    for (const float weight : map.pattern) fuzz::require(std::isnan(weight) || weight >= 0, "a weight below 0");
    if (i > 0) {
      const AttentionMap& before = trace.maps[i - 1];
      fuzz::require(std::pair(before.layer, before.head) < std::pair(map.layer, map.head), "maps not in order, or one twice");
    }
    n_weight += map.pattern.size();
  }
  fuzz::require(n_weight <= 1040 * size, "more weights than the bytes could hold");
  for (const Token& token : trace.queries) {
    const auto segment = static_cast<std::size_t>(token.segment);
    if (segment < trace.texts.size()) (void)trace.texts[segment].substr(token.begin, token.end - token.begin);
    fuzz::require(token.begin <= token.end, "a token that ends before it begins");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const MapFileOptions variants[] = {{"fuzz", {}, {}}, {"fuzz", 2, {}}, {"fuzz", {}, "maps"}};
  for (const MapFileOptions& options : variants) {
    MapFile file;
    if (fuzz::accepts([&] { file = read_map_file(bytes, options); }, ErrorKind::kInput)) check(std::move(file), size);
  }
  fuzz::accepts([&] { fuzz::require(parse_token_file(text, "fuzz").size() <= size, "more tokens than bytes"); }, ErrorKind::kInput);
  return 0;
}

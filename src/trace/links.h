// The strongest links of maps, for lists beside a picture; of signed values, those of largest magnitude. Tested in
// tests/unit/trace/links_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace attnviz {

struct Link {
  std::size_t layer = 0;
  std::size_t head = 0;
  std::size_t query_pos = 0;
  std::size_t key_pos = 0;
  float weight = 0;
};

// Whether row and column are the same token of a text that attends to itself. Tiles of pooled maps count if they share a token.
bool is_self_link(const Trace& trace, const AttentionMap& map, std::size_t query_pos, std::size_t key_pos);

// The `n` strongest keys of one row, strongest first; equal weights keep reading order.
std::vector<Link> strongest_of_row(const AttentionMap& map, std::size_t query_pos, std::size_t n);

// The map's strongest link between two different tokens of which neither is special. Nothing if no such link has any weight, as in
// a text of one word.
std::optional<Link> strongest_content_link(const Trace& trace, const AttentionMap& map);

// The same, but links inside a word and to a neighbouring word count only if there is no other: a head that only counts positions
// has those as well.
std::optional<Link> strongest_telling_link(const Trace& trace, const AttentionMap& map);

// strongest_content_link of each map, strongest first, at most `n`.
std::vector<Link> strongest_content_links(const Trace& trace, std::size_t n);

}  // namespace attnviz

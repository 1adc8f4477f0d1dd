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

// Whether row and column are the same token of a text that attends to itself (or, pooled, share one).
bool is_self_link(const Trace& trace, const AttentionMap& map, std::size_t query_pos, std::size_t key_pos);

// The `n` strongest keys of one row, strongest first; equal weights keep reading order.
std::vector<Link> strongest_of_row(const AttentionMap& map, std::size_t query_pos, std::size_t n);

// The map's strongest link that is neither to or from a special token nor from a token to itself; nothing where no such link has
// any weight (a text of one word).
std::optional<Link> strongest_content_link(const Trace& trace, const AttentionMap& map);

// The same without links inside a word or to the word beside it, which a head that counts positions has as well; such a link where
// there is no other.
std::optional<Link> strongest_telling_link(const Trace& trace, const AttentionMap& map);

// For each map its strongest link that is neither to or from a special token nor from a token to itself; strongest map first, at
// most `n`.
std::vector<Link> strongest_content_links(const Trace& trace, std::size_t n);

}  // namespace attnviz

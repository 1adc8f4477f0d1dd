// The numbers of a page: each map by itself as text that may appear in a <script> element, so that a browser unpacks only what it
// shows (docs/page.md has the bytes). Weights are column by column: a key that many queries attend to makes a run of similar
// values, which deflate 2% smaller than rows. A causal map's upper half is zeros and costs next to nothing. Tested in
// tests/unit/render/page/payload_test.cpp.
#pragma once

#include <attnviz/trace.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

// Codes of weights: 0 is exactly 0, kBadCode is not a weight, c stands for maximum * (c / kTopCode)^2. A weight above 0 is never
// code 0. Off by at most maximum * (sqrt(weight / maximum) + 1 / 1016) / 254, that is 0.4% of the map's maximum; the maximum is
// exact.
inline constexpr std::uint8_t kTopCode = 254;
inline constexpr std::uint8_t kBadCode = 255;

// Largest weight of a map; cells that are not weights (not finite, below 0) do not count.
float maximum_of(const AttentionMap& map);

std::uint8_t code_of(float weight, float maximum);

// A thumbnail of at most `side` cells per side, each the largest of the cells it stands for: codes, row by row.
std::vector<std::uint8_t> thumbnail_of(const AttentionMap& map, float maximum, std::size_t side);

// Appends the map as codes [Tk, Tq], or as its f32 values [4, Tk, Tq]: all lowest bytes, all second bytes ... Both deflated, as
// text.
void append_codes(const AttentionMap& map, float maximum, std::string* out);
void append_exact(const AttentionMap& map, std::string* out);

// Appends numbers in four planes as append_exact does.
void append_floats(std::span<const float> values, std::string* out);

// Appends bytes, deflated, as text.
void append_packed(std::string_view bytes, std::string* out);

// Appends bytes as text: 13 bits become two of the 91 printable ASCII characters without < > &, lowest bits first; the last 6 bits
// or fewer become one. 16 characters for 13 bytes, where base64 needs 17.3.
void append_encoded(std::string_view bytes, std::string* out);

}  // namespace attnviz

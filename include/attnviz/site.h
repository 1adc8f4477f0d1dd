// Where in a model an attention map comes from.
//
// A model of one stack of layers has one site. An encoder-decoder has three: its encoder attends to the source, its decoder to the
// target so far, and the decoder's cross-attention to the encoder's output. Files name the site under the key "kind".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace attnviz {

enum class Site : std::uint8_t {
  kSelf,     // the only stack of a model, over one sequence
  kEncoder,  // the encoder of an encoder-decoder, over the source
  kDecoder,  // its decoder, over the target
  kCross,    // its decoder's queries over the encoder's keys; also any foreign map whose queries and keys come from two texts
  kVision,   // a stack over image patches
};

inline constexpr std::array kAllSites{Site::kSelf, Site::kEncoder, Site::kDecoder, Site::kCross, Site::kVision};

std::string_view site_name(Site site);                      // "self", "encoder", "decoder", "cross", "vision"
std::optional<Site> site_from_name(std::string_view name);  // none for an unknown name

}  // namespace attnviz

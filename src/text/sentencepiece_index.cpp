// See sentencepiece_index.h.
#include "text/sentencepiece_index.h"

#include <algorithm>
#include <bit>

namespace attnviz {
namespace {

std::uint32_t fold(PieceIndex::Hash hash) { return static_cast<std::uint32_t>(hash ^ hash >> 32); }

}  // namespace

PieceIndex::PieceIndex(std::vector<std::string_view> texts)
    : texts_(std::move(texts)), slots_(std::bit_ceil(texts_.size() * 2 + 2)), longest_(256, 0) {
  for (std::size_t id = 0; id < texts_.size(); ++id) {
    const std::string_view text = texts_[id];
    if (text.empty()) continue;
    const Hash hash = extend(kEmpty, text);
    slots_[place_of(hash, text)] = {fold(hash), static_cast<std::int32_t>(id)};
    std::size_t& longest = longest_[static_cast<unsigned char>(text[0])];
    longest = std::max(longest, text.size());
  }
}

std::size_t PieceIndex::place_of(Hash hash, std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = fold(hash) & mask;
  for (; slots_[place].id >= 0; place = (place + 1) & mask) {
    if (slots_[place].hash == fold(hash) && texts_[static_cast<std::size_t>(slots_[place].id)] == text) break;
  }
  return place;
}

std::optional<std::int32_t> PieceIndex::find(Hash hash, std::string_view text) const {
  const Slot& slot = slots_[place_of(hash, text)];
  return slot.id < 0 ? std::nullopt : std::optional(slot.id);
}

}  // namespace attnviz

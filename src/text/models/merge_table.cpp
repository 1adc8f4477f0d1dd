// See merge_table.h. What is opened is checked as a whole, so that lookups need no checks.
#include "text/models/merge_table.h"

#include <limits>

#include "text/models/piece_table.h"

namespace attnviz {
namespace {

constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

std::size_t first_slot_of(std::uint32_t left, std::uint32_t right, std::size_t n_slots) {
  const std::uint64_t hash = (std::uint64_t{left} << 32 | right) * 0x9e3779b97f4a7c15;
  return first_slot(static_cast<std::uint32_t>(hash >> 32), n_slots);
}

}  // namespace

void MergeTable::freeze(std::span<const Merge> merges, FlatWriter* out) {
  std::vector<Merge> slots(slots_for(merges.size()), Merge{0, 0, 0, kFree});
  for (const Merge& merge : merges) {
    std::size_t place = first_slot_of(merge.left, merge.right, slots.size());
    while (slots[place].id != kFree && !(slots[place].left == merge.left && slots[place].right == merge.right)) {
      place = place + 1 == slots.size() ? 0 : place + 1;
    }
    slots[place] = merge;
  }
  out->array(std::span<const Merge>(slots));
}

MergeTable::MergeTable(std::size_t n_pieces, FlatReader* frozen) : slots_(frozen->array<Merge>()) {
  std::size_t n_free = 0;
  std::size_t n_wrong = 0;
  for (const Merge& slot : slots_) {
    n_free += slot.id == kFree ? 1 : 0;
    n_wrong += slot.id != kFree && slot.id >= n_pieces ? 1 : 0;
  }
  if (n_wrong > 0) frozen->fail("a merge makes a piece past the vocabulary");
  if (n_free == 0) frozen->fail("the merges have no free slot, at which a search ends");
}

const Merge* MergeTable::find(std::int32_t left, std::int32_t right) const {
  const auto left_id = static_cast<std::uint32_t>(left);
  const auto right_id = static_cast<std::uint32_t>(right);
  const Merge* const end = slots_.data() + slots_.size();
  for (const Merge* slot = slots_.data() + first_slot_of(left_id, right_id, slots_.size()); slot->id != kFree;) {
    if (slot->left == left_id && slot->right == right_id) return slot;
    if (++slot == end) slot = slots_.data();
  }
  return nullptr;
}

}  // namespace attnviz

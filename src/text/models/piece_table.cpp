// See piece_table.h. What is opened is checked as a whole, so that lookups need no checks.
#include "text/models/piece_table.h"

#include <attnviz/error.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace attnviz {
namespace {

constexpr std::size_t kBytes = 256;
constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxTexts = std::numeric_limits<std::int32_t>::max();

std::uint32_t fold(PieceIndex::Hash hash) { return static_cast<std::uint32_t>(hash ^ hash >> 32); }

}  // namespace

void TextList::freeze(std::span<const std::string_view> texts, const std::string& where, FlatWriter* out) {
  std::size_t n_bytes = 0;
  for (const std::string_view text : texts) n_bytes += text.size();
  if (texts.size() > kMaxTexts || n_bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::kModel, fmt::format("{}: the vocabulary has {} pieces of {} bytes; expected fewer than 2^31 pieces of "
                                               "less than 4 GiB; use another model",
                                               where, texts.size(), n_bytes));
  }
  std::vector<std::uint32_t> begins{0};
  begins.reserve(texts.size() + 1);
  std::string blob;
  blob.reserve(n_bytes);
  for (const std::string_view text : texts) {
    blob += text;
    begins.push_back(static_cast<std::uint32_t>(blob.size()));
  }
  out->array(std::span<const std::uint32_t>(begins));
  out->text(blob);
}

TextList::TextList(FlatReader* frozen) : begins_(frozen->array<std::uint32_t>()), blob_(frozen->text()) {
  if (begins_.empty() || begins_.front() != 0 || begins_.back() != blob_.size() || size() > kMaxTexts) {
    frozen->fail("the texts do not cover their bytes");
  }
  if (!std::is_sorted(begins_.begin(), begins_.end())) frozen->fail("a text ends before it begins");
}

// The slots of a table that is being filled.
class PieceIndex::Builder {
 public:
  Builder(std::span<const std::string_view> texts, Twins twins)
      : texts_(texts), twins_(twins), slots_(slots_for(texts.size()), {0, kFree}), longest_(kBytes, 0) {}

  void add(std::uint32_t id, const std::string& where) {
    const std::string_view text = texts_[id];
    const std::uint32_t hash = fold(extend(kEmpty, text));
    std::size_t place = first_slot(hash, slots_.size());
    while (slots_[place].id != kFree && !(slots_[place].hash == hash && texts_[slots_[place].id] == text)) {
      place = place + 1 == slots_.size() ? 0 : place + 1;
    }
    if (slots_[place].id != kFree && twins_ == Twins::kRefused) {
      throw Error(ErrorKind::kModel, fmt::format("{}: \"{}\" is in the vocabulary twice, with the ids {} and {}; expected it once",
                                                 where, text, slots_[place].id, id));
    }
    slots_[place] = {hash, id};
    std::uint32_t& longest = longest_[static_cast<unsigned char>(text[0])];
    longest = std::max(longest, static_cast<std::uint32_t>(text.size()));
  }

  void write(FlatWriter* out) const {
    out->array(std::span<const std::uint32_t>(longest_));
    out->array(std::span<const Slot>(slots_));
  }

 private:
  std::span<const std::string_view> texts_;
  Twins twins_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> longest_;
};

void PieceIndex::freeze(std::span<const std::string_view> texts, Twins twins, const std::string& where, FlatWriter* out) {
  Builder builder(texts, twins);
  for (std::size_t id = 0; id < texts.size(); ++id) {
    if (!texts[id].empty()) builder.add(static_cast<std::uint32_t>(id), where);
  }
  builder.write(out);
}

PieceIndex::PieceIndex(const TextList* texts, FlatReader* frozen)
    : texts_(texts), longest_(frozen->array<std::uint32_t>()), slots_(frozen->array<Slot>()) {
  std::size_t n_free = 0;
  std::size_t n_wrong = 0;
  for (const Slot& slot : slots_) {
    n_free += slot.id == kFree ? 1 : 0;
    n_wrong += slot.id != kFree && slot.id >= texts->size() ? 1 : 0;
  }
  if (longest_.size() != kBytes || n_wrong > 0) frozen->fail("the index points out of its texts");
  if (n_free == 0) frozen->fail("the index has no free slot, at which a search ends");
}

std::optional<std::int32_t> PieceIndex::find(Hash hash, std::string_view text) const {
  const std::uint32_t folded = fold(hash);
  const Slot* const end = slots_.data() + slots_.size();
  for (const Slot* slot = slots_.data() + first_slot(folded, slots_.size()); slot->id != kFree;) {
    if (slot->hash == folded && (*texts_)[slot->id] == text) return static_cast<std::int32_t>(slot->id);
    if (++slot == end) slot = slots_.data();
  }
  return std::nullopt;
}

void PieceTable::freeze(std::span<const std::string_view> all, PieceIndex::Twins twins, const std::string& where, FlatWriter* out) {
  TextList::freeze(all, where, out);
  PieceIndex::freeze(all, twins, where, out);
}

std::int32_t read_id(std::size_t n_pieces, FlatReader* frozen) {
  const auto id = frozen->number<std::int32_t>();
  if (id < -1 || (id >= 0 && static_cast<std::size_t>(id) >= n_pieces)) frozen->fail("an id is past the vocabulary");
  return id;
}

}  // namespace attnviz

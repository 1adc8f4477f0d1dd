// See flat_bytes.h.
#include "base/flat_bytes.h"

#include <attnviz/error.h>

#include <array>
#include <cstring>

#include <fmt/format.h>

namespace attnviz {
namespace {

constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;  // odd, so that multiplication by it is invertible
constexpr std::size_t kLanes = 8;                      // independent chains, which keep the multiplier busy

// Both steps are invertible, so a changed word always changes the state. The second moves high bits down, where the next
// multiplication spreads them.
std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  const std::uint64_t product = (state ^ word) * kFactor;
  return product ^ product >> 32;
}

}  // namespace

FlatReader::FlatReader(std::span<const std::byte> bytes, std::string_view where) : reader_(bytes, where), where_(where) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kFlatAlignment == 0) return;
  throw Error(ErrorKind::kBug, fmt::format("{}: its bytes do not begin at a multiple of {}", where, kFlatAlignment));
}

std::size_t FlatReader::count(std::size_t n_bytes) {
  const auto n = reader_.read<std::uint64_t>("a count");
  if (n > reader_.remaining() / n_bytes) fail(fmt::format("announces {} items, more than its bytes can hold", n));
  return n;
}

void FlatReader::fail(std::string_view what) const { throw Error(ErrorKind::kModel, fmt::format("{}: {}", where_, what)); }

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, kLanes> lanes{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = (lane + 1) * kFactor;
  std::array<std::uint64_t, kLanes> words{};  // one 8-byte word per lane: 64 bytes per step
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= sizeof words; left -= sizeof words, at += sizeof words) {
    std::memcpy(words.data(), at, sizeof words);
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = mix(lanes[lane], words[lane]);
  }
  words = {};  // the last part, padded with zeros; the length in the sum tells it from real zeros
  if (left > 0) std::memcpy(words.data(), at, left);
  std::uint64_t sum = bytes.size();
  for (std::size_t lane = 0; lane < kLanes; ++lane) sum = mix(sum, mix(lanes[lane], words[lane]));
  return sum;
}

}  // namespace attnviz

// See checksum.h.
#include "hub/checksum.h"

#include <fmt/format.h>
#include <glib.h>

namespace attnviz {

struct Checksum::State {
  explicit State(HashKind kind) : sum(g_checksum_new(kind == HashKind::kSha256 ? G_CHECKSUM_SHA256 : G_CHECKSUM_SHA1)) {}
  ~State() { g_checksum_free(sum); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  GChecksum* sum;
};

Checksum::Checksum(HashKind kind, std::uint64_t n_byte) : state_(std::make_unique<State>(kind)) {
  if (kind == HashKind::kGitSha1) add(fmt::format("blob {}", n_byte) + '\0');
}

Checksum::~Checksum() = default;
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum& Checksum::operator=(Checksum&&) noexcept = default;

void Checksum::add(std::string_view bytes) {
  g_checksum_update(state_->sum, reinterpret_cast<const guchar*>(bytes.data()), static_cast<gssize>(bytes.size()));
}

std::string Checksum::finish() { return g_checksum_get_string(state_->sum); }

}  // namespace attnviz

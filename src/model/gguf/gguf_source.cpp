// See gguf_source.h.
#include "model/gguf/gguf_source.h"

#include <attnviz/error.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/quote.h"

namespace attnviz {
namespace {

class RenamedSource final : public WeightSource {
 public:
  RenamedSource(std::shared_ptr<const GgufFile> file, std::vector<StoredTensor> tensors)
      : file_(std::move(file)), tensors_(std::move(tensors)) {
    sort_by_name(&tensors_);
  }

  std::span<const StoredTensor> tensors() const override { return tensors_; }
  std::string where() const override { return file_->where(); }
  bool is_plain() const override { return true; }

 private:
  std::shared_ptr<const GgufFile> file_;
  std::vector<StoredTensor> tensors_;
};

bool is_rotary_projection(std::string_view stored) {
  const std::size_t dot = stored.rfind('.');
  const std::string_view stem = stored.substr(0, dot);
  return stem.ends_with(".attn_q") || stem.ends_with(".attn_k");
}

std::vector<StoredTensor> rename(const GgufFile& file, const GgufArchitecture& architecture, std::size_t d_head) {
  std::vector<StoredTensor> tensors;
  tensors.reserve(file.tensors().size());
  for (const StoredTensor& stored : file.tensors()) {
    auto name = hub_name(architecture, stored.name);
    if (!name) continue;
    tensors.push_back({std::move(*name), stored.view});
    if (!architecture.interleaved_heads || !is_rotary_projection(stored.name)) continue;
    if (d_head % 2 != 0 || stored.view.n_rows() % d_head != 0) {
      throw Error(ErrorKind::kModel, fmt::format("{}: tensor {} has {} rows; expected a multiple of the even width {} of a head",
                                                 file.where(), quote_text(stored.name), stored.view.n_rows(), d_head));
    }
    tensors.back().view.interleaved_group = d_head;
  }
  return tensors;
}

}  // namespace

std::unique_ptr<WeightSource> rename_tensors(std::shared_ptr<const GgufFile> file, const GgufArchitecture& architecture,
                                             std::size_t d_head) {
  auto tensors = rename(*file, architecture, d_head);
  return std::make_unique<RenamedSource>(std::move(file), std::move(tensors));
}

}  // namespace attnviz

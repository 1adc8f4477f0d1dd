// See first_stream.h.
#include "model/run/first_stream.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/run/bound_ops.h"
#include "ops/embedding.h"

namespace attnviz {
namespace {

// The row of the position table for every token.
std::vector<std::int32_t> position_rows(const EmbeddingSpec& spec, const TokenBatch& batch, std::size_t n_past) {
  std::vector<std::int32_t> rows(batch.n_tokens());
  for (std::size_t sequence = 0; sequence < batch.n_sequences(); ++sequence) {
    auto next = static_cast<std::int32_t>(n_past + spec.position_offset);
    for (std::size_t row = batch.offsets[sequence]; row < batch.offsets[sequence + 1]; ++row) {
      const bool numbered = !spec.unnumbered_id || batch.ids[row] != *spec.unnumbered_id;
      rows[row] = numbered ? next++ : static_cast<std::int32_t>(spec.position_offset) - 1;
    }
  }
  return rows;
}

void add_segments_and_positions(const Embedding& embedding, const TokenBatch& batch, float* rows) {
  const TensorSet& set = embedding.set;
  if (set.has_matrix(TensorRole::kSegmentEmbedding)) {
    embed_rows(set.matrix(TensorRole::kSegmentEmbedding), batch.segments, true, rows);
  }
  if (set.has_matrix(TensorRole::kPositionEmbedding)) {
    const std::vector<std::int32_t> positions = position_rows(embedding.stack.embedding, batch, embedding.n_past);
    embed_rows(set.matrix(TensorRole::kPositionEmbedding), positions, true, rows);
  }
}

}  // namespace

void embed_tokens(const Embedding& embedding, const TokenBatch& batch, float* scratch, float* x) {
  const auto& [pool, stack, set, n_past, any_order] = embedding;
  const std::size_t n_rows = batch.n_tokens();
  const std::size_t d_embedding = stack.embedding.d_embedding;
  const bool projected = set.has_matrix(TensorRole::kEmbeddingProjection);
  const bool project_first = projected && stack.embedding.project_words;
  const auto project_rows = [&](const float* from) {
    project(pool, {&set, TensorRole::kEmbeddingProjection, from, n_rows, d_embedding, x, any_order}, stack.d_model);
  };
  float* rows = projected ? scratch : x;  // [sum T, E]
  embed_rows(set.matrix(TensorRole::kWordEmbedding), batch.ids, false, rows);
  if (const float scale = stack.embedding.scale; scale != 1) {
    std::transform(rows, rows + n_rows * d_embedding, rows, [scale](float value) { return value * scale; });
  }
  if (project_first) project_rows(rows);
  if (project_first) rows = x;  // [sum T, D] from here on
  add_segments_and_positions(embedding, batch, rows);
  if (set.vector(TensorRole::kEmbeddingNorm) != nullptr) {
    const std::size_t width = project_first ? stack.d_model : d_embedding;
    normalise(pool, stack.norm, set, TensorRole::kEmbeddingNorm, {rows, nullptr, n_rows, width, rows});
  }
  if (projected && !project_first) project_rows(rows);
}

}  // namespace attnviz

// Bucketed relative position bias (Raffel et al. 2020, section 2.1; as T5 and MPNet have it): small distances have a bucket each,
// larger ones share logarithmically wider buckets up to max_distance, and everything farther shares the last.
// Tested in tests/unit/model/run/relative_bias_test.cpp against the reference's bucket of every distance.
#pragma once

#include <attnviz/model_config.h>

#include <cstddef>
#include <vector>

namespace attnviz {

// The bucket of key - query. Bidirectional: keys after the query use the upper half of the buckets. Otherwise all of them share
// bucket 0.
std::size_t relative_bucket(const RelativeBiasSpec& spec, std::ptrdiff_t key_minus_query);

// AttentionArgs::distance_bias [H, 2 * n_distance - 1] from the learned table [B, H].
std::vector<float> distance_bias(const RelativeBiasSpec& spec, const float* table, std::size_t n_head, std::size_t n_distance);

}  // namespace attnviz

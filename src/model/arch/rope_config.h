// Rotary positions from config.json, under all the names that files give them: "rope_parameters" (since 2025), "rope_scaling" with
// "rope_theta" beside it (before), and the families' own keys. Tested through every family in tests/parity and in
// tests/unit/model/decoder_config_test.cpp.
#pragma once

#include <attnviz/model_config.h>

#include <optional>
#include <string_view>

#include "formats/weights/config_json.h"

namespace attnviz {

// The values for settings that the file lacks, and the family's names for them.
struct RopeDefaults {
  double theta = 10000;
  double partial = 1;  // rotated share of a head
  std::string_view theta_key = "rope_theta";
  std::string_view partial_key = "partial_rotary_factor";
};

// "rope_scaling" or "rope_parameters", or nothing.
std::optional<ConfigObject> rope_parameters(const ConfigObject& config);

// Throws Error(kModel): a kind of scaling that is not known, with its name; implausible numbers.
RopeSpec read_rope(const ConfigObject& config, std::size_t d_head, const RopeDefaults& defaults = {});

// The same from parameters of one kind of layer.
RopeSpec read_rope_parameters(const ConfigObject& config, const std::optional<ConfigObject>& parameters, std::size_t d_head,
                              const RopeDefaults& defaults);

}  // namespace attnviz

// See rope_config.h.
#include "model/arch/rope_config.h"

#include <attnviz/error.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/rope_scaling.h"

namespace attnviz {
namespace {

[[noreturn]] void fail(const ConfigObject& config, std::string_view key, std::string_view expected, const std::string& found) {
  throw Error(ErrorKind::kModel, fmt::format("{}: {} is not usable; expected {}, found {}", config.where(), key, expected, found));
}

double positive(const ConfigObject& config, std::string_view key, double fallback) {
  const double value = config.number(key, fallback);
  if (!(value > 0) || !std::isfinite(value)) fail(config, key, "a positive number", fmt::format("{}", value));
  return value;
}

// A number that a kind of scaling requires.
double required(const ConfigObject& config, std::string_view key) {
  if (!config.has(key)) fail(config, key, "a positive number", "nothing");
  return positive(config, key, 1);
}

// The context before stretching. Phi-3 keeps it beside the parameters, and it wins there.
double original_context(const ConfigObject& config, const ConfigObject& parameters) {
  constexpr std::string_view kKey = "original_max_position_embeddings";
  if (config.has(kKey)) return positive(config, kKey, 1);
  if (parameters.has(kKey)) return positive(parameters, kKey, 1);
  return required(config, "max_position_embeddings");
}

void read_llama3(const ConfigObject& config, const ConfigObject& parameters, RopeSpec* spec) {
  BandScaling scaling;
  scaling.factor = required(parameters, "factor");
  scaling.low_freq_factor = required(parameters, "low_freq_factor");
  scaling.high_freq_factor = required(parameters, "high_freq_factor");
  scaling.n_original = original_context(config, parameters);
  if (!(scaling.high_freq_factor > scaling.low_freq_factor)) {
    fail(parameters, "high_freq_factor", fmt::format("more than low_freq_factor {}", scaling.low_freq_factor),
         fmt::format("{}", scaling.high_freq_factor));
  }
  scale_bands(scaling, &spec->inverse_frequencies);
}

void read_yarn(const ConfigObject& config, const ConfigObject& parameters, double theta, RopeSpec* spec) {
  YarnScaling scaling;
  scaling.n_original = original_context(config, parameters);
  scaling.factor =
      parameters.has("factor") ? required(parameters, "factor") : required(config, "max_position_embeddings") / scaling.n_original;
  scaling.beta_fast = positive(parameters, "beta_fast", 32);
  scaling.beta_slow = positive(parameters, "beta_slow", 1);
  scaling.truncate = parameters.flag("truncate", true);
  spec->inverse_frequencies = yarn_frequencies(theta, spec->d_rotary, scaling);
  double attention_factor = yarn_attention_factor(scaling.factor);
  const double mscale = parameters.number("mscale", 0);
  const double mscale_all = parameters.number("mscale_all_dim", 0);
  if (mscale != 0 && mscale_all != 0) {
    attention_factor = yarn_attention_factor(scaling.factor, mscale) / yarn_attention_factor(scaling.factor, mscale_all);
  }
  spec->attention_factor = static_cast<float>(positive(parameters, "attention_factor", attention_factor));
}

std::vector<double> read_factors(const ConfigObject& parameters, std::string_view key, std::size_t n) {
  const std::vector<double> factors = parameters.numbers(key);
  if (factors.size() != n) fail(parameters, key, fmt::format("{} numbers", n), fmt::format("{}", factors.size()));
  return factors;
}

void read_long_rope(const ConfigObject& config, const ConfigObject& parameters, double theta, RopeSpec* spec) {
  const double n_original = original_context(config, parameters);
  const double factor =
      parameters.has("factor") ? required(parameters, "factor") : required(config, "max_position_embeddings") / n_original;
  const std::size_t n_pair = spec->d_rotary / 2;
  spec->inverse_frequencies = long_rope_frequencies(theta, spec->d_rotary, read_factors(parameters, "short_factor", n_pair));
  spec->long_frequencies = long_rope_frequencies(theta, spec->d_rotary, read_factors(parameters, "long_factor", n_pair));
  spec->n_short = static_cast<std::size_t>(std::min(n_original, 1e15));
  const double attention_factor = factor <= 1 ? 1.0 : std::sqrt(1 + std::log(factor) / std::log(n_original));
  spec->attention_factor = static_cast<float>(positive(parameters, "attention_factor", attention_factor));
}

}  // namespace

std::optional<ConfigObject> rope_parameters(const ConfigObject& config) {
  if (auto scaling = config.object("rope_scaling")) return scaling;
  return config.object("rope_parameters");
}

RopeSpec read_rope_parameters(const ConfigObject& config, const std::optional<ConfigObject>& parameters, std::size_t d_head,
                              const RopeDefaults& defaults) {
  const auto value = [&](std::string_view key, std::string_view own_key, double fallback) {
    return parameters && parameters->has(key) ? positive(*parameters, key, fallback) : positive(config, own_key, fallback);
  };
  const double theta = value("rope_theta", defaults.theta_key, defaults.theta);
  const double partial = value("partial_rotary_factor", defaults.partial_key, defaults.partial);
  if (partial > 1) fail(config, defaults.partial_key, "at most 1", fmt::format("{}", partial));
  RopeSpec spec;
  spec.d_rotary = static_cast<std::size_t>(static_cast<double>(d_head) * partial);
  if (spec.d_rotary < 2 || spec.d_rotary % 2 != 0) {
    fail(config, "the rotated width of a head", "an even number", fmt::format("{}", spec.d_rotary));
  }
  spec.inverse_frequencies = rope_frequencies(theta, spec.d_rotary);
  if (!parameters) return spec;
  const std::string type = parameters->text("rope_type", parameters->text("type", "default"));
  // "dynamic" changes nothing up to the model's own limit, which longer texts do not pass.
  if (type == "default" || type == "dynamic") return spec;
  if (type == "linear") {
    const auto factor = static_cast<float>(required(*parameters, "factor"));
    for (float& frequency : spec.inverse_frequencies) frequency /= factor;
  } else if (type == "llama3") {
    read_llama3(config, *parameters, &spec);
  } else if (type == "longrope" || (parameters->has("short_factor") && (type == "su" || type == "yarn"))) {
    read_long_rope(config, *parameters, theta, &spec);
  } else if (type == "yarn") {
    read_yarn(config, *parameters, theta, &spec);
  } else {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: rope_type '{}' is not supported; expected one of default, linear, dynamic, llama3, yarn, longrope",
                            parameters->where(), type));
  }
  return spec;
}

RopeSpec read_rope(const ConfigObject& config, std::size_t d_head, const RopeDefaults& defaults) {
  return read_rope_parameters(config, rope_parameters(config), d_head, defaults);
}

}  // namespace attnviz

// Builds a small precompiled character map as SentencePiece's trainer does, for tests: a Darts double array and its replacements.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace attnviz {

class CharsMapBuilder {
 public:
  static std::string build(const std::map<std::string, std::string>& rules) {
    CharsMapBuilder builder;
    std::map<std::string, std::uint32_t> values;
    for (const auto& [key, replacement] : rules) {
      values[key] = static_cast<std::uint32_t>(builder.replacements_.size());
      builder.replacements_ += replacement + '\0';
    }
    builder.place(0, "", values);
    const auto size = static_cast<std::uint32_t>(builder.units_.size() * sizeof(std::uint32_t));
    std::string bytes(sizeof size + size, '\0');
    std::memcpy(bytes.data(), &size, sizeof size);
    std::memcpy(bytes.data() + sizeof size, builder.units_.data(), size);
    return bytes + builder.replacements_;
  }

 private:
  // Puts the children of `node`, which stands for `prefix`, where all of them are free.
  void place(std::uint32_t node, const std::string& prefix, const std::map<std::string, std::uint32_t>& values) {
    std::map<std::uint8_t, bool> labels;
    for (const auto& [key, value] : values) {
      if (!key.starts_with(prefix)) continue;
      labels[key.size() == prefix.size() ? 0 : static_cast<std::uint8_t>(key[prefix.size()])] = true;
    }
    std::uint32_t base = 1;
    while (!fits(base, labels)) ++base;
    units_[node] |= (node ^ base) << 10;
    for (const auto& [label, unused] : labels) {
      units_[base ^ label] = label;
      taken_[base ^ label] = true;
    }
    for (const auto& [label, unused] : labels) {
      if (label == 0) {
        units_[base] = values.at(prefix) | 0x80000000;
        units_[node] |= 0x100;
      } else {
        place(base ^ label, prefix + static_cast<char>(label), values);
      }
    }
  }

  bool fits(std::uint32_t base, const std::map<std::uint8_t, bool>& labels) {
    if (units_.size() < base + 256) units_.resize(base + 256), taken_.resize(base + 256);
    for (const auto& [label, unused] : labels) {
      const std::uint32_t slot = base ^ label;
      if (slot >= units_.size()) units_.resize(slot + 1), taken_.resize(slot + 1);
      if (slot == 0 || taken_[slot]) return false;
    }
    return true;
  }

  std::vector<std::uint32_t> units_ = std::vector<std::uint32_t>(256);
  std::vector<bool> taken_ = std::vector<bool>(256);
  std::string replacements_;
};

}  // namespace attnviz

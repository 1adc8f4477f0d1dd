// Typed access to a JSON object of settings (config.json), with messages that name file, key, what was expected and what was found.
// NaN and Infinity, which Python writes and JSON does not allow, are refused only where a number is read from them.
// Tested in tests/unit/formats/weights/config_json_test.cpp, fuzzed by tests/fuzz/config_fuzz.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

class ConfigObject {
 public:
  static ConfigObject read(const std::filesystem::path& file);                 // throws Error(kModel)
  static ConfigObject parse(std::string_view text, const std::string& where);  // throws Error(kModel)

  const std::string& where() const { return where_; }  // the file; an object inside has the path too: "config.json: rope_scaling"
  bool has(std::string_view key) const;                // present and not null

  // The value, or `fallback` / none if the key is absent or null. A value of another type is an error.
  std::size_t size(std::string_view key) const;  // required
  std::size_t size(std::string_view key, std::size_t fallback) const;
  double number(std::string_view key, double fallback) const;
  bool flag(std::string_view key, bool fallback) const;
  std::string text(std::string_view key) const;  // required
  std::string text(std::string_view key, std::string_view fallback) const;
  bool is_text(std::string_view key) const;                           // for settings that are a text or something else
  std::vector<std::string> texts(std::string_view key) const;         // [] where absent
  std::vector<std::size_t> sizes(std::string_view key) const;         // [] where absent
  std::vector<double> numbers(std::string_view key) const;            // [] where absent
  std::vector<double> number_or_numbers(std::string_view key) const;  // one, or an array of them; [] where absent

  // Objects inside: their messages name the whole path ("config.json: rope_scaling.factor: ...").
  std::optional<ConfigObject> object(std::string_view key) const;
  std::vector<ConfigObject> objects(std::string_view key) const;  // [] where absent

  std::vector<std::string> keys() const;  // sorted

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
  std::string where_;
};

}  // namespace attnviz

// Errors that are about a setting, or that suggest changing one.
//
// The library does not know how its user spells a setting: the command line writes "--width", another program may call the same
// setting by a field's name. So the message is a list of parts, and each setting in it stays a value until someone prints it.
// Tested in tests/unit/base/setting_error_test.cpp; the command line's spelling is in src/cli/options/setting_options.h.
#pragma once

#include <attnviz/error.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attnviz {

enum class Setting : std::uint8_t {
  // What is computed and shown.
  kLayer,
  kHead,
  kRows,
  kColumns,
  kFocus,
  kPool,
  kReduce,
  kTruncate,
  kHideSpecial,
  // The picture.
  kView,
  kRow,
  kHighlight,
  kColourMap,
  kScale,
  kVmax,
  kValues,
  kDpi,
  kWidth,
  kSize,
  kFont,
  kExact,
  // Existing maps.
  kLine,
  kArray,
  kTokens,
  kKeyTokens,
  kForce,
  // Downloads.
  kFile,
};

inline constexpr std::size_t kSettingCount = static_cast<std::size_t>(Setting::kFile) + 1;

// "colour map", "rows": what the library's own messages call a setting.
std::string_view setting_name(Setting setting);

class SettingError : public Error {
 public:
  using Part = std::variant<std::string, Setting>;

  // what() joins the parts and names settings by setting_name.
  SettingError(ErrorKind kind, std::vector<Part> parts);

  const std::vector<Part>& parts() const { return parts_; }

  // The message with settings as `name` spells them.
  std::string spelled(std::string_view (*name)(Setting)) const;

 private:
  std::vector<Part> parts_;
};

}  // namespace attnviz

// See regex_syntax.h. A list of what is known to be equal, so that anything new is refused rather than read wrongly.
#include "text/split/regex_syntax.h"

#include <algorithm>
#include <array>

namespace attnviz {
namespace {

constexpr std::array<std::string_view, 36> kCategories = {"L",  "Lu", "Ll", "Lt", "Lm", "Lo", "M",  "Mn", "Mc", "Me", "N",  "Nd",
                                                          "Nl", "No", "P",  "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S",  "Sm",
                                                          "Sc", "Sk", "So", "Z",  "Zs", "Zl", "Zp", "C",  "Cc", "Cf", "Co", "Cs"};
constexpr std::array<std::string_view, 8> kGroups = {"(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i)"};

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

class Scanner {
 public:
  explicit Scanner(std::string_view pattern) : pattern_(pattern) {}

  std::optional<std::string> run() {
    while (position_ < pattern_.size()) {
      if (!step()) return std::string(pattern_.substr(start_, std::max<std::size_t>(position_ - start_, 1) + 3));
    }
    return std::nullopt;
  }

 private:
  std::string_view rest() const { return pattern_.substr(position_); }

  bool step() {
    start_ = position_;
    const char c = pattern_[position_++];
    if (c == '\\') return escape();
    if (in_class_) {
      if (c == '[' || (c == '&' && rest().starts_with('&'))) return false;
      if (c == ']') in_class_ = false;
      return true;
    }
    if (c == '[') return open_class();
    if (c == '(') return group();
    // "{n,m}+" repeats in Ruby and is possessive in Perl.
    return c != '}' || !rest().starts_with('+');
  }

  bool open_class() {
    in_class_ = true;
    if (rest().starts_with('^')) ++position_;
    return !rest().starts_with(']');  // a literal there, or an empty class
  }

  bool group() {
    if (!rest().starts_with('?')) return !rest().starts_with('*');
    const std::string_view here = pattern_.substr(start_);
    for (const std::string_view known : kGroups) {
      if (here.starts_with(known)) return true;
    }
    return false;
  }

  bool escape() {
    if (position_ == pattern_.size()) return false;
    const char c = pattern_[position_++];
    if (c == 'p' || c == 'P') return category();
    return !is_alphanumeric(c) || std::string_view("sSdDrntf").find(c) != std::string_view::npos;
  }

  bool category() {
    if (!rest().starts_with('{')) return false;
    const std::size_t close = rest().find('}');
    if (close == std::string_view::npos) return false;
    const std::string_view name = rest().substr(1, close - 1);
    position_ += close + 1;
    return std::find(kCategories.begin(), kCategories.end(), name) != kCategories.end();
  }

  std::string_view pattern_;
  std::size_t position_ = 0;
  std::size_t start_ = 0;  // of the part that is looked at
  bool in_class_ = false;
};

}  // namespace

std::optional<std::string> ambiguous_part(std::string_view pattern) { return Scanner(pattern).run(); }

}  // namespace attnviz

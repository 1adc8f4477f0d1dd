// See regex.h. The 32-bit library matches code points directly, so that its offsets are places in an AlignedText.
#define PCRE2_CODE_UNIT_WIDTH 32
#include "text/split/regex.h"

#include <attnviz/error.h>

#include <array>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <pcre2.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "text/split/regex_syntax.h"
#include "text/unicode/unicode.h"

namespace attnviz {
namespace {

// Far more than any pattern of a tokenizer needs for one match; a hostile one gives up in about a second.
constexpr std::uint32_t kMatchLimit = 5'000'000;
constexpr std::uint32_t kHeapLimit = 32 * 1024;  // KiB

std::vector<PCRE2_UCHAR32> code_units(std::string_view text) {
  std::vector<PCRE2_UCHAR32> units;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Char c = decode_utf8(text, i);
    if (c.length == 0) break;
    units.push_back(c.code_point);
    i += c.length;
  }
  return units;
}

std::string library_message(int code) {
  std::array<PCRE2_UCHAR32, 200> buffer{};
  std::string message;
  if (pcre2_get_error_message(code, buffer.data(), buffer.size()) == PCRE2_ERROR_BADDATA) return "unknown";
  for (const PCRE2_UCHAR32 c : buffer) {
    if (c == 0) break;
    append_utf8(&message, c);
  }
  return message;
}

}  // namespace

struct Regex::State {
  std::string where;
  pcre2_code* code = nullptr;
  pcre2_match_context* context = nullptr;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    pcre2_match_context_free(context);
    pcre2_code_free(code);
  }
};

Regex::Regex(std::string_view pattern, const std::string& where) : state_(std::make_unique<State>()) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorKind::kModel, fmt::format("{}: the pattern {} {}; use another model", where, quote_text(pattern), what));
  };
  if (const auto part = ambiguous_part(pattern)) fail(fmt::format("is not supported at {}", quote_text(*part)));
  const std::vector<PCRE2_UCHAR32> units = code_units(pattern);
  int error = 0;
  PCRE2_SIZE offset = 0;
  state_->where = where;
  state_->code = pcre2_compile(units.data(), units.size(), PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, &error, &offset, nullptr);
  if (state_->code == nullptr) fail(fmt::format("is broken at character {} ({})", offset, library_message(error)));
  pcre2_jit_compile(state_->code, PCRE2_JIT_COMPLETE);  // where it cannot, matching works without
  state_->context = pcre2_match_context_create(nullptr);
  if (state_->context == nullptr) throw std::bad_alloc();
  pcre2_set_match_limit(state_->context, kMatchLimit);
  pcre2_set_heap_limit(state_->context, kHeapLimit);
}

Regex::~Regex() = default;
Regex::Regex(Regex&& other) noexcept = default;
Regex& Regex::operator=(Regex&& other) noexcept = default;

std::vector<CharRange> Regex::find_all(AlignedView text) const {
  std::vector<PCRE2_UCHAR32> subject;
  subject.reserve(text.size());
  for (const AlignedChar& c : text) subject.push_back(regex_stand_in(c.code_point));
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
      pcre2_match_data_create_from_pattern(state_->code, nullptr), &pcre2_match_data_free);
  if (match == nullptr) throw std::bad_alloc();
  std::vector<CharRange> matches;
  for (std::size_t from = 0; from <= subject.size();) {
    const auto search = [&](std::uint32_t options) {
      return pcre2_match(state_->code, subject.data(), subject.size(), from, PCRE2_NO_UTF_CHECK | options, match.get(),
                         state_->context);
    };
    int found = search(0);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = search(PCRE2_NO_JIT);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0) {
      throw Error(ErrorKind::kInput, fmt::format("{}: a pattern gave up on this text ({}); try a shorter text", state_->where,
                                                 library_message(found)));
    }
    const PCRE2_SIZE* place = pcre2_get_ovector_pointer(match.get());
    const bool empty_again = place[0] == place[1] && !matches.empty() && matches.back().end == place[1];
    if (empty_again) {
      ++from;
      continue;
    }
    matches.push_back({place[0], place[1]});
    from = place[1];
  }
  return matches;
}

}  // namespace attnviz

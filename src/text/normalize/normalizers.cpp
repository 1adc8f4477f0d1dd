// See normalizers.h.
#include "text/normalize/normalizers.h"

#include <algorithm>
#include <utility>

#include "text/split/pattern.h"
#include "text/unicode/unicode.h"

namespace attnviz {
namespace {

using Form = UnicodeFormSpec::Form;

// Orders the marks after a character by their classes.
void reorder_canonically(AlignedText* text) {
  const auto starter = [](const AlignedChar& c) { return canonical_combining_class(c.code_point) == 0; };
  for (auto run = text->begin(); run != text->end();) {
    run = std::find_if_not(run, text->end(), starter);
    const auto end = std::find_if(run, text->end(), starter);
    std::stable_sort(run, end, [](const AlignedChar& a, const AlignedChar& b) {
      return canonical_combining_class(a.code_point) < canonical_combining_class(b.code_point);
    });
    run = end;
  }
}

AlignedText decompose(const AlignedText& text, bool compatibly) {
  AlignedText out;
  out.reserve(text.size() + text.size() / 2);
  for (const AlignedChar& c : text) {
    const CodePoints parts = compatibly ? decompose_compatibly(c.code_point) : decompose_canonically(c.code_point);
    for (const char32_t part : parts.span()) out.push_back({part, c.begin, c.end});
  }
  reorder_canonically(&out);
  return out;
}

// The composition algorithm of the Unicode Standard, section 3.11: a mark joins the last starter unless another character of the
// same or a higher class, or a starter, is between them.
AlignedText compose_all(const AlignedText& text) {
  AlignedText out;
  out.reserve(text.size());
  std::size_t starter = 0;  // index in `out`; valid when has_starter
  bool has_starter = false;
  int last_class = 0;
  for (const AlignedChar& c : text) {
    const int combining_class = canonical_combining_class(c.code_point);
    const bool adjacent = has_starter && out.size() == starter + 1;
    if (has_starter && (adjacent || last_class < combining_class)) {
      if (const char32_t composed = compose(out[starter].code_point, c.code_point)) {
        AlignedChar& joined = out[starter];
        joined = {composed, std::min(joined.begin, c.begin), std::max(joined.end, c.end)};
        continue;
      }
    }
    if (combining_class == 0) {
      starter = out.size();
      has_starter = true;
    }
    last_class = combining_class;
    out.push_back(c);
  }
  return out;
}

// Marks that changed places would make places run backwards, and a merged character's place may cover its neighbours': each begins
// no earlier than the one before it.
void make_places_monotonic(AlignedText* text) {
  std::uint32_t begin = 0, end = 0;
  for (AlignedChar& c : *text) {
    c.begin = begin = std::max(begin, c.begin);
    c.end = end = std::max(end, c.end);
  }
}

class UnicodeForm final : public Normalizer {
 public:
  explicit UnicodeForm(Form form) : form_(form) {}
  AlignedText normalize(AlignedText text) const override { return normalize_form(form_, std::move(text)); }

 private:
  Form form_;
};

class Lowercase final : public Normalizer {
 public:
  AlignedText normalize(AlignedText text) const override {
    AlignedText out;
    out.reserve(text.size());
    for (const AlignedChar& c : text) {
      const CodePoints lowered = lower_case(c.code_point);
      for (const char32_t part : lowered.span()) out.push_back({part, c.begin, c.end});
    }
    return out;
  }
};

class StripAccents final : public Normalizer {
 public:
  AlignedText normalize(AlignedText text) const override {
    std::erase_if(text, [](const AlignedChar& c) { return is_any_mark(c.code_point); });
    return text;
  }
};

class Strip final : public Normalizer {
 public:
  explicit Strip(const StripSpec& spec) : spec_(spec) {}

  AlignedText normalize(AlignedText text) const override {
    const auto kept = [](const AlignedChar& c) { return !is_white_space(c.code_point); };
    if (spec_.right) text.erase(std::find_if(text.rbegin(), text.rend(), kept).base(), text.end());
    if (spec_.left) text.erase(text.begin(), std::find_if(text.begin(), text.end(), kept));
    return text;
  }

 private:
  StripSpec spec_;
};

class Replace final : public Normalizer {
 public:
  Replace(const ReplaceSpec& spec, const std::string& where)
      : pattern_(spec.pattern, where), content_(code_points(align_text(spec.content))) {}

  AlignedText normalize(AlignedText text) const override {
    AlignedText out;
    out.reserve(text.size());
    for (const Stretch& stretch : cover(pattern_.find_all(text), text.size())) {
      const auto begin = text.begin() + static_cast<std::ptrdiff_t>(stretch.range.begin);
      const auto end = text.begin() + static_cast<std::ptrdiff_t>(stretch.range.end);
      if (!stretch.match) {
        out.insert(out.end(), begin, end);
        continue;
      }
      AlignedChar place{0, 0, 0};
      if (begin != end) {
        place = {0, begin->begin, (end - 1)->end};
      } else if (!text.empty()) {
        place.begin = place.end = begin == text.end() ? text.back().end : begin->begin;
      }
      for (const char32_t c : content_) out.push_back({c, place.begin, place.end});
    }
    return out;
  }

 private:
  Pattern pattern_;
  std::u32string content_;
};

class Prepend final : public Normalizer {
 public:
  explicit Prepend(const PrependSpec& spec) : content_(code_points(align_text(spec.text))) {}

  AlignedText normalize(AlignedText text) const override {
    if (text.empty()) return text;
    const std::uint32_t place = text.front().begin;
    AlignedText out;
    for (const char32_t c : content_) out.push_back({c, place, place});
    out.insert(out.end(), text.begin(), text.end());
    return out;
  }

 private:
  std::u32string content_;
};

}  // namespace

AlignedText normalize_form(Form form, AlignedText text) {
  if (std::all_of(text.begin(), text.end(), [](const AlignedChar& c) { return c.code_point < 0x80; })) return text;
  const bool compatibly = form == Form::kNfkc || form == Form::kNfkd;
  AlignedText out = decompose(text, compatibly);
  if (form == Form::kNfc || form == Form::kNfkc) out = compose_all(out);
  make_places_monotonic(&out);
  return out;
}

std::unique_ptr<Normalizer> make_unicode_form(const UnicodeFormSpec& spec) { return std::make_unique<UnicodeForm>(spec.form); }

std::unique_ptr<Normalizer> make_lowercase() { return std::make_unique<Lowercase>(); }

std::unique_ptr<Normalizer> make_strip_accents() { return std::make_unique<StripAccents>(); }

std::unique_ptr<Normalizer> make_strip(const StripSpec& spec) { return std::make_unique<Strip>(spec); }

std::unique_ptr<Normalizer> make_replace(const ReplaceSpec& spec, const std::string& where) {
  return std::make_unique<Replace>(spec, where);
}

std::unique_ptr<Normalizer> make_prepend(const PrependSpec& spec) { return std::make_unique<Prepend>(spec); }

}  // namespace attnviz

// See spec_bytes.h.
#include "text/spec_bytes.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace attnviz {
namespace {

template <typename T, typename Spec>
concept Is = std::same_as<std::remove_const_t<T>, Spec>;

// --- What each part of a spec is made of ---

void fields(auto& io, Is<PatternSpec> auto& s) { io(s.text, s.regex); }

void fields(auto& io, Is<BertNormalizerSpec> auto& s) { io(s.clean_text, s.handle_chinese_chars, s.strip_accents, s.lowercase); }
void fields(auto& io, Is<UnicodeFormSpec> auto& s) { io.choice(s.form, UnicodeFormSpec::Form::kNfkd); }
void fields(auto&, Is<LowercaseSpec> auto&) {}
void fields(auto&, Is<StripAccentsSpec> auto&) {}
void fields(auto& io, Is<StripSpec> auto& s) { io(s.left, s.right); }
void fields(auto& io, Is<ReplaceSpec> auto& s) { io(s.pattern, s.content); }
void fields(auto& io, Is<PrependSpec> auto& s) { io(s.text); }
void fields(auto& io, Is<PrecompiledSpec> auto& s) { io(s.charsmap); }

void fields(auto&, Is<BertPreTokenizerSpec> auto&) {}
void fields(auto& io, Is<ByteLevelSpec> auto& s) { io(s.add_prefix_space, s.use_regex); }
void fields(auto& io, Is<SplitSpec> auto& s) {
  io(s.pattern, s.invert);
  io.choice(s.behavior, SplitBehavior::kContiguous);
}
void fields(auto& io, Is<DigitsSpec> auto& s) { io(s.individual); }
void fields(auto& io, Is<MetaspaceSpec> auto& s) {
  io(s.replacement, s.split);
  io.choice(s.prepend, MetaspaceSpec::Prepend::kNever);
}
void fields(auto&, Is<WhitespaceSpec> auto&) {}
void fields(auto&, Is<WhitespaceSplitSpec> auto&) {}
void fields(auto& io, Is<PunctuationSpec> auto& s) { io.choice(s.behavior, SplitBehavior::kContiguous); }

// Models without their vocabulary.
void fields(auto& io, Is<WordPieceSpec> auto& s) { io(s.unknown, s.continuing_prefix, s.max_characters_per_word); }
void fields(auto& io, Is<BpeSpec> auto& s) {
  io(s.unknown, s.fuse_unknown, s.byte_fallback, s.ignore_merges, s.continuing_prefix, s.end_of_word_suffix);
}
void fields(auto& io, Is<UnigramSpec> auto& s) { io(s.unknown_id, s.byte_fallback); }
void fields(auto& io, Is<SpmSpec> auto& s) { io(s.drop_unknown); }

void fields(auto& io, Is<AddedTokenSpec> auto& s) {
  io(s.id, s.content, s.special, s.single_word, s.lstrip, s.rstrip, s.normalized);
}
void fields(auto& io, Is<TemplatePiece> auto& s) {
  io.choice(s.what, TemplatePiece::What::kSecond);
  io(s.token, s.id, s.segment);
}
void fields(auto& io, Is<TokenizerSpec> auto& s) {
  io(s.normalizers, s.pre_tokenizers, s.model, s.added_tokens, s.single, s.pair, s.trim_offsets);
}

// --- Writing ---

class Writer {
 public:
  explicit Writer(FlatWriter* out) : out_(*out) {}

  template <typename... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  template <typename Enum>
  void choice(const Enum& value, Enum) {
    out_.number(static_cast<std::uint8_t>(value));
  }

 private:
  void put(bool value) { out_.number<std::uint8_t>(value ? 1 : 0); }
  void put(std::int32_t value) { out_.number(value); }
  void put(std::size_t value) { out_.number<std::uint64_t>(value); }
  void put(const std::string& value) { out_.text(value); }
  template <typename T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  template <typename... Kinds>
  void put(const std::variant<Kinds...>& value) {
    out_.number(static_cast<std::uint8_t>(value.index()));
    std::visit([this](const auto& kind) { put(kind); }, value);
  }
  template <typename Spec>
  void put(const Spec& spec) {
    fields(*this, spec);
  }

  FlatWriter& out_;
};

// --- Reading ---

class Reader {
 public:
  explicit Reader(FlatReader* in) : in_(*in) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  template <typename Enum>
  void choice(Enum& value, Enum last) {
    value = static_cast<Enum>(number_up_to(static_cast<std::size_t>(last)));
  }

 private:
  std::uint8_t number_up_to(std::size_t last) {
    const auto number = in_.number<std::uint8_t>();
    if (number > last) in_.fail("a setting has a value that there is not");
    return number;
  }

  void get(bool& value) { value = number_up_to(1) != 0; }
  void get(std::int32_t& value) { value = in_.number<std::int32_t>(); }
  void get(std::size_t& value) { value = in_.number<std::uint64_t>(); }
  void get(std::string& value) { value = in_.text(); }
  template <typename T>
  void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    if (there) get(value.emplace());
  }
  template <typename T>
  void get(std::vector<T>& values) {
    for (std::size_t n = in_.count(1); n > 0; --n) get(values.emplace_back());
  }
  template <typename... Kinds>
  void get(std::variant<Kinds...>& value) {
    const std::size_t index = number_up_to(sizeof...(Kinds) - 1);
    std::size_t i = 0;
    ((i++ == index ? get(value.template emplace<Kinds>()) : void()), ...);
  }
  template <typename Spec>
  void get(Spec& spec) {
    fields(*this, spec);
  }

  FlatReader& in_;
};

}  // namespace

void write_settings(const TokenizerSpec& spec, FlatWriter* out) {
  Writer writer(out);
  writer(spec);
}

TokenizerSpec read_settings(FlatReader* in) {
  TokenizerSpec spec;
  Reader reader(in);
  reader(spec);
  return spec;
}

}  // namespace attnviz

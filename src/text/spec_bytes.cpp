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

// --- The fields of each part of a spec. Each names all of its members, so that a new one does not compile until it is here. ---

void fields(auto& io, Is<PatternSpec> auto& spec) {
  auto& [text, regex] = spec;
  io(text, regex);
}

void fields(auto& io, Is<BertNormalizerSpec> auto& spec) {
  auto& [clean_text, handle_chinese_chars, strip_accents, lowercase] = spec;
  io(clean_text, handle_chinese_chars, strip_accents, lowercase);
}
void fields(auto& io, Is<UnicodeFormSpec> auto& spec) {
  auto& [form] = spec;
  io.choice(form, UnicodeFormSpec::Form::kNfkd);
}
void fields(auto&, Is<LowercaseSpec> auto&) {}
void fields(auto&, Is<StripAccentsSpec> auto&) {}
void fields(auto& io, Is<StripSpec> auto& spec) {
  auto& [left, right] = spec;
  io(left, right);
}
void fields(auto& io, Is<ReplaceSpec> auto& spec) {
  auto& [pattern, content] = spec;
  io(pattern, content);
}
void fields(auto& io, Is<PrependSpec> auto& spec) {
  auto& [text] = spec;
  io(text);
}
void fields(auto& io, Is<PrecompiledSpec> auto& spec) {
  auto& [charsmap] = spec;
  io(charsmap);
}

void fields(auto&, Is<BertPreTokenizerSpec> auto&) {}
void fields(auto& io, Is<ByteLevelSpec> auto& spec) {
  auto& [add_prefix_space, use_regex] = spec;
  io(add_prefix_space, use_regex);
}
void fields(auto& io, Is<SplitSpec> auto& spec) {
  auto& [pattern, behavior, invert] = spec;
  io(pattern, invert);
  io.choice(behavior, SplitBehavior::kContiguous);
}
void fields(auto& io, Is<DigitsSpec> auto& spec) {
  auto& [individual] = spec;
  io(individual);
}
void fields(auto& io, Is<MetaspaceSpec> auto& spec) {
  auto& [replacement, prepend, split] = spec;
  io(replacement, split);
  io.choice(prepend, MetaspaceSpec::Prepend::kNever);
}
void fields(auto&, Is<WhitespaceSpec> auto&) {}
void fields(auto&, Is<WhitespaceSplitSpec> auto&) {}
void fields(auto& io, Is<PunctuationSpec> auto& spec) {
  auto& [behavior] = spec;
  io.choice(behavior, SplitBehavior::kContiguous);
}

// Models, without their vocabulary, which is frozen separately.
void fields(auto& io, Is<WordPieceSpec> auto& spec) {
  auto& [vocab, unknown, continuing_prefix, max_characters_per_word] = spec;
  io(unknown, continuing_prefix, max_characters_per_word);
}
void fields(auto& io, Is<BpeSpec> auto& spec) {
  auto& [vocab, merges, unknown, fuse_unknown, byte_fallback, ignore_merges, continuing_prefix, end_of_word_suffix] = spec;
  io(unknown, fuse_unknown, byte_fallback, ignore_merges, continuing_prefix, end_of_word_suffix);
}
void fields(auto& io, Is<UnigramSpec> auto& spec) {
  auto& [pieces, unknown_id, byte_fallback] = spec;
  io(unknown_id, byte_fallback);
}
void fields(auto& io, Is<SpmSpec> auto& spec) {
  auto& [pieces, drop_unknown] = spec;
  io(drop_unknown);
}

void fields(auto& io, Is<AddedTokenSpec> auto& spec) {
  auto& [id, content, special, single_word, lstrip, rstrip, normalized] = spec;
  io(id, content, special, single_word, lstrip, rstrip, normalized);
}
void fields(auto& io, Is<TemplatePiece> auto& spec) {
  auto& [what, token, id, segment] = spec;
  io.choice(what, TemplatePiece::What::kSecond);
  io(token, id, segment);
}
void fields(auto& io, Is<TokenizerSpec> auto& spec) {
  auto& [where, normalizers, pre_tokenizers, model, added_tokens, single, pair, trim_offsets] = spec;
  io(normalizers, pre_tokenizers, model, added_tokens, single, pair, trim_offsets);
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
    if (number > last) in_.fail("a setting has an unknown value");
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

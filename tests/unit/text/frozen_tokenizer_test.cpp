// frozen_tokenizer.h and spec_bytes.h: that no setting is lost on the way, and that broken blocks are refused.
#include "text/frozen_tokenizer.h"

#include <attnviz/error.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "text/spec_bytes.h"

namespace attnviz {
namespace {

using What = TemplatePiece::What;

std::string settings_of(const TokenizerSpec& spec) {
  FlatWriter out;
  write_settings(spec, &out);
  return out.take();
}

TokenizerSpec read_back(const std::string& bytes) {
  const FlatBytes block = FlatBytes::of(bytes);
  FlatReader reader(block.bytes, "test");
  TokenizerSpec spec = read_settings(&reader);
  EXPECT_EQ(reader.remaining(), 0U);
  return spec;
}

// Every kind of stage there is, with what is not its default.
TokenizerSpec everything(PieceModelSpec model) {
  TokenizerSpec spec;
  ReplaceSpec replace;
  replace.pattern = {"a", true};
  replace.content = "b";
  spec.normalizers = {BertNormalizerSpec{false, false, true, false},
                      UnicodeFormSpec{UnicodeFormSpec::Form::kNfkd},
                      LowercaseSpec{},
                      StripAccentsSpec{},
                      StripSpec{false, false},
                      replace,
                      PrependSpec{"c"},
                      PrecompiledSpec{std::string("\0d", 2)}};
  spec.pre_tokenizers = {BertPreTokenizerSpec{},
                         ByteLevelSpec{false, false},
                         SplitSpec{{"e", true}, SplitBehavior::kContiguous, true},
                         DigitsSpec{true},
                         MetaspaceSpec{"f", MetaspaceSpec::Prepend::kNever, false},
                         WhitespaceSpec{},
                         WhitespaceSplitSpec{},
                         PunctuationSpec{SplitBehavior::kMergedWithNext}};
  spec.model = std::move(model);
  spec.added_tokens = {{1, "g", true, true, true, true, true}, {2, "h"}};
  spec.single = {{What::kSpecial, "i", 3, 1}, {What::kFirst, "", 0, 2}};
  spec.pair = {{What::kFirst, "", 0, 0}, {What::kSecond, "", 0, 1}};
  spec.trim_offsets = true;
  return spec;
}

const std::vector<PieceModelSpec> kModels = {WordPieceSpec{{}, "u", "@@", 7}, BpeSpec{{}, {}, "u", true, true, true, "p", "s"},
                                             UnigramSpec{{}, 4, true}, SpmSpec{{}, true}};

TEST(SpecBytes, EveryKindOfStageComesBack) {
  for (const PieceModelSpec& model : kModels) {
    const TokenizerSpec spec = everything(model);
    const std::string bytes = settings_of(spec);
    const TokenizerSpec found = read_back(bytes);
    EXPECT_EQ(settings_of(found), bytes);
    ASSERT_EQ(found.normalizers.size(), std::variant_size_v<NormalizerSpec>) << "one of each";
    ASSERT_EQ(found.pre_tokenizers.size(), std::variant_size_v<PreTokenizerSpec>) << "one of each";
    for (std::size_t i = 0; i < found.normalizers.size(); ++i) EXPECT_EQ(found.normalizers[i].index(), i);
    for (std::size_t i = 0; i < found.pre_tokenizers.size(); ++i) EXPECT_EQ(found.pre_tokenizers[i].index(), i);
    EXPECT_EQ(found.model.index(), model.index());
    const auto& split = std::get<SplitSpec>(found.pre_tokenizers[2]);
    EXPECT_EQ(split.pattern.text, "e");
    EXPECT_TRUE(split.pattern.regex && split.invert);
    EXPECT_EQ(split.behavior, SplitBehavior::kContiguous);
    EXPECT_EQ(std::get<PrecompiledSpec>(found.normalizers[7]).charsmap, std::string("\0d", 2));
    EXPECT_EQ(std::get<BertNormalizerSpec>(found.normalizers[0]).strip_accents, true);
    EXPECT_EQ(found.added_tokens[1].content, "h");
    EXPECT_FALSE(found.added_tokens[1].special);
    EXPECT_EQ(found.single[1].segment, 2);
  }
}

// A setting that made no difference to the bytes would be lost.
TEST(SpecBytes, EverySettingMakesADifference) {
  using Change = std::function<void(TokenizerSpec*)>;
  const auto normalizer = [](auto change) {
    return Change([=](TokenizerSpec* s) {
      for (NormalizerSpec& stage : s->normalizers) std::visit([&](auto& kind) { change(kind); }, stage);
    });
  };
  const auto flip = [](bool& flag) { flag = !flag; };
  const std::vector<Change> changes = {
      normalizer([&](auto& s) {
        if constexpr (requires { s.clean_text; }) flip(s.clean_text);
      }),
      normalizer([&](auto& s) {
        if constexpr (requires { s.handle_chinese_chars; }) flip(s.handle_chinese_chars);
      }),
      normalizer([&](auto& s) {
        if constexpr (requires { s.strip_accents; }) s.strip_accents.reset();
      }),
      normalizer([&](auto& s) {
        if constexpr (requires { s.strip_accents; }) s.strip_accents = false;
      }),
      normalizer([&](auto& s) {
        if constexpr (requires { s.lowercase; }) flip(s.lowercase);
      }),
      normalizer([&](auto& s) {
        if constexpr (requires { s.left; }) flip(s.left);
      }),
      normalizer([&](auto& s) {
        if constexpr (requires { s.right; }) flip(s.right);
      }),
      normalizer([&](auto& s) {
        if constexpr (requires { s.pattern; }) flip(s.pattern.regex);
      }),
      normalizer([&](auto& s) {
        if constexpr (requires { s.content; }) s.content += "x";
      }),
      [](TokenizerSpec* s) { std::get<ByteLevelSpec>(s->pre_tokenizers[1]).use_regex = true; },
      [](TokenizerSpec* s) { std::get<ByteLevelSpec>(s->pre_tokenizers[1]).add_prefix_space = true; },
      [](TokenizerSpec* s) { std::get<SplitSpec>(s->pre_tokenizers[2]).behavior = SplitBehavior::kRemoved; },
      [](TokenizerSpec* s) { std::get<SplitSpec>(s->pre_tokenizers[2]).invert = false; },
      [](TokenizerSpec* s) { std::get<DigitsSpec>(s->pre_tokenizers[3]).individual = false; },
      [](TokenizerSpec* s) { std::get<MetaspaceSpec>(s->pre_tokenizers[4]).prepend = MetaspaceSpec::Prepend::kFirst; },
      [](TokenizerSpec* s) { std::get<MetaspaceSpec>(s->pre_tokenizers[4]).split = true; },
      [](TokenizerSpec* s) { std::get<PunctuationSpec>(s->pre_tokenizers[7]).behavior = SplitBehavior::kIsolated; },
      [](TokenizerSpec* s) { std::get<BpeSpec>(s->model).unknown.reset(); },
      [](TokenizerSpec* s) { std::get<BpeSpec>(s->model).fuse_unknown = false; },
      [](TokenizerSpec* s) { std::get<BpeSpec>(s->model).byte_fallback = false; },
      [](TokenizerSpec* s) { std::get<BpeSpec>(s->model).ignore_merges = false; },
      [](TokenizerSpec* s) { std::get<BpeSpec>(s->model).continuing_prefix = ""; },
      [](TokenizerSpec* s) { std::get<BpeSpec>(s->model).end_of_word_suffix = ""; },
      [](TokenizerSpec* s) { s->added_tokens[0].id = 9; },
      [](TokenizerSpec* s) { s->added_tokens[0].special = false; },
      [](TokenizerSpec* s) { s->added_tokens[0].single_word = false; },
      [](TokenizerSpec* s) { s->added_tokens[0].lstrip = false; },
      [](TokenizerSpec* s) { s->added_tokens[0].rstrip = false; },
      [](TokenizerSpec* s) { s->added_tokens[0].normalized = false; },
      [](TokenizerSpec* s) { s->single[0].token = "x"; },
      [](TokenizerSpec* s) { s->single[0].segment = 0; },
      [](TokenizerSpec* s) { s->pair.pop_back(); },
      [](TokenizerSpec* s) { s->trim_offsets = false; },
      [](TokenizerSpec* s) { s->normalizers.pop_back(); },
  };
  std::set<std::string> seen{settings_of(everything(kModels[1]))};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    TokenizerSpec spec = everything(kModels[1]);
    changes[i](&spec);
    const std::string bytes = settings_of(spec);
    EXPECT_TRUE(seen.insert(bytes).second) << "change " << i;
    EXPECT_EQ(settings_of(read_back(bytes)), bytes) << "change " << i;
  }
}

TEST(SpecBytes, ValuesThatThereAreNotAreRefused) {
  for (const PieceModelSpec& model : kModels) {
    const std::string bytes = settings_of(everything(model));
    for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_THROW(read_back(bytes.substr(0, n)), Error) << n;
    std::size_t n_refused = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = '\x7F';
      const FlatBytes block = FlatBytes::of(changed);
      FlatReader reader(block.bytes, "test");
      try {
        read_settings(&reader);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kModel);
        ++n_refused;
      }
    }
    EXPECT_GT(n_refused, bytes.size() / 3);
  }
}

TEST(FrozenTokenizer, IsThatOfItsSpec) {
  TokenizerSpec spec;
  spec.model = WordPieceSpec{{"[UNK]", "[CLS]", "[SEP]", "a", "##b"}};
  spec.normalizers = {LowercaseSpec{}};
  spec.pre_tokenizers = {WhitespaceSpec{}};
  spec.added_tokens = {{1, "[CLS]", true}};
  spec.single = {{What::kSpecial, "[CLS]", 1, 0}, {What::kFirst, "", 0, 0}, {What::kSpecial, "[SEP]", 2, 0}};
  spec.pair = {{What::kFirst, "", 0, 0}, {What::kSecond, "", 0, 1}};
  const FlatBytes frozen = FlatBytes::of(freeze_tokenizer(spec));
  const auto tokenizer = open_tokenizer(frozen, "test");
  std::vector<std::int32_t> ids;
  for (const Token& token : tokenizer->encode({"AB a [CLS] c", std::nullopt})) ids.push_back(token.id);
  EXPECT_EQ(ids, (std::vector<std::int32_t>{1, 3, 4, 3, 1, 0, 2}));
  EXPECT_EQ(tokenizer->token_text(4), "##b");
  EXPECT_THROW(open_tokenizer({frozen.owner, frozen.bytes.first(frozen.bytes.size() - 1)}, "test"), Error);
}

TEST(FrozenTokenizer, LivesAsLongAsItIsUsed) {
  TokenizerSpec spec;
  BpeSpec bpe;
  bpe.vocab = {"a", "b", "ab"};
  bpe.merges = {make_merge("a", "b")};
  spec.model = bpe;
  spec.single = {{What::kFirst, "", 0, 0}};
  spec.pair = {{What::kFirst, "", 0, 0}, {What::kSecond, "", 0, 1}};
  FlatBytes frozen = FlatBytes::of(freeze_tokenizer(spec));
  spec = {};
  const auto tokenizer = open_tokenizer(frozen, "test");
  frozen = {};
  EXPECT_EQ(tokenizer->encode({"ab", std::nullopt}).at(0).id, 2);
}

}  // namespace
}  // namespace attnviz

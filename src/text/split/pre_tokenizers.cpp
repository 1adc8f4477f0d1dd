// See pre_tokenizers.h.
#include "text/split/pre_tokenizers.h"

#include <optional>
#include <utility>

#include "text/models/byte_level.h"
#include "text/split/pattern.h"
#include "text/split/split.h"
#include "text/unicode/unicode.h"

namespace attnviz {
namespace {

// Contractions, then words with the space before them, numbers, marks, and runs of white space without their last one.
constexpr std::string_view kByteLevelPattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

void append_parts(AlignedView text, const std::vector<CharRange>& ranges, std::vector<WordText>* words) {
  for (const CharRange& range : ranges) {
    const AlignedView part = text.subspan(range.begin, range.end - range.begin);
    words->push_back({AlignedText(part.begin(), part.end())});
  }
}

class PatternPreTokenizer final : public PreTokenizer {
 public:
  PatternPreTokenizer(const SplitSpec& spec, const std::string& where)
      : pattern_(spec.pattern, where), behavior_(spec.behavior), invert_(spec.invert) {}

  void split(AlignedText text, std::vector<WordText>* words) const override {
    std::vector<Stretch> stretches = cover(pattern_.find_all(text), text.size());
    for (Stretch& stretch : stretches) stretch.match = stretch.match != invert_;
    append_parts(text, split_stretches(stretches, behavior_), words);
  }

 private:
  Pattern pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

// Every character of some kind is a match.
class CharacterPreTokenizer final : public PreTokenizer {
 public:
  using Test = bool (*)(char32_t);
  CharacterPreTokenizer(Test test, SplitBehavior behavior) : test_(test), behavior_(behavior) {}

  void split(AlignedText text, std::vector<WordText>* words) const override {
    append_parts(text, split_stretches(cover(find_characters(text, test_), text.size()), behavior_), words);
  }

 private:
  Test test_;
  SplitBehavior behavior_;
};

// \w+|[^\w\s]+
class WhitespacePreTokenizer final : public PreTokenizer {
 public:
  void split(AlignedText text, std::vector<WordText>* words) const override {
    std::vector<CharRange> runs;
    Kind last = Kind::kSpace;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const Kind kind = kind_of(text[i].code_point);
      if (kind != Kind::kSpace) {
        if (kind != last) runs.push_back({i, i});
        runs.back().end = i + 1;
      }
      last = kind;
    }
    append_parts(text, runs, words);
  }

 private:
  enum class Kind { kSpace, kWord, kMark };
  static Kind kind_of(char32_t c) {
    if (is_word_character(c)) return Kind::kWord;
    return is_white_space(c) ? Kind::kSpace : Kind::kMark;
  }
};

class ByteLevelPreTokenizer final : public PreTokenizer {
 public:
  ByteLevelPreTokenizer(const ByteLevelSpec& spec, const std::string& where) : add_prefix_space_(spec.add_prefix_space) {
    if (spec.use_regex) regex_.emplace(kByteLevelPattern, where);
  }

  void split(AlignedText text, std::vector<WordText>* words) const override {
    if (text.empty()) return;
    if (add_prefix_space_ && text.front().code_point != ' ') {
      text.insert(text.begin(), {' ', text.front().begin, text.front().begin});
    }
    std::vector<CharRange> ranges{{0, text.size()}};
    if (regex_) ranges = split_stretches(cover(regex_->find_all(text), text.size()), SplitBehavior::kIsolated);
    for (const CharRange& range : ranges) {
      words->push_back({to_byte_level(AlignedView(text).subspan(range.begin, range.end - range.begin))});
    }
  }

 private:
  bool add_prefix_space_;
  std::optional<Regex> regex_;
};

}  // namespace

std::unique_ptr<PreTokenizer> make_byte_level(const ByteLevelSpec& spec, const std::string& where) {
  return std::make_unique<ByteLevelPreTokenizer>(spec, where);
}

std::unique_ptr<PreTokenizer> make_split(const SplitSpec& spec, const std::string& where) {
  return std::make_unique<PatternPreTokenizer>(spec, where);
}

std::unique_ptr<PreTokenizer> make_digits(const DigitsSpec& spec) {
  return std::make_unique<CharacterPreTokenizer>(is_numeric,
                                                 spec.individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous);
}

std::unique_ptr<PreTokenizer> make_whitespace() { return std::make_unique<WhitespacePreTokenizer>(); }

std::unique_ptr<PreTokenizer> make_whitespace_split() {
  return std::make_unique<CharacterPreTokenizer>(is_white_space, SplitBehavior::kRemoved);
}

std::unique_ptr<PreTokenizer> make_punctuation(const PunctuationSpec& spec) {
  return std::make_unique<CharacterPreTokenizer>(is_bert_punctuation, spec.behavior);
}

}  // namespace attnviz

// piece_table.h: texts by id, ids by text, and blocks that are not such tables.
#include "text/models/piece_table.h"

#include <attnviz/error.h>

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace attnviz {
namespace {

using Twins = PieceIndex::Twins;

FlatBytes freeze(const std::vector<std::string_view>& texts, Twins twins = Twins::kLastCounts) {
  FlatWriter out;
  PieceTable::freeze(texts, twins, "test", &out);
  return FlatBytes::of(out.take());
}

void open(const FlatBytes& frozen) {
  FlatReader reader(frozen.bytes, "test");
  const PieceTable table(&reader);
}

TEST(PieceTable, FindsWhatIsThere) {
  const FlatBytes frozen = freeze({"", "a", "ab", "日本", "a"});
  FlatReader reader(frozen.bytes, "test");
  const PieceTable table(&reader);
  EXPECT_EQ(reader.remaining(), 0U);
  EXPECT_EQ(table.texts.size(), 5U);
  EXPECT_EQ(table.texts[0], "");
  EXPECT_EQ(table.texts[3], "日本");
  EXPECT_EQ(table.index.find("a"), 4) << "the last of two";
  EXPECT_EQ(table.index.find("ab"), 2);
  EXPECT_EQ(table.index.find("日本"), 3);
  EXPECT_EQ(table.index.find(""), std::nullopt);
  EXPECT_EQ(table.index.find("b"), std::nullopt);
  EXPECT_EQ(table.index.longest('a'), 2U);
  EXPECT_EQ(table.index.longest('b'), 0U);
}

TEST(PieceTable, OfNothingFindsNothing) {
  const FlatBytes frozen = freeze({});
  FlatReader reader(frozen.bytes, "test");
  const PieceTable table(&reader);
  EXPECT_EQ(table.texts.size(), 0U);
  EXPECT_EQ(table.index.find("a"), std::nullopt);
}

TEST(PieceTable, RefusesTwinsWhereAsked) {
  EXPECT_NO_THROW(freeze({"a", "", ""}, Twins::kRefused));
  EXPECT_THROW(freeze({"a", "b", "a"}, Twins::kRefused), Error);
}

TEST(PieceTable, AgreesWithAMap) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::string> words(random() % 60);
    for (std::string& word : words) {
      word.resize(random() % 4);
      for (char& c : word) c = static_cast<char>('a' + random() % 3);
    }
    const FlatBytes frozen = freeze({words.begin(), words.end()});
    FlatReader reader(frozen.bytes, "test");
    const PieceTable table(&reader);
    std::map<std::string, std::int32_t> expected;
    for (std::size_t id = 0; id < words.size(); ++id) expected[words[id]] = static_cast<std::int32_t>(id);
    expected.erase("");
    for (char a = 'a'; a <= 'd'; ++a) {
      for (const std::string& word : {std::string(1, a), std::string("a") + a, std::string("cb") + a}) {
        const auto found = expected.find(word);
        EXPECT_EQ(table.index.find(word), found == expected.end() ? std::nullopt : std::optional(found->second)) << word;
      }
    }
    for (std::size_t id = 0; id < words.size(); ++id) EXPECT_EQ(table.texts[id], words[id]);
  }
}

// Every beginning of a block, and every block with one byte that says something else, is refused or searched within its bounds.
TEST(PieceTable, DamagedBlocksAreRefusedOrSafe) {
  const FlatBytes frozen = freeze({"a", "bc", "", "def"});
  const std::string whole(reinterpret_cast<const char*>(frozen.bytes.data()), frozen.bytes.size());
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THROW(open(FlatBytes::of(whole.substr(0, n))), Error) << "the first " << n << " bytes";
  }
  std::size_t n_refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x81);
    const FlatBytes bytes = FlatBytes::of(changed);
    try {
      FlatReader reader(bytes.bytes, "test");
      const PieceTable table(&reader);
      for (std::size_t id = 0; id < table.texts.size(); ++id) static_cast<void>(table.index.find(table.texts[id]));
    } catch (const Error&) {
      ++n_refused;
    }
  }
  EXPECT_GT(n_refused, 40U);
}

TEST(PieceTable, AnIndexWithoutAFreeSlotIsRefused) {
  FlatWriter out;
  TextList::freeze(std::vector<std::string_view>{"a"}, "test", &out);
  const std::vector<std::uint32_t> longest(256, 1);
  const std::vector<std::uint64_t> slots(3, 0);  // hash 0, id 0
  out.array(std::span<const std::uint32_t>(longest));
  out.array(std::span<const std::uint64_t>(slots));
  EXPECT_THROW(open(FlatBytes::of(out.take())), Error);
}

}  // namespace
}  // namespace attnviz

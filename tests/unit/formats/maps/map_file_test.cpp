// Files of maps from anyone: what each kind becomes, and every way it can be broken with its message. The files are the fuzz
// corpus, written by tests/fuzz/make_map_files.py; NumPy's own are in tests/cli/test_render.py.
#include "formats/maps/map_file.h"

#include <attnviz/error.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnviz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::filesystem::path kCorpus = std::filesystem::path(ATTNVIZ_TEST_DIR) / "fuzz" / "corpus" / "map_file";

std::string bytes_of(const std::string& name) {
  std::ifstream file(kCorpus / name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

MapFile read_text(const std::string& bytes, MapFileOptions options = {}) {
  options.where = "maps";
  return read_map_file(std::as_bytes(std::span(bytes.data(), bytes.size())), options);
}

MapFile read_named(const std::string& name, const MapFileOptions& options = {}) { return read_text(bytes_of(name), options); }

std::string message_of(const std::string& bytes, const MapFileOptions& options = {}) {
  try {
    read_text(bytes, options);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("maps: "));
    return error.what();
  }
  return "no error";
}

std::vector<float> weights_of(const AttentionMap& map) { return {map.pattern.begin(), map.pattern.end()}; }

std::vector<std::pair<std::size_t, std::size_t>> places_of(const Trace& trace) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const AttentionMap& map : trace.maps) places.emplace_back(map.layer, map.head);
  return places;
}

const std::vector<float> kWeights{1, 0, 0, 0.25F, 0.75F, 0, 0.5F, 0.125F, 0.375F};

TEST(MapFile, ReadsADocumentWhole) {
  const MapFile file = read_named("good-document.json");
  const Trace& trace = file.trace;
  EXPECT_FALSE(file.plain);
  EXPECT_THAT(file.remarks, IsEmpty());
  EXPECT_EQ(trace.model.name, "m");
  EXPECT_EQ(trace.model.family, "bert");
  EXPECT_EQ(trace.model.n_layer, 6U);
  EXPECT_EQ(trace.model.n_head, 12U);
  EXPECT_THAT(trace.texts, ElementsAre("The \u00e9t"));
  EXPECT_EQ(trace.provenance.source, "attnviz The");
  ASSERT_EQ(trace.queries.size(), 3U);
  EXPECT_EQ(trace.queries[0].kind, TokenKind::kSpecial);
  EXPECT_EQ(trace.queries[0].word, -1);
  EXPECT_EQ(trace.queries[2].text, "\u00e9t");
  EXPECT_EQ(trace.queries[2].kind, TokenKind::kContinuation);
  EXPECT_EQ(trace.queries[2].begin, 4U);
  EXPECT_EQ(trace.queries[2].end, 7U);
  EXPECT_EQ(trace.queries[2].id, 9);
  EXPECT_EQ(trace.queries[2].word, 1);
  EXPECT_FALSE(trace.queries[2].position);
  ASSERT_EQ(trace.maps.size(), 1U);
  EXPECT_EQ(weights_of(trace.maps[0]), kWeights);
}

TEST(MapFile, ReadsWhatADocumentMayHaveBesides) {
  const Trace pooled = read_named("good-document-pool.json").trace;
  ASSERT_TRUE(pooled.pool);
  EXPECT_EQ(pooled.pool->rows, 2U);
  EXPECT_EQ(pooled.pool->by, PoolBy::kMean);
  EXPECT_EQ(pooled.queries[1].position, 1U);
  EXPECT_EQ(pooled.queries[1].n_tokens, 2U);
  const Trace generated = read_named("good-document-focus-generated.json").trace;
  EXPECT_EQ(generated.focus, "The");
  EXPECT_TRUE(generated.queries[1].generated);
  EXPECT_EQ(generated.provenance.source, "x");
  const Trace pair = read_named("good-document-pair.json").trace;
  EXPECT_EQ(pair.keys[1].segment, 1);
  EXPECT_EQ(pair.maps[0].site, Site::kCross);
  EXPECT_EQ(read_named("good-document-without-text.json").trace.queries[0].id, -1);
}

TEST(MapFile, ReadsMapsThatStandForSeveral) {
  const Trace heads = read_named("good-document-mean-of-heads.json").trace;
  ASSERT_TRUE(heads.reduced);
  EXPECT_EQ(heads.reduced->by, ReduceBy::kMean);
  EXPECT_FALSE(heads.reduced->over_layers);
  EXPECT_TRUE(heads.reduced->over_heads);
  EXPECT_THAT(heads.reduced->layers, ElementsAre(3, 4));
  EXPECT_THAT(heads.reduced->heads, ElementsAre(1, 2));
  EXPECT_THAT(places_of(heads), ElementsAre(std::pair(3U, 1U), std::pair(4U, 1U)));
  const Trace all = read_named("good-document-max-of-all.json").trace;
  EXPECT_TRUE(all.reduced->over_layers && all.reduced->over_heads);
  EXPECT_THAT(places_of(all), ElementsAre(std::pair(3U, 1U)));
}

TEST(MapFile, ReadsADocumentWhoseFieldsWereSorted) {
  EXPECT_EQ(weights_of(read_named("good-document-fields-in-another-order.json").trace.maps[0]), kWeights);
  EXPECT_THAT(places_of(read_named("good-document-maps-in-another-order.json").trace),
              ElementsAre(std::pair(0U, 1U), std::pair(0U, 2U), std::pair(3U, 1U)));
}

TEST(MapFile, SaysWhichFieldsItLeftOut) {
  EXPECT_THAT(read_named("good-document-unknown-field.json").remarks,
              ElementsAre("field \"mood\" is not known and was left out", "field \"comment\" is not known and was left out"));
}

TEST(MapFile, TakesOneLineOfMany) {
  const std::string two = bytes_of("two-lines.txt");
  EXPECT_EQ(read_text(two, {.where = {}, .line = 2}).trace.queries.size(), 3U);
  EXPECT_EQ(read_named("good-one-line.txt", {.where = {}, .line = 1}).trace.queries.size(), 3U);
  EXPECT_THAT(message_of(two), HasSubstr("choose one of its 2 lines with line"));
  EXPECT_THAT(message_of(two, {.where = {}, .line = 3}), HasSubstr("has no line 3; expected 1 to 2"));
  const std::string bad = bytes_of("error-record.json") + "\n" + two;
  EXPECT_THAT(message_of(bad, {.where = {}, .line = 1}), HasSubstr("line 1: is the error record of a line: \"text: is empty\""));
  EXPECT_EQ(read_text(bad, {.where = {}, .line = 2}).trace.maps.size(), 1U);
  EXPECT_THAT(message_of(bytes_of("good-f4.npy"), {.where = {}, .line = 1}), HasSubstr("leave line out"));
  EXPECT_THAT(message_of(bytes_of("good-own.npz"), {.where = {}, .line = 1}), HasSubstr("leave line out"));
}

TEST(MapFile, ReadsPlainListsOfEveryDepth) {
  struct Case {
    const char* name;
    std::vector<std::pair<std::size_t, std::size_t>> places;
  };
  for (const Case& one :
       {Case{"good-plain.txt", {{0, 0}}}, Case{"good-plain-space.txt", {{0, 0}}}, Case{"good-plain-bom.txt", {{0, 0}}},
        Case{"good-plain-heads.txt", {{0, 0}, {0, 1}, {0, 2}}}, Case{"good-plain-layers.txt", {{0, 0}, {1, 0}}},
        Case{"good-plain-batch.txt", {{0, 0}, {0, 1}, {1, 0}, {1, 1}}},
        Case{"good-plain-batch-first.txt", {{0, 0}, {0, 1}, {1, 0}, {1, 1}}}}) {
    const MapFile file = read_named(one.name);
    EXPECT_TRUE(file.plain) << one.name;
    EXPECT_EQ(places_of(file.trace), one.places) << one.name;
    EXPECT_EQ(file.trace.model.name, "maps") << "named after the file";
  }
  EXPECT_THAT(weights_of(read_named("good-plain.txt").trace.maps[0]), ElementsAre(0.5F, 0.5F, 1e-3F, 0.999F));
  EXPECT_THAT(weights_of(read_named("good-plain-layers.txt").trace.maps[1]), ElementsAre(1, 0, 0.5F, 0.5F));
}

TEST(MapFile, ReadsNumbersThatAreNoneAndThoseOutOfRange) {
  const std::vector<float> words = weights_of(read_named("good-plain-words.txt").trace.maps[0]);
  EXPECT_TRUE(std::isnan(words[0]) && std::isnan(words[3]));
  EXPECT_EQ(words[1], INFINITY);
  EXPECT_EQ(words[2], -INFINITY);
  const std::vector<float> range = weights_of(read_named("good-plain-range.txt").trace.maps[0]);
  EXPECT_THAT(range, ElementsAre(0, INFINITY, -INFINITY, 0, 123456789012345678901234567890.0F, 0));
}

TEST(MapFile, CountsTheDigitsThatNumbersWereRoundedTo) {
  EXPECT_EQ(read_text("[[1, 0]]").decimals, 0U);
  EXPECT_EQ(read_text("[[0.25, 0.5]]").decimals, 2U);
  EXPECT_EQ(read_text("[[1e-05, 0.5]]").decimals, 5U);
  EXPECT_EQ(read_text("[[1.5E+0, 5e1]]").decimals, 1U);
  EXPECT_EQ(read_text("[[0.123456789, 0.5]]").decimals, MapFile::kNotRounded);
  EXPECT_EQ(read_text("[[NaN, 0.5]]").decimals, 1U);
}

TEST(MapFile, ReadsArraysOfEveryRealType) {
  for (const char* name : {"good-f2", "good-f2-big", "good-f4", "good-f4-big", "good-f4-version-2", "good-f4-version-3", "good-f8",
                           "good-f8-big", "good-fortran", "good-quotes"}) {
    const MapFile file = read_named(std::string(name) + ".npy");
    EXPECT_THAT(weights_of(file.trace.maps.at(0)), ElementsAre(0.5F, 0.5F, 0.25F, 0.75F)) << name;
  }
  const MapFile five = read_named("good-fortran-five-axes.npy");
  EXPECT_THAT(places_of(five.trace), ElementsAre(std::pair(0U, 0U), std::pair(0U, 1U), std::pair(1U, 0U), std::pair(1U, 1U)));
  EXPECT_THAT(weights_of(five.trace.maps[1]), ElementsAre(2, 3));
  EXPECT_THAT(weights_of(five.trace.maps[2]), ElementsAre(4, 5));
}

TEST(MapFile, ReadsArchives) {
  for (const char* name : {"good-own.npz", "good-own-deflated.npz", "good-own-big-endian.npz"}) {
    const MapFile file = read_named(name);
    EXPECT_FALSE(file.plain);
    EXPECT_THAT(places_of(file.trace), ElementsAre(std::pair(0U, 5U), std::pair(3U, 1U))) << name;
    EXPECT_EQ(weights_of(file.trace.maps[1]), kWeights) << name;
    EXPECT_EQ(file.trace.queries[2].text, "\u00e9t");
    EXPECT_EQ(file.trace.provenance.source, "attnviz The");
  }
  for (const char* name : {"good-one-array.npz", "good-one-array-deflated.npz"}) EXPECT_TRUE(read_named(name).plain) << name;
  EXPECT_TRUE(read_named("two-arrays.npz", {.where = {}, .line = {}, .array = "b"}).plain);
  const MapFile numbers = read_named("good-own.npz", {.where = {}, .line = {}, .array = "maps"});
  EXPECT_TRUE(numbers.plain);
  EXPECT_THAT(places_of(numbers.trace), ElementsAre(std::pair(0U, 0U), std::pair(0U, 1U)));
  EXPECT_THAT(message_of(bytes_of("two-arrays.npz"), {.where = {}, .line = {}, .array = "c"}),
              HasSubstr("has no array \"c\"; expected one of: \"a\", \"b\""));
  EXPECT_THAT(message_of(bytes_of("good-f4.npy"), {.where = {}, .line = {}, .array = "a"}), HasSubstr("leave array out"));
  EXPECT_THAT(message_of(bytes_of("good-plain.txt"), {.where = {}, .line = {}, .array = "a"}), HasSubstr("leave array out"));
}

struct Broken {
  const char* name;
  const char* message;
};

void expect_messages(std::initializer_list<Broken> files) {
  for (const Broken& one : files) EXPECT_THAT(message_of(bytes_of(one.name)), HasSubstr(one.message)) << one.name;
}

TEST(MapFile, RefusesWhatIsNoFileOfMaps) {
  expect_messages({{"empty.txt", "is empty"},
                   {"space.txt", "is empty"},
                   {"only-bom.txt", "is empty"},
                   {"png.txt", "is a PNG picture"},
                   {"pdf.txt", "is a PDF"},
                   {"html.txt", "an HTML or SVG page"},
                   {"gzip.txt", "gunzip -c FILE | attnviz render -"},
                   {"pickle.txt", "pickle, which is never loaded"},
                   {"csv.txt", "is a CSV"},
                   {"gguf.txt", "is a model"},
                   {"words.txt", "expected JSON (of attnviz, or nested lists of numbers), .npy or .npz"}});
}

TEST(MapFile, RefusesBrokenLists) {
  expect_messages({{"bracket.txt", "lists nested 1 deep; expected [query][key]"},
                   {"brackets.txt", "the JSON ends early"},
                   {"many-brackets.txt", "nested more than 5 deep"},
                   {"list-empty.txt", "lists nested 1 deep"},
                   {"list-of-empty.txt", "the map, row 0: is empty"},
                   {"list-flat.txt", "lists nested 1 deep"},
                   {"list-six-deep.txt", "nested more than 5 deep"},
                   {"list-batch-of-two.txt", "2 layers of a batch of 2 texts"},
                   {"list-ragged-row.txt", "line 1, column 20: head 0, row 1: has 3 weights; expected 2, as in row 0"},
                   {"list-ragged-map.txt", "head 1: has 1 rows of 2 weights; expected 2 of 2"},
                   {"list-ragged-heads.txt", "lists at depth 2 have 2 and 1 items"},
                   {"list-number-for-row.txt", "the map, row 1: expected '[', found \"1\""},
                   {"list-row-for-number.txt", "row 1: expected a number, found \"[\""},
                   {"list-trailing-comma.txt", "expected a number, found \"]\""},
                   {"list-no-comma.txt", "expected ',' or ']', found \"0\""},
                   {"list-cut-in-number.txt", "digits after its decimal point"},
                   {"list-cut-in-row.txt", "row 1: the JSON ends early; expected a number; was the file cut short?"},
                   {"list-behind.txt", "expected nothing after the lists"},
                   {"list-leading-zero.txt", "without leading zeros, found \"01\""},
                   {"list-plus.txt", "expected a number, found \"+\""},
                   {"list-hex.txt", "expected ',' or ']', found \"x1\""},
                   {"list-point-first.txt", "expected a number, found \".\""},
                   {"list-point-last.txt", "digits after its decimal point"},
                   {"list-nan-other-case.txt", "expected a number, found \"nan\""},
                   {"list-text.txt", "expected a number, found \"\\\"\""},
                   {"list-true.txt", "expected a number, found \"true\""}});
}

TEST(MapFile, RefusesBrokenDocuments) {
  expect_messages({{"no-schema.json", "without \"schema\": \"attnviz.attention/1\""},
                   {"schema-other.json", "\"attnviz.attention/2\" cannot be read by this version"},
                   {"error-record.json", "is the error record of a line: \"text: is empty\""},
                   {"model-no-heads.json", "model has no field \"heads\""},
                   {"model-no-layers-at-all.json", "model.layers: 0 is out of range; expected 1"},
                   {"model-number.json", "expected '{', found \"3\""},
                   {"texts-number.json", "expected texts, a string"},
                   {"queries-empty.json", "queries: is empty"},
                   {"queries-more.json", "layer 0, head 0: has 3 rows of 3 weights; expected 4 rows (queries) of 3 (keys)"},
                   {"keys-fewer.json", "expected 3 rows (queries) of 2 (keys)"},
                   {"pool-by.json", "\"median\" is not known; expected one of: max, mean"},
                   {"pool-zero.json", "pool.rows: 0 is out of range"},
                   {"document-cut.txt", "the JSON ends early"},
                   {"document-cut-in-text.txt", "ends early, inside kind"},
                   {"document-behind.txt", "expected nothing after the document"},
                   {"field-twice.txt", "field \"command\": occurs twice"},
                   {"fields-many.txt", "more than 64 fields"},
                   {"many-braces.txt", "nested more than 64 deep"},
                   {"text-control.txt", "command: a control character"},
                   {"text-escape.txt", "does not begin a JSON escape"},
                   {"text-hex.txt", "four hexadecimal digits"},
                   {"text-lone-surrogate.txt", "half of a surrogate pair"},
                   {"text-not-utf8.txt", "command: is not valid UTF-8"}});
  for (const char* field : {"model", "texts", "queries", "keys", "maps", "notes", "command"}) {
    EXPECT_THAT(message_of(bytes_of(std::string("no-") + field + ".json")),
                HasSubstr(std::string("the document has no field \"") + field));
  }
}

TEST(MapFile, RefusesBrokenTokensAndMaps) {
  expect_messages({{"token-kind.json", "\"verb\" is not known; expected one of: word, continuation"},
                   {"token-id-negative.json", "id: -3 is out of range"},
                   {"token-id-large.json", "id: 1099511627776 is out of range"},
                   {"token-id-fraction.json", "expected id, a whole number"},
                   {"token-end-past-text.json", "queries[1]: bytes 0 to 99 are not a place in texts[0] of 7 bytes"},
                   {"token-begin-after-end.json", "queries[1]: bytes 3 to 2 are not a place"},
                   {"token-inside-character.json", "queries[1]: bytes 5 to 7 are not a place"},
                   {"token-segment-past-texts.json", "texts[1], which is not there"},
                   {"token-position-alone.json", "expected both"},
                   {"token-generated-false.json", "expected \"generated\": true"},
                   {"token-number.json", "expected '{', found \"1\""},
                   {"reduced-by.json", "\"sum\" is not known; expected one of: mean, max"},
                   {"reduced-over.json", "\"texts\" is not known; expected one of: heads, layers, all"},
                   {"reduced-no-layers.json", "reduced.layers: is empty"},
                   {"reduced-other-maps.json", "layer null, head null: does not fit \"reduced\""},
                   {"reduced-twice.json", "layer 0, head 0: occurs twice"},
                   {"reduced-layer-past-model.json", "layer 6, head 0: the document's model has 6 layers"},
                   {"map-layer-null.json", "layer null, head 0: does not fit \"reduced\""},
                   {"maps-empty.json", "holds no maps"},
                   {"maps-twice.json", "layer 0, head 0: occurs twice"},
                   {"map-kind.json", "\"other\" is not known; expected one of: self, encoder, decoder, cross, vision"},
                   {"map-layer-past-model.json", "layer 6, head 0: the document's model has 6 layers"},
                   {"map-head-negative.json", "head: -1 is out of range"},
                   {"map-no-weights.json", "a map has no field \"weights\""},
                   {"map-rows-fewer.json", "layer 2, head 1: has 2 rows of 3 weights"},
                   {"map-row-short.json", "layer 2, head 1, row 2: has 2 weights; expected 3, as in row 0"},
                   {"map-row-empty.json", "layer 2, head 1, row 0: is empty"},
                   {"map-no-row.json", "layer 2, head 1, row 0: is missing"},
                   {"map-deeper.json", "layer 2, head 1, row 0: expected a number, found \"[\""},
                   {"map-text-weight.json", "layer 2, head 1, row 1: expected a number"},
                   {"map-weights-before-its-names.json", "maps[0], row 1: has 2 weights"}});
  for (const char* field : {"id", "text", "begin", "end", "kind", "word", "segment"}) {
    EXPECT_THAT(message_of(bytes_of(std::string("token-no-") + field + ".json")),
                HasSubstr(std::string("a token has no field \"") + field));
  }
}

TEST(MapFile, RefusesBrokenArrays) {
  for (const char* name : {"key-missing", "key-twice", "key-unknown", "behind", "truth", "shape-negative", "shape-no-brackets",
                           "control", "not-a-dictionary", "cut-dictionary"}) {
    EXPECT_THAT(message_of(bytes_of(std::string("header-") + name + ".npy")), HasSubstr("header is not one that NumPy writes"))
        << name;
  }
  expect_messages({{"short.npy", "ends inside its header"},
                   {"header-cut.npy", "ends inside its header"},
                   {"header-size-huge.npy", "ends inside its header"},
                   {"version-0.npy", "is of version 0"},
                   {"version-4.npy", "is of version 4"},
                   {"type-int.npy", "is of type \"int32\"; expected float16, float32 or float64"},
                   {"type-bool.npy", "is of type \"bool\""},
                   {"type-complex.npy", "is of type \"complex64\""},
                   {"type-long-double.npy", "is of type \"float128\""},
                   {"type-bfloat16.npy", "is of type \"void16\""},
                   {"type-date.npy", "is of type \"M8\""},
                   {"type-object.npy", "Python objects, which are never loaded"},
                   {"type-records.npy", "an array of records"},
                   {"type-empty.npy", "header is not one"},
                   {"type-size-huge.npy", "header is not one"},
                   {"type-text-huge.npy", "does not fit 64 bits"},
                   {"shape-one-axis.npy", "is of shape [4]; expected [query][key]"},
                   {"shape-six-axes.npy", "is of shape [1, 1, 1, 1, 2, 2]"},
                   {"shape-scalar.npy", "is of shape []"},
                   {"shape-batch-of-two.npy", "a batch of 2 texts; expected one"},
                   {"shape-zero.npy", "is of shape [0, 2], without a number"},
                   {"shape-overflow.npy", "does not fit 64 bits"},
                   {"shape-overflow-zero.npy", "does not fit 64 bits"},
                   {"data-short.npy", "announces 16 bytes of numbers, found 15"},
                   {"data-long.npy", "announces 16 bytes of numbers, found 17"}});
}

TEST(MapFile, RefusesBrokenArchives) {
  expect_messages({{"two-arrays.npz", "holds 2 arrays; choose one with array: \"a\", \"b\""},
                   {"no-array.npz", "a zip archive without a NumPy array"},
                   {"nothing.npz", "an archive without an array"},
                   {"lzma.npz", "entry \"a.npy\": is compressed by method 14"},
                   {"array-broken.npz", "array \"a\": is not a NumPy array"},
                   {"array-of-objects.npz", "array \"a\": holds Python objects"},
                   {"checksum.npz", "checksum does not fit"},
                   {"deflate-damaged.npz", "do not unpack into the 16512"},
                   {"cut.npz", "has no end record"},
                   {"own-maps-other-shape.npz", "array \"maps\": is of shape [2, 2]"},
                   {"own-maps-fewer.npz", "has 1 maps, 2 layers and 2 heads"},
                   {"own-maps-other-size.npz", "has 2 rows of 2 weights; expected 3 rows"},
                   {"own-layers-text.npz", "not an array of whole numbers"},
                   {"own-layers-negative.npz", "item 0 cannot be a layer or head"},
                   {"own-layers-of-several.npz", "layer null, head 1: does not fit \"reduced\""},
                   {"own-layers-missing.npz", "has no array \"layers\""},
                   {"own-document-number.npz", "is not an array of texts"},
                   {"own-document-two.npz", "holds 2 texts; expected one"},
                   {"own-document-not-unicode.npz", "text 0 is not Unicode"},
                   {"own-document-no-characters.npz", "empty texts only"},
                   {"own-document-broken.npz", "array \"document\": line 1, column 11: the JSON ends early"},
                   {"own-document-with-maps.npz", "expected them in the array \"maps\""}});
}

TEST(MapFile, RefusesABombBeforeItTakesMemory) {
  expect_messages({{"huge-claim.npz", "claims to unpack 3978 bytes into 2147483647"},
                   {"huge-claim-4gb.npz", "claims to unpack 3978 bytes into 4294967294"},
                   {"huge-empty-texts.npz", "empty texts only"}});
  EXPECT_EQ(read_named("huge-zeros.npz").trace.maps[0].n_key, 1000U) << "4 MB of zeros are no bomb";
}

TEST(NameTokens, NumbersOrNamesRowsAndColumns) {
  MapFile file = read_text("[[1, 0], [0, 1]]");
  name_tokens(&file, std::nullopt, std::nullopt, "maps");
  EXPECT_EQ(file.trace.queries[1].text, "1");
  EXPECT_EQ(file.trace.queries[1].id, -1);
  EXPECT_EQ(file.trace.maps[0].site, Site::kSelf);
  name_tokens(&file, std::vector<std::string>{"a", "##b"}, std::nullopt, "maps");
  EXPECT_EQ(file.trace.keys[1].text, "##b");
  EXPECT_EQ(file.trace.maps[0].site, Site::kSelf);
  name_tokens(&file, std::vector<std::string>{"a", "b"}, std::vector<std::string>{"c", "d"}, "maps");
  EXPECT_EQ(file.trace.keys[1].text, "d");
  EXPECT_EQ(file.trace.maps[0].site, Site::kCross);
}

TEST(NameTokens, RefusesOtherNumbersOfThem) {
  const auto message = [](const char* json, std::optional<std::vector<std::string>> rows,
                          std::optional<std::vector<std::string>> columns) {
    MapFile file = read_text(json);
    try {
      name_tokens(&file, rows, columns, "maps");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  using Names = std::vector<std::string>;
  EXPECT_THAT(message("[[1, 0], [0, 1]]", Names{"a"}, {}), HasSubstr("its maps have 2 rows (queries); tokens gives 1 tokens"));
  EXPECT_THAT(message("[[1, 0]]", {}, Names{"a"}), HasSubstr("2 columns (keys); key tokens gives 1 tokens"));
  EXPECT_THAT(message("[[1, 0]]", Names{"a"}, {}), HasSubstr("1 rows and 2 columns; expected the columns' tokens as well"));
  EXPECT_EQ(message("[[1, 0]]", {}, {}), "no error");
  EXPECT_EQ(message("[[1, 0]]", Names{"a"}, Names{"b", "c"}), "no error");
}

TEST(ParseTokenFile, ReadsAListOrLines) {
  EXPECT_THAT(parse_token_file("[\"a\", \"\\n\", \"b,c\"]", "t"), ElementsAre("a", "\n", "b,c"));
  EXPECT_THAT(parse_token_file("\xEF\xBB\xBF"
                               "a\r\n\n b\n",
                               "t"),
              ElementsAre("a", "", " b"));
  EXPECT_THAT(parse_token_file("a", "t"), ElementsAre("a"));
  EXPECT_THAT(parse_token_file("[CLS]\nit\n", "t"), ElementsAre("[CLS]", "it"));
  for (const char* text : {"", "[\"a\", 1]", "[\"a\"", "[\"a\"] b", "\xff"})
    EXPECT_THROW(parse_token_file(text, "t"), Error) << text;
}

TEST(MapFile, EveryFileOfTheCorpusIsKnownHere) {
  std::size_t n_good = 0;
  std::size_t n_bad = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("found-")) continue;
    const bool good = message_of(bytes_of(name)) == "no error";
    EXPECT_EQ(good, name.starts_with("good-") || name == "huge-zeros.npz" || name == "escapes.txt") << name;
    ++(good ? n_good : n_bad);
  }
  EXPECT_GT(n_good, 30U);
  EXPECT_GT(n_bad, 130U);
}

}  // namespace
}  // namespace attnviz

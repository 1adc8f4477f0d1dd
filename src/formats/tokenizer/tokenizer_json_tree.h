// A small JSON tree for the tokenizer's files, read event by event so that a vocabulary of 30,000 entries and its merges go
// straight into their arrays (a tree of them costs more than the rest of the program's start), with access that names file, place,
// expected and found.
//
// Duplicate keys, depth past 64, and more values than kMaxValues are errors; so memory stays within the file's size.
// Tested in tests/unit/formats/tokenizer/tokenizer_files_test.cpp, fuzzed by tests/fuzz/tokenizer_fuzz.cpp.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnviz {

struct JsonNode {
  enum class Kind : std::uint8_t { kNull, kFlag, kNumber, kSize, kText, kArray, kObject };
  Kind kind = Kind::kNull;
  bool flag = false;
  std::uint64_t size = 0;  // kSize: a whole number that is not negative
  double number = 0;       // kSize and kNumber
  std::string text{};
  std::vector<JsonNode> items{};                            // kArray
  std::vector<std::pair<std::string, JsonNode>> members{};  // kObject
};

// A node and its place in the file. The root it was made from must outlive it.
class JsonPlace {
 public:
  JsonPlace(const JsonNode& node, const std::string& where, std::string path = {})
      : node_(&node), where_(&where), path_(std::move(path)) {}

  bool is_null() const { return node_->kind == JsonNode::Kind::kNull; }
  bool is_text() const { return node_->kind == JsonNode::Kind::kText; }
  bool is_array() const { return node_->kind == JsonNode::Kind::kArray; }
  bool is_object() const { return node_->kind == JsonNode::Kind::kObject; }

  // Members: absent ones read as null.
  JsonPlace at(std::string_view key) const;
  bool has(std::string_view key) const { return !at(key).is_null(); }

  // Values; another type throws Error(kModel) "where: path: expected X, found Y".
  const std::string& text() const;
  std::string text_or(std::string_view fallback) const { return is_null() ? std::string(fallback) : text(); }
  bool flag() const;
  bool flag_or(bool fallback) const { return is_null() ? fallback : flag(); }
  std::uint64_t size() const;
  double number() const;
  std::int32_t id() const;  // a whole number that fits an id
  std::vector<JsonPlace> items() const;
  std::vector<std::pair<std::string, JsonPlace>> members() const;

  [[noreturn]] void fail(std::string_view what) const;  // "where: path: what"

 private:
  void expect(JsonNode::Kind kind) const;

  const JsonNode* node_;
  const std::string* where_;
  std::string path_;  // "post_processor.single[2]"
};

struct JsonDocument {
  JsonNode root;
  std::vector<std::string> vocab;    // root.model.vocab by id, where that is an object of whole numbers; empty texts are holes
  std::vector<UnigramPiece> pieces;  // root.model.vocab where that is a list of [text, number]
  std::vector<BpeMerge> merges;      // root.model.merges: "a b" or ["a", "b"]
};

// The nodes of these three, and of other lists and objects directly inside "model", stay empty.
JsonDocument parse_json_document(std::string_view text, const std::string& where);

}  // namespace attnviz

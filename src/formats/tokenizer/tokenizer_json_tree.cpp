// See tokenizer_json_tree.h.
#include "formats/tokenizer/tokenizer_json_tree.h"

#include <attnviz/error.h>

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/quote.h"

namespace attnviz {
namespace {

using Kind = JsonNode::Kind;
using Json = nlohmann::json;

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxValues = 500'000;  // outside the vocabulary
constexpr std::size_t kMaxMessage = 800;     // bytes; a key may be as long as the file

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kNull: return "nothing";
    case Kind::kFlag: return "true or false";
    case Kind::kNumber: return "a number";
    case Kind::kSize: return "a whole number";
    case Kind::kText: return "a text";
    case Kind::kArray: return "a list";
    case Kind::kObject: return "an object";
  }
  return "?";
}

// A library message may quote the file's bytes: only its ASCII is passed on.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 200)) out.push_back(c >= 0x20 && c < 0x7F ? c : '?');
  return out;
}

// The part of the document that takes the next values.
enum class Direct { kNone, kVocab, kPieces, kMerges };

// Receives the parser's events and builds the document.
class DocumentBuilder : public nlohmann::json_sax<Json> {
 public:
  DocumentBuilder(std::size_t file_size, const std::string& where, JsonDocument* document)
      : file_size_(file_size), where_(where), document_(document) {}

  bool null() override { return add({}); }
  bool boolean(bool value) override {
    JsonNode node{.kind = Kind::kFlag, .flag = value};
    return add(std::move(node));
  }
  bool number_integer(number_integer_t value) override {
    return value >= 0 ? number_unsigned(static_cast<number_unsigned_t>(value)) : add_number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (direct_ == Direct::kVocab) return add_to_vocab(value);
    if (direct_ == Direct::kPieces) return add_number(static_cast<double>(value));
    return add(JsonNode{.kind = Kind::kSize, .size = value, .number = static_cast<double>(value)});
  }
  bool number_float(number_float_t value, const string_t&) override { return add_number(value); }
  bool string(string_t& value) override {
    if (direct_ == Direct::kMerges) return add_to_merges(value);
    if (direct_ == Direct::kPieces && in_pair_ && n_in_pair_++ == 0) {
      document_->pieces.push_back({std::move(value)});
      return true;
    }
    JsonNode node{.kind = Kind::kText};
    node.text = std::move(value);
    return add(std::move(node));
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Kind::kObject); }
  bool start_array(std::size_t) override { return open(Kind::kArray); }
  bool end_array() override { return close(); }
  bool end_object() override { return close(); }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& fault) override {
    std::string_view what = fault.what();
    if (const auto prefix = what.find("] "); prefix != std::string_view::npos) what.remove_prefix(prefix + 2);
    fail(fmt::format("is not valid JSON at byte {} ({})", position, printable(what)));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const std::string shown = printable_text(std::string_view(what).substr(0, kMaxMessage));  // keys are foreign text
    throw Error(ErrorKind::kModel,
                fmt::format("{}: {}{}; get the file again", where_, shown, what.size() > kMaxMessage ? "..." : ""));
  }

  bool add_to_vocab(std::uint64_t id) {
    // Each entry takes at least five bytes of the file, so an id past its size is not one of a vocabulary that is there.
    if (id >= file_size_ || id > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
      fail(fmt::format("model.vocab: \"{}\" has the id {}; expected one that the file is large enough for", key_, id));
    }
    auto& vocab = document_->vocab;
    if (id >= vocab.size()) vocab.resize(id + 1);
    if (!vocab[id].empty()) fail(fmt::format("model.vocab: \"{}\" and \"{}\" have the same id {}", vocab[id], key_, id));
    vocab[id] = std::move(key_);
    return true;
  }

  bool add_number(double value) {
    if (direct_ == Direct::kPieces && in_pair_ && n_in_pair_++ == 1) {
      document_->pieces.back().score = value;
      return true;
    }
    return add(JsonNode{.kind = Kind::kNumber, .number = value});
  }

  // "a b", or one of the two texts of ["a", "b"].
  bool add_to_merges(std::string& text) {
    auto& merges = document_->merges;
    if (!in_pair_) {
      const std::size_t space = text.find(' ');
      if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
        fail(fmt::format("model.merges[{}]: expected two texts with one space between, found {}", merges.size(), quote_text(text)));
      }
      text.erase(space, 1);
      merges.push_back({std::move(text), space});
      return true;
    }
    if (n_in_pair_ == 0) merges.push_back({std::move(text), 0});
    if (n_in_pair_ == 1) merges.back().left = merges.back().pair.size(), merges.back().pair += text;
    ++n_in_pair_;
    return true;
  }

  [[noreturn]] void fail_direct() const {
    if (direct_ == Direct::kMerges) {
      fail(fmt::format("model.merges[{}]: expected \"a b\" or [\"a\", \"b\"]", document_->merges.size()));
    }
    fail(fmt::format("model.vocab[{}]: expected a text and a number, [\"a\", -1.5]", document_->pieces.size()));
  }

  // Where the next value goes; null if it is skipped.
  JsonNode* place() {
    if (direct_ == Direct::kMerges || direct_ == Direct::kPieces) fail_direct();
    if (direct_ == Direct::kVocab)
      fail(fmt::format("model.vocab: \"{}\" has no id; expected a whole number that is not negative", key_));
    if (n_skipped_ > 0) return nullptr;
    if (++n_values_ > kMaxValues) fail(fmt::format("has more than {} values outside the vocabulary", kMaxValues));
    if (open_.empty()) return &document_->root;
    JsonNode& parent = *open_.back();
    if (parent.kind == Kind::kArray) return &parent.items.emplace_back();
    parent.members.emplace_back(std::move(key_), JsonNode());
    return &parent.members.back().second;
  }

  bool add(JsonNode node) {
    if (JsonNode* target = place()) *target = std::move(node);
    return true;
  }

  // Is the object that is open now the root's "model"?
  bool in_model() const {
    return open_.size() == 2 && open_[1]->kind == Kind::kObject && !open_[0]->members.empty() &&
           open_[0]->members.back().first == "model";
  }

  // The part of "model" that is read directly into the document.
  Direct direct_kind(Kind kind) const {
    if (key_ == "vocab") return kind == Kind::kObject ? Direct::kVocab : Direct::kPieces;
    return key_ == "merges" && kind == Kind::kArray ? Direct::kMerges : Direct::kNone;
  }

  bool open(Kind kind) {
    if (open_.size() + n_skipped_ >= kMaxDepth) fail(fmt::format("is nested deeper than {} levels", kMaxDepth));
    if (direct_ == Direct::kMerges || direct_ == Direct::kPieces) return open_pair(kind);
    const bool inside_model = in_model() && n_skipped_ == 0;
    const Direct direct = inside_model ? direct_kind(kind) : Direct::kNone;
    JsonNode* target = place();
    if (target == nullptr || (inside_model && direct == Direct::kNone)) {
      if (target != nullptr) target->kind = kind;
      ++n_skipped_;
      return true;
    }
    target->kind = kind;
    open_.push_back(target);
    direct_ = direct;
    return true;
  }

  bool open_pair(Kind kind) {
    if (in_pair_ || kind != Kind::kArray) fail_direct();
    in_pair_ = true;
    n_in_pair_ = 0;
    return true;
  }

  bool close() {
    if (in_pair_) {
      if (n_in_pair_ != 2) fail_direct();
      in_pair_ = false;
      return true;
    }
    if (n_skipped_ > 0) {
      --n_skipped_;
      return true;
    }
    direct_ = Direct::kNone;
    check_duplicates(*open_.back());
    open_.pop_back();
    return true;
  }

  void check_duplicates(const JsonNode& node) const {
    std::vector<std::string_view> keys;
    keys.reserve(node.members.size());
    for (const auto& [key, value] : node.members) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) fail(fmt::format("has the key \"{}\" twice in one object", *twice));
  }

  std::size_t file_size_;
  const std::string& where_;
  JsonDocument* document_;
  std::vector<JsonNode*> open_;  // from the root to the innermost; only the last child of each is open, so no pointer moves
  std::string key_;
  Direct direct_ = Direct::kNone;
  bool in_pair_ = false;  // inside a list of two within merges or pieces
  std::size_t n_in_pair_ = 0;
  std::size_t n_skipped_ = 0;  // open lists and objects that are skipped
  std::size_t n_values_ = 0;
};

const JsonNode& null_node() {
  static const JsonNode node;
  return node;
}

}  // namespace

JsonDocument parse_json_document(std::string_view text, const std::string& where) {
  JsonDocument document;
  DocumentBuilder builder(text.size(), where, &document);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return document;
}

void JsonPlace::fail(std::string_view what) const {
  throw Error(ErrorKind::kModel,
              path_.empty() ? fmt::format("{}: {}", *where_, what) : fmt::format("{}: {}: {}", *where_, path_, what));
}

void JsonPlace::expect(Kind kind) const {
  if (node_->kind != kind) fail(fmt::format("expected {}, found {}", kind_name(kind), kind_name(node_->kind)));
}

JsonPlace JsonPlace::at(std::string_view key) const {
  expect(Kind::kObject);
  const std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  for (const auto& [name, value] : node_->members) {
    if (name == key) return {value, *where_, path};
  }
  return {null_node(), *where_, path};
}

const std::string& JsonPlace::text() const {
  expect(Kind::kText);
  return node_->text;
}

bool JsonPlace::flag() const {
  expect(Kind::kFlag);
  return node_->flag;
}

std::uint64_t JsonPlace::size() const {
  expect(Kind::kSize);
  return node_->size;
}

double JsonPlace::number() const {
  if (node_->kind != Kind::kSize) expect(Kind::kNumber);
  return node_->number;
}

std::int32_t JsonPlace::id() const {
  if (size() > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    fail(fmt::format("expected an id, found {}", size()));
  }
  return static_cast<std::int32_t>(size());
}

std::vector<JsonPlace> JsonPlace::items() const {
  expect(Kind::kArray);
  std::vector<JsonPlace> places;
  for (const JsonNode& item : node_->items) places.emplace_back(item, *where_, fmt::format("{}[{}]", path_, places.size()));
  return places;
}

std::vector<std::pair<std::string, JsonPlace>> JsonPlace::members() const {
  expect(Kind::kObject);
  std::vector<std::pair<std::string, JsonPlace>> places;
  for (const auto& [name, value] : node_->members) {
    places.emplace_back(name, JsonPlace(value, *where_, path_.empty() ? name : fmt::format("{}.{}", path_, name)));
  }
  return places;
}

}  // namespace attnviz

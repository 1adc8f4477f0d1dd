// See safetensors_header.h. The reader tracks its place in the header: the root object, "__metadata__" inside it, one object per
// tensor, and the two arrays inside that.
#include "formats/weights/safetensors_header.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/quote.h"
#include "base/utf8.h"

namespace attnviz {
namespace {

constexpr std::string_view kMetadataKey = "__metadata__";

// One JSON scalar, in the form that the checks need.
struct Scalar {
  std::string_view other;                 // its spelling in messages, if it is neither of the following
  std::optional<std::uint64_t> number{};  // a whole number >= 0
  const std::string* text = nullptr;

  std::string found() const {  // called only for messages: a header holds hundreds of values
    return text != nullptr ? quote_text(*text) : number ? fmt::format("{}", *number) : std::string(other);
  }
};

class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& where) : where_(where) {}

  std::vector<SafetensorsEntry> take_entries() { return std::move(entries_); }

  bool null() override { return scalar({"null"}); }
  bool boolean(bool value) override { return scalar({value ? "true" : "false"}); }
  bool number_integer(number_integer_t value) override { return scalar({fmt::format("{}", value)}); }
  bool number_unsigned(number_unsigned_t value) override { return scalar({{}, value}); }
  // Whole numbers of more than 64 bits also arrive as floats; the message shows the raw spelling.
  bool number_float(number_float_t, const string_t& raw) override { return scalar({std::string_view(raw).substr(0, 40)}); }
  bool string(string_t& value) override { return scalar({{}, {}, &value}); }
  bool binary(binary_t&) override { return scalar({"bytes"}); }

  bool start_object(std::size_t) override {
    if (skipped_depth_ > 0 || is_unknown_field()) {
      ++skipped_depth_;
    } else if (place_ == Place::kStart) {
      place_ = Place::kRoot;
    } else if (place_ == Place::kRoot) {
      place_ = key_ == kMetadataKey ? Place::kMetadata : Place::kTensor;
      entry_ = {};
      seen_ = {};
    } else {
      wrong_value("an object");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (skipped_depth_ > 0 || is_unknown_field()) {
      ++skipped_depth_;
    } else if (place_ == Place::kTensor && key_ == "shape") {
      place_ = Place::kShape;
    } else if (place_ == Place::kTensor && key_ == "data_offsets") {
      place_ = Place::kOffsets;
      offsets_.clear();
    } else {
      wrong_value("an array");
    }
    return true;
  }

  bool key(string_t& name) override {
    if (skipped_depth_ > 0) return true;
    key_ = name;
    if (place_ == Place::kRoot) {
      tensor_ = name;
      if (name == kMetadataKey && std::exchange(seen_metadata_, true)) fail("\"__metadata__\" appears twice; expected it once");
    } else if (place_ == Place::kTensor) {
      bool* seen = name == "dtype"          ? &seen_.dtype
                   : name == "shape"        ? &seen_.shape
                   : name == "data_offsets" ? &seen_.offsets
                                            : nullptr;
      if (seen != nullptr && std::exchange(*seen, true)) fail_tensor(fmt::format("\"{}\" appears twice; expected it once", name));
    }
    return true;
  }

  bool end_object() override {
    if (skipped_depth_ > 0) {
      --skipped_depth_;
    } else if (place_ == Place::kTensor) {
      finish_tensor();
      place_ = Place::kRoot;
    } else if (place_ == Place::kMetadata) {
      place_ = Place::kRoot;
    }
    return true;
  }

  bool end_array() override {
    if (skipped_depth_ > 0) {
      --skipped_depth_;
      return true;
    }
    if (place_ == Place::kOffsets) {
      if (offsets_.size() != 2) fail_tensor(fmt::format("data_offsets: expected [begin, end], found {} numbers", offsets_.size()));
      entry_.begin = offsets_[0];
      entry_.end = offsets_[1];
    }
    place_ = Place::kTensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& fault) override {
    std::string reason = fault.what();
    if (const auto bracket = reason.find("] "); bracket != std::string::npos) reason.erase(0, bracket + 2);
    fail(fmt::format("the header is not valid JSON at its byte {}: {}", position, quote_text(reason, 300)));
  }

 private:
  enum class Place { kStart, kRoot, kMetadata, kTensor, kShape, kOffsets };
  struct Seen {
    bool dtype = false;
    bool shape = false;
    bool offsets = false;
  };

  // A field that the format does not define. It is skipped whole, as in the reference reader.
  bool is_unknown_field() const { return place_ == Place::kTensor && key_ != "dtype" && key_ != "shape" && key_ != "data_offsets"; }

  bool scalar(const Scalar& value) {
    if (skipped_depth_ > 0 || is_unknown_field()) return true;
    if (place_ == Place::kMetadata && value.text != nullptr) return true;
    if (place_ == Place::kTensor && key_ == "dtype" && value.text != nullptr) {
      const auto dtype = dtype_from_name(*value.text);
      if (!dtype)
        fail_tensor(fmt::format("unknown dtype {}; expected F32, F16, BF16 or another type of the format", value.found()));
      entry_.dtype = *dtype;
      return true;
    }
    if ((place_ == Place::kShape || place_ == Place::kOffsets) && value.number) {
      (place_ == Place::kShape ? entry_.shape : offsets_).push_back(static_cast<std::size_t>(*value.number));
      return true;
    }
    wrong_value(value.found());
  }

  void finish_tensor() {
    const char* missing = !seen_.dtype ? "dtype" : !seen_.shape ? "shape" : !seen_.offsets ? "data_offsets" : nullptr;
    if (missing != nullptr) fail_tensor(fmt::format("has no \"{}\"; expected dtype, shape and data_offsets", missing));
    entry_.name = tensor_;
    entries_.push_back(std::move(entry_));
  }

  [[noreturn]] void wrong_value(const std::string& found) const {
    switch (place_) {
      case Place::kStart: fail("the header: expected a JSON object, found " + found);
      case Place::kRoot:
        if (key_ == kMetadataKey) fail("__metadata__: expected an object of strings, found " + found);
        fail_tensor("expected an object with dtype, shape and data_offsets, found " + found);
      case Place::kMetadata: fail(fmt::format("__metadata__ {}: expected a string, found {}", quote_text(key_), found));
      case Place::kTensor:
        fail_tensor(fmt::format("{}: expected {}, found {}", key_, key_ == "dtype" ? "a string" : "an array", found));
      case Place::kShape: fail_tensor("shape: expected whole numbers from 0 to 2^64 - 1, found " + found);
      case Place::kOffsets: fail_tensor("data_offsets: expected whole numbers from 0 to 2^64 - 1, found " + found);
    }
    throw Error(ErrorKind::kBug, "safetensors: a place without a message");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kModel, fmt::format("{}: {}; the file is damaged: download or save it again", where_, what));
  }
  [[noreturn]] void fail_tensor(const std::string& what) const { fail(fmt::format("tensor {}: {}", quote_text(tensor_), what)); }

  const std::string& where_;
  std::vector<SafetensorsEntry> entries_;
  Place place_ = Place::kStart;
  std::size_t skipped_depth_ = 0;  // open brackets inside an unknown field
  std::string key_;                // the innermost key read
  std::string tensor_;             // the current key of the root: a tensor's name
  SafetensorsEntry entry_;
  Seen seen_;
  std::vector<std::size_t> offsets_;
  bool seen_metadata_ = false;
};

void refuse_duplicates(const std::vector<SafetensorsEntry>& entries, const std::string& where) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const SafetensorsEntry& entry : entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  const auto twin = std::adjacent_find(names.begin(), names.end());
  if (twin == names.end()) return;
  throw Error(ErrorKind::kModel, fmt::format("{}: tensor {}: is in the header twice; expected each name once; the file is damaged: "
                                             "download or save it again",
                                             where, quote_text(*twin)));
}

}  // namespace

std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view json, const std::string& where) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: {}; this is not a safetensors file, or it is damaged: download or save it again", where, what));
  };
  if (json.empty() || json.front() != '{') {
    fail(fmt::format("the header: expected a JSON object that starts with {{, found {}",
                     json.empty() ? "nothing" : quote_text(json, 16)));
  }
  if (const auto invalid = find_invalid_utf8(json)) fail(fmt::format("the header is not UTF-8 at its byte {}", *invalid));
  HeaderReader reader(where);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  auto entries = reader.take_entries();
  refuse_duplicates(entries, where);
  return entries;
}

}  // namespace attnviz

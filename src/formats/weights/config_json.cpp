// See config_json.h.
#include "formats/weights/config_json.h"

#include <attnviz/error.h>

#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/quote.h"
#include "base/utf8.h"

namespace attnviz {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxConfigBytes = 64 << 20;  // an index of 100,000 tensors takes 10 MB

// NaN, Infinity and -Infinity outside strings become strings of that spelling, so that they are an error only if a number is read
// from them.
std::string quote_non_finite(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    if (!in_string) {
      bool replaced = false;
      for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
        if (text.substr(i, word.size()) != word) continue;
        out += fmt::format("\"{}\"", word);
        i += word.size();
        replaced = true;
        break;
      }
      if (replaced) continue;
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      out += text[i++];
      out += text[i++];
      continue;
    }
    if (text[i] == '"') in_string = !in_string;
    out += text[i++];
  }
  return out;
}

// The value as a message shows it. Arrays and objects are shown by kind only, because printing one would recurse as deep as it
// nests.
std::string found_text(const json& value) {
  if (value.is_string()) return quote_text(value.get_ref<const std::string&>());
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return value.dump();
}

}  // namespace

struct ConfigObject::Impl {
  std::shared_ptr<const json> document;  // keeps `object` alive
  const json* object = nullptr;
  std::string path;  // "rope_scaling." inside, "" at the root
  std::string file;

  const json* find(std::string_view key) const {
    const auto found = object->find(std::string(key));
    return found == object->end() || found->is_null() ? nullptr : &*found;
  }

  // The key as messages show it: foreign text is quoted unless it is a plain word.
  static std::string shown(std::string_view key) { return is_simple(key) ? std::string(key) : quote_text(key); }

  std::string key_path(std::string_view key) const { return fmt::format("{}: {}{}", file, path, shown(key)); }

  static bool is_simple(std::string_view key) {
    for (const char c : key) {
      if (!(c == '_' || c == '-' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
        return false;
    }
    return !key.empty() && key.size() <= 100;
  }

  [[noreturn]] void wrong(const std::string& at, std::string_view expected, const json& value) const {
    throw Error(ErrorKind::kModel, fmt::format("{}: expected {}, found {}; correct the file", at, expected, found_text(value)));
  }

  const json& required(std::string_view key, std::string_view expected) const {
    if (const json* value = find(key)) return *value;
    throw Error(ErrorKind::kModel,
                fmt::format("{}: expected {}, found nothing; is the file of this model complete?", key_path(key), expected));
  }

  std::size_t to_size(const json& value, const std::string& at) const {
    if (!value.is_number_unsigned()) wrong(at, "a whole number >= 0", value);
    return value.get<std::size_t>();
  }

  const std::string& to_text(const json& value, const std::string& at) const {
    if (!value.is_string()) wrong(at, "a string", value);
    return value.get_ref<const std::string&>();
  }

  // The elements of an array; none if the key is absent.
  std::span<const json> array(std::string_view key, std::string_view expected) const {
    const json* value = find(key);
    if (value == nullptr) return {};
    if (!value->is_array()) wrong(key_path(key), expected, *value);
    return value->get_ref<const json::array_t&>();
  }

  std::shared_ptr<const Impl> inside(const json& value, const std::string& inner_path) const {
    return std::make_shared<Impl>(Impl{document, &value, inner_path, file});
  }
};

ConfigObject ConfigObject::read(const std::filesystem::path& file) {
  return parse(read_text_file(file, kMaxConfigBytes, ErrorKind::kModel), file.string());
}

ConfigObject ConfigObject::parse(std::string_view text, const std::string& where) {
  if (const auto invalid = find_invalid_utf8(text)) {
    throw Error(ErrorKind::kModel, fmt::format("{}: is not UTF-8 at byte {}; expected JSON in UTF-8", where, *invalid));
  }
  json document;
  try {
    document = json::parse(quote_non_finite(text));
  } catch (const json::exception& fault) {
    std::string reason = fault.what();
    if (const auto bracket = reason.find("] "); bracket != std::string::npos) reason.erase(0, bracket + 2);
    throw Error(ErrorKind::kModel,
                fmt::format("{}: is not valid JSON: {}; download or save the file again", where, quote_text(reason, 300)));
  }
  if (!document.is_object()) {
    throw Error(ErrorKind::kModel, fmt::format("{}: expected a JSON object of settings, found {}", where, found_text(document)));
  }
  ConfigObject config;
  auto owned = std::make_shared<const json>(std::move(document));
  config.impl_ = std::make_shared<Impl>(Impl{owned, owned.get(), "", where});
  config.where_ = where;
  return config;
}

bool ConfigObject::has(std::string_view key) const { return impl_->find(key) != nullptr; }

std::size_t ConfigObject::size(std::string_view key) const {
  return impl_->to_size(impl_->required(key, "a whole number >= 0"), impl_->key_path(key));
}

std::size_t ConfigObject::size(std::string_view key, std::size_t fallback) const {
  const json* value = impl_->find(key);
  return value == nullptr ? fallback : impl_->to_size(*value, impl_->key_path(key));
}

double ConfigObject::number(std::string_view key, double fallback) const {
  const json* value = impl_->find(key);
  if (value == nullptr) return fallback;
  if (!value->is_number()) impl_->wrong(impl_->key_path(key), "a finite number", *value);
  return value->get<double>();
}

bool ConfigObject::flag(std::string_view key, bool fallback) const {
  const json* value = impl_->find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) impl_->wrong(impl_->key_path(key), "true or false", *value);
  return value->get<bool>();
}

std::string ConfigObject::text(std::string_view key) const {
  return impl_->to_text(impl_->required(key, "a string"), impl_->key_path(key));
}

std::string ConfigObject::text(std::string_view key, std::string_view fallback) const {
  const json* value = impl_->find(key);
  return value == nullptr ? std::string(fallback) : impl_->to_text(*value, impl_->key_path(key));
}

bool ConfigObject::is_text(std::string_view key) const {
  const json* value = impl_->find(key);
  return value != nullptr && value->is_string();
}

std::vector<std::string> ConfigObject::texts(std::string_view key) const {
  std::vector<std::string> texts;
  for (const json& element : impl_->array(key, "an array of strings")) {
    texts.push_back(impl_->to_text(element, fmt::format("{}[{}]", impl_->key_path(key), texts.size())));
  }
  return texts;
}

std::vector<std::size_t> ConfigObject::sizes(std::string_view key) const {
  std::vector<std::size_t> sizes;
  for (const json& element : impl_->array(key, "an array of whole numbers >= 0")) {
    sizes.push_back(impl_->to_size(element, fmt::format("{}[{}]", impl_->key_path(key), sizes.size())));
  }
  return sizes;
}

std::vector<double> ConfigObject::numbers(std::string_view key) const {
  std::vector<double> numbers;
  for (const json& element : impl_->array(key, "an array of finite numbers")) {
    if (!element.is_number()) {
      impl_->wrong(fmt::format("{}[{}]", impl_->key_path(key), numbers.size()), "a finite number", element);
    }
    numbers.push_back(element.get<double>());
  }
  return numbers;
}

std::vector<double> ConfigObject::number_or_numbers(std::string_view key) const {
  const json* value = impl_->find(key);
  if (value != nullptr && value->is_number()) return {value->get<double>()};
  return numbers(key);
}

std::optional<ConfigObject> ConfigObject::object(std::string_view key) const {
  const json* value = impl_->find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) impl_->wrong(impl_->key_path(key), "an object", *value);
  ConfigObject inner;
  inner.impl_ = impl_->inside(*value, fmt::format("{}{}.", impl_->path, Impl::shown(key)));
  inner.where_ = impl_->key_path(key);
  return inner;
}

std::vector<ConfigObject> ConfigObject::objects(std::string_view key) const {
  std::vector<ConfigObject> objects;
  for (const json& element : impl_->array(key, "an array of objects")) {
    const std::string index = fmt::format("[{}]", objects.size());
    if (!element.is_object()) impl_->wrong(impl_->key_path(key) + index, "an object", element);
    ConfigObject inner;
    inner.impl_ = impl_->inside(element, fmt::format("{}{}{}.", impl_->path, Impl::shown(key), index));
    inner.where_ = impl_->key_path(key) + index;
    objects.push_back(std::move(inner));
  }
  return objects;
}

std::vector<std::string> ConfigObject::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : impl_->object->items()) keys.push_back(key);
  return keys;
}

}  // namespace attnviz

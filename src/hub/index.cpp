// See index.h.
#include "hub/index.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"
#include "base/setting_error.h"
#include "base/suggest.h"
#include "formats/tokenizer/tokenizer_json_tree.h"
#include "hub/cache.h"

namespace attnviz {
namespace {

constexpr std::size_t kShownNames = 12;
constexpr std::array<std::string_view, 7> kPlainFiles = {
    "config.json", "generation_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt", "vocab.json",
    "merges.txt"};

bool is_hex(std::string_view text, std::size_t length) {
  return text.size() == length &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// A large file's own size and hash are in "lfs"; those beside its name may be the pointer's.
void read_size_and_hash(const JsonPlace& entry, HubFile* file) {
  const bool is_large = entry.has("lfs");
  const JsonPlace from = is_large ? entry.at("lfs") : entry;
  const JsonPlace hash = is_large ? from.at("sha256") : from.at("blobId");
  const JsonPlace size = from.has("size") ? from.at("size") : entry.at("size");
  if (size.is_null() || hash.is_null()) return;
  file->hash_kind = is_large ? HashKind::kSha256 : HashKind::kGitSha1;
  file->size = size.size();
  if (!is_hex(hash.text(), is_large ? 64 : 40)) {
    hash.fail(fmt::format("expected {} hex digits, found {}", is_large ? 64 : 40, quote_text(hash.text())));
  }
  file->hash = hash.text();
}

bool is_tokenizer_or_config(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return false;
  if (std::find(kPlainFiles.begin(), kPlainFiles.end(), name) != kPlainFiles.end()) return true;
  return (name.starts_with("tokenizer") && name.ends_with(".json")) || name.ends_with(".model");
}

using NameTest = std::function<bool(std::string_view)>;

std::vector<HubFile> files_where(const HubIndex& index, const NameTest& wanted) {
  std::vector<HubFile> found;
  std::copy_if(index.files.begin(), index.files.end(), std::back_inserter(found),
               [&](const HubFile& file) { return wanted(file.name); });
  return found;
}

// The single file `stem`+`suffix`, else its index and parts "stem-00001-of-00002"+suffix; empty when neither is there.
std::vector<HubFile> weight_files(const HubIndex& index, const std::string& stem, const std::string& suffix) {
  auto found = files_where(index, [&](auto name) { return name == stem + suffix; });
  if (!found.empty()) return found;
  const std::string list = stem + suffix + ".index.json";
  if (files_where(index, [&](auto name) { return name == list; }).empty()) return {};
  return files_where(index, [&](std::string_view name) {
    const bool is_part = name.starts_with(stem + "-") && name.ends_with(suffix) && name.find("-of-") != std::string_view::npos;
    return name == list || (is_part && name.find('/') == std::string_view::npos);
  });
}

std::string shown_names(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  const std::size_t n_shown = std::min(names.size(), kShownNames);
  std::string text;
  for (std::size_t i = 0; i < n_shown; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", quote_text(names[i]));
  if (names.size() > n_shown) text += fmt::format(" and {} more", names.size() - n_shown);
  return text;
}

std::vector<std::string> names_ending_in(const HubIndex& index, std::string_view end) {
  std::vector<std::string> names;
  for (const HubFile& file : index.files) {
    if (file.name.ends_with(end)) names.push_back(file.name);
  }
  return names;
}

// "x-00001-of-00003.gguf" brings its other parts.
std::vector<HubFile> named_file(const HubIndex& index, std::string_view file, const std::string& where) {
  auto found = files_where(index, [&](auto name) { return name == file; });
  if (found.empty()) {
    const auto names = names_ending_in(index, "");
    const auto close = closest_name(file, names);
    const auto ggufs = names_ending_in(index, ".gguf");
    throw Error(ErrorKind::kModel, fmt::format("{}: has no file {}; {}its {} files: {}", where, quote_text(file),
                                               close ? fmt::format("did you mean {}? ", quote_text(*close)) : "",
                                               ggufs.empty() ? "" : ".gguf", shown_names(ggufs.empty() ? names : ggufs)));
  }
  const std::size_t first = file.rfind("-00001-of-");
  if (first == std::string_view::npos) return found;
  const std::string_view stem = file.substr(0, first + 1), end = file.substr(first + 6);
  return files_where(index, [&](auto name) { return name.size() == file.size() && name.starts_with(stem) && name.ends_with(end); });
}

std::vector<HubFile> model_files(const HubIndex& index, const std::string& where) {
  auto chosen = files_where(index, is_tokenizer_or_config);
  const bool has_config = std::any_of(chosen.begin(), chosen.end(), [](const HubFile& file) { return file.name == "config.json"; });
  auto weights = weight_files(index, "model", ".safetensors");
  if (weights.empty()) weights = weight_files(index, "pytorch_model", ".bin");
  if (!has_config || weights.empty()) {
    const auto ggufs = names_ending_in(index, ".gguf");
    const auto names = names_ending_in(index, "");
    const std::string lacks =
        has_config ? "weights; expected model.safetensors or pytorch_model.bin, or their .index.json" : "config.json";
    if (ggufs.empty()) throw Error(ErrorKind::kModel, fmt::format("{}: has no {}; found {}", where, lacks, shown_names(names)));
    throw SettingError(ErrorKind::kModel, {fmt::format("{}: has no {}; choose one of its .gguf files with ", where, lacks),
                                           Setting::kFile, fmt::format(" NAME: {}", shown_names(ggufs))});
  }
  std::move(weights.begin(), weights.end(), std::back_inserter(chosen));
  return chosen;
}

}  // namespace

HubIndex parse_hub_index(std::string_view text, const std::string& where) {
  const JsonDocument document = parse_json_document(text, where);
  const JsonPlace root(document.root, where);
  HubIndex index;
  index.commit = root.at("sha").text();
  if (!is_hub_commit(index.commit)) {
    root.at("sha").fail(fmt::format("expected a commit of 40 hex digits, found {}", quote_text(index.commit)));
  }
  std::set<std::string_view> seen;
  const auto entries = root.at("siblings").items();
  for (const JsonPlace& entry : entries) {
    const std::string& name = entry.at("rfilename").text();
    if (!is_hub_file_name(name)) {
      entry.at("rfilename")
          .fail(fmt::format("the file name {} leaves the model's folder or cannot be shown; nothing was downloaded",
                            quote_text(name)));
    }
    if (!seen.insert(name).second) entry.at("rfilename").fail(fmt::format("{} is listed twice", quote_text(name)));
    index.files.push_back({.name = name});
    read_size_and_hash(entry, &index.files.back());
  }
  return index;
}

std::vector<HubFile> choose_hub_files(const HubIndex& index, std::string_view file, const std::string& where) {
  auto chosen = file.empty() ? model_files(index, where) : named_file(index, file, where);
  for (const HubFile& each : chosen) {
    if (each.hash.empty()) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: gives no size and hash for {}, so what comes could not be checked; expected \"size\" and "
                              "\"blobId\" or \"lfs\"; is HF_ENDPOINT a complete mirror of the hub?",
                              where, quote_text(each.name)));
    }
  }
  return chosen;
}

}  // namespace attnviz

// See cache.h.
#include "hub/cache.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/quote.h"
#include "base/utf8.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModelPrefix = "models--";
constexpr std::size_t kMaxIdLength = 96;  // the hub's own limit
constexpr std::size_t kMaxNameLength = 1024;
constexpr std::size_t kMaxRefLength = 1024;
constexpr std::size_t kCommitLength = 40;

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path expand_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  return fs::path(environment_variable("HOME")) / path.substr(std::min<std::size_t>(path.size(), 2));
}

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The hub's rule for an organisation and for a name: no dot or dash at either end, nor two in a row.
bool is_id_part(std::string_view part) {
  if (part.empty() || part.front() == '.' || part.front() == '-' || part.back() == '.' || part.back() == '-') return false;
  if (part.find("..") != std::string_view::npos || part.find("--") != std::string_view::npos) return false;
  return std::all_of(part.begin(), part.end(), [](char c) { return is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; });
}

std::vector<std::string_view> split_path(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t slash = text.find('/');
    parts.push_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    text.remove_prefix(slash + 1);
  }
}

std::vector<std::string> file_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code fault;
  for (fs::recursive_directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    if (fs::is_regular_file(entry->path(), fault)) names.push_back(entry->path().lexically_relative(folder).string());
    fault.clear();  // a link to a blob that no longer exists
  }
  std::sort(names.begin(), names.end());
  return names;
}

// "x-00002-of-00003.gguf", which is opened through the first part.
bool is_later_part(std::string_view name) {
  const std::size_t of = name.rfind("-of-");
  return of != std::string_view::npos && of >= 6 && name[of - 6] == '-' && name.substr(of - 5, 5) != "00001";
}

std::string pull_command(const HubId& wanted) {
  return fmt::format("attnviz pull {}{}", wanted.id, wanted.revision == kDefaultRevision ? "" : "@" + wanted.revision);
}

}  // namespace

std::optional<HubId> parse_hub_id(std::string_view text) {
  HubId parsed;
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    parsed.revision = text.substr(at + 1);
    text = text.substr(0, at);
    if (!is_hub_revision(parsed.revision)) return std::nullopt;
  }
  const auto parts = split_path(text);
  if (text.size() > kMaxIdLength || parts.size() > 2 || !std::all_of(parts.begin(), parts.end(), is_id_part)) return std::nullopt;
  parsed.id = text;
  return parsed;
}

bool is_hub_revision(std::string_view text) {
  const auto is_allowed = [](char c) { return is_alphanumeric(c) || std::string_view("._-+=/").find(c) != std::string_view::npos; };
  if (text.empty() || text.size() > kMaxRefLength || !std::all_of(text.begin(), text.end(), is_allowed)) return false;
  const auto parts = split_path(text);
  return std::none_of(parts.begin(), parts.end(),
                      [](auto part) { return part.empty() || part.front() == '.' || part.front() == '-'; });
}

bool is_hub_commit(std::string_view text) {
  return text.size() == kCommitLength &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_hub_file_name(std::string_view name) {
  if (name.size() > kMaxNameLength || find_invalid_utf8(name) || printable_text(name) != name) return false;
  const auto parts = split_path(name);
  return std::all_of(parts.begin(), parts.end(), [](auto part) { return is_plain_file_name(part) && part.size() <= 255; });
}

fs::path hub_cache_folder() {
  if (const std::string cache = environment_variable("HF_HUB_CACHE"); !cache.empty()) return expand_home(cache);
  if (const std::string home = environment_variable("HF_HOME"); !home.empty()) return expand_home(home) / "hub";
  if (const std::string xdg = environment_variable("XDG_CACHE_HOME"); !xdg.empty()) return expand_home(xdg) / "huggingface" / "hub";
  const std::string home = environment_variable("HOME");
  if (home.empty()) return {};
  return fs::path(home) / ".cache" / "huggingface" / "hub";
}

fs::path hub_model_folder(const fs::path& cache, std::string_view id) {
  std::string name(kModelPrefix);
  for (const char c : id) name += c == '/' ? std::string("--") : std::string(1, c);
  return cache / name;
}

std::optional<fs::path> find_hub_snapshot(const fs::path& cache, const HubId& wanted) {
  const fs::path model = hub_model_folder(cache, wanted.id);
  std::error_code ignored;
  std::string commit = wanted.revision;
  const fs::path ref = model / "refs" / wanted.revision;
  if (fs::is_regular_file(ref, ignored)) {
    commit = read_text_file(ref, kMaxRefLength, ErrorKind::kModel);
    while (!commit.empty() && (commit.back() == '\n' || commit.back() == '\r')) commit.pop_back();
    if (!is_hub_commit(commit)) {
      throw Error(ErrorKind::kModel, fmt::format("{}: expected a commit of {} hex digits, found {}; get it again: {}", ref.string(),
                                                 kCommitLength, quote_text(commit), pull_command(wanted)));
    }
  }
  if (!is_hub_commit(commit)) return std::nullopt;
  const fs::path snapshot = model / "snapshots" / commit;
  if (!fs::is_directory(snapshot, ignored)) return std::nullopt;
  return snapshot;
}

fs::path model_in_snapshot(const fs::path& snapshot, const HubId& wanted) {
  std::error_code ignored;
  if (fs::exists(snapshot / "config.json", ignored)) return snapshot;
  const auto names = file_names(snapshot);
  std::vector<std::string> ggufs;
  for (const std::string& name : names) {
    if (name.ends_with(".gguf") && !is_later_part(name)) ggufs.push_back(printable_text(name));
  }
  if (ggufs.size() == 1) return snapshot / ggufs.front();
  if (ggufs.size() > 1) {
    throw Error(ErrorKind::kModel,
                fmt::format("model {}: has {} .gguf files in the cache; choose one by its path, {}/NAME; NAME is one of: {}",
                            wanted.id, ggufs.size(), snapshot.string(), fmt::join(ggufs, ", ")));
  }
  std::string found = "nothing";
  if (!names.empty())
    found = printable_text(
        fmt::format("{}", fmt::join(names.begin(), names.begin() + std::min<std::ptrdiff_t>(8, std::ssize(names)), ", ")));
  throw Error(ErrorKind::kModel,
              fmt::format("model {}: is not complete in the cache: {} has no config.json, found {}; get the rest with: {}",
                          wanted.id, snapshot.string(), found, pull_command(wanted)));
}

std::vector<std::string> cached_hub_ids(const fs::path& cache) {
  std::vector<std::string> ids;
  std::error_code fault;
  for (fs::directory_iterator entry(cache, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with(kModelPrefix)) continue;
    name.erase(0, kModelPrefix.size());
    if (const std::size_t dashes = name.find("--"); dashes != std::string::npos) name.replace(dashes, 2, 1, '/');
    if (parse_hub_id(name)) ids.push_back(std::move(name));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace attnviz

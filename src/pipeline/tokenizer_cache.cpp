// See tokenizer_cache.h.
#include "pipeline/tokenizer_cache.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/flat_bytes.h"
#include "text/frozen_tokenizer.h"
#include "text/make_tokenizer.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".tok";
constexpr std::string_view kMagic = "attnviz tokenizer";
constexpr std::string_view kVersion = ATTNVIZ_VERSION;
constexpr std::string_view kWhere = "the tokenizer's cache";  // no message of it is ever seen
// A file that changes twice within a tick of the file system's clock looks the same after both. So, as Git does with its index,
// what was changed so shortly before it was read, or since, is not kept yet.
constexpr std::int64_t kTickNanoseconds = 20'000'000;

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// How the messages of a tokenizer begin: the path of one of its files, and what follows.
struct Where {
  std::uint32_t file = 0;
  std::string rest;
};

std::optional<Where> find_where(const std::string& where, const std::vector<fs::path>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string path = files[i].string();
    const std::string_view rest = std::string_view(where).substr(std::min(path.size(), where.size()));
    if (where.starts_with(path) && (rest.empty() || rest.starts_with(':'))) {
      return Where{static_cast<std::uint32_t>(i), std::string(rest)};
    }
  }
  return std::nullopt;
}

std::string header_text(const std::string& identity) {
  FlatWriter out;
  out.text(kMagic);
  out.number(kFrozenFormat);
  out.text(kVersion);
  out.text(identity);
  return out.take();
}

// "0123456789abcdef.tok", or what a run that was ended left of one; other files in the folder are someone else's.
bool is_ours(const std::string& name) {
  if (name.starts_with(".attnviz-") && name.ends_with(".tmp")) return true;
  constexpr std::size_t kDigits = 16;
  return name.size() == kDigits + kExtension.size() && name.ends_with(kExtension) &&
         name.find_first_not_of("0123456789abcdef") == kDigits;
}

// Of our files in the folder, those that were written longest ago go.
void remove_oldest(const fs::path& folder) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (!is_ours(entry->path().filename().string())) continue;
    std::error_code gone;
    const fs::file_time_type written = entry->last_write_time(gone);
    if (!gone) files.emplace_back(written, entry->path());
  }
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i + kMaxKeptFiles < files.size(); ++i) fs::remove(files[i].second, ignored);
}

void keep(const fs::path& file, std::string_view bytes) {
  if (bytes.empty()) return;
  std::error_code fault;
  fs::create_directories(file.parent_path(), fault);
  if (fault || (fs::exists(file, fault) && !fs::is_regular_file(file, fault))) return;
  try {
    write_file_atomically(file, bytes);
  } catch (const Error&) {
    return;  // a full disk, a home that is read-only: then the next run parses again
  }
  remove_oldest(file.parent_path());
}

std::unique_ptr<Tokenizer> open_file(const fs::path& path, const std::string& identity, const std::vector<fs::path>& files) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return nullptr;
  try {
    const auto file = std::make_shared<const MappedFile>(path);
    return open_kept_tokenizer({file, file->bytes()}, identity, files);
  } catch (const Error&) {
    return nullptr;
  }
}

bool is_settled(const TokenizerSource& source) {
  return std::all_of(source.files.begin(), source.files.end(),
                     [&](const fs::path& file) { return identify_file(file).changed < source.begun - kTickNanoseconds; });
}

}  // namespace

fs::path program_cache_folder() {
  const std::string chosen = environment_variable("ATTNVIZ_CACHE");
  if (chosen == "off") return {};
  if (!chosen.empty()) return chosen;
  std::error_code ignored;
  const fs::path cache = environment_variable("XDG_CACHE_HOME");
  if (cache.is_absolute()) return cache / "attnviz";
  const fs::path home = environment_variable("HOME");
  if (!home.is_absolute() || !fs::is_directory(home, ignored)) return {};
  return home / ".cache" / "attnviz";
}

std::string identity_of(const TokenizerSource& source) {
  std::error_code fault;
  const fs::path place = fs::canonical(source.place, fault);
  if (fault) return {};
  FlatWriter out;
  out.text(place.string());
  for (const fs::path& file : source.files) {
    out.text(file.filename().string());
    out.number(identify_file(file));
  }
  return out.take();
}

fs::path tokenizer_cache_file(const TokenizerSource& source, const fs::path& cache) {
  std::error_code fault;
  const std::string place = fs::canonical(source.place, fault).string();
  const std::uint64_t hash = checksum_of(std::as_bytes(std::span<const char>(place)));
  return cache / "tokenizers" / fmt::format("{:016x}{}", hash, kExtension);
}

std::string kept_bytes(const FlatBytes& frozen, const std::string& where, const std::string& identity,
                       const std::vector<fs::path>& files) {
  const auto place = find_where(where, files);
  if (!place) return {};
  FlatWriter out;
  out.number<std::uint64_t>(0);  // the checksum's place
  out.text(header_text(identity));
  out.number(place->file);
  out.text(place->rest);
  out.array(frozen.bytes);
  std::string bytes = out.take();
  const std::uint64_t sum = checksum_of(std::as_bytes(std::span<const char>(bytes)).subspan(sizeof sum));
  std::copy_n(reinterpret_cast<const char*>(&sum), sizeof sum, bytes.begin());
  return bytes;
}

std::unique_ptr<Tokenizer> open_kept_tokenizer(const FlatBytes& kept, const std::string& identity,
                                               const std::vector<fs::path>& files) {
  try {
    FlatReader reader(kept.bytes, kWhere);
    const auto sum = reader.number<std::uint64_t>();
    if (reader.text() != header_text(identity)) return nullptr;  // before the checksum, which reads all of it
    if (checksum_of(kept.bytes.subspan(sizeof sum)) != sum) return nullptr;
    const auto file = reader.number<std::uint32_t>();
    if (file >= files.size()) return nullptr;
    const std::string where = files[file].string().append(reader.text());
    return open_tokenizer({kept.owner, reader.array<std::byte>()}, where);
  } catch (const Error&) {
    return nullptr;
  }
}

std::unique_ptr<Tokenizer> open_tokenizer_of(const TokenizerSource& source, const fs::path& cache) {
  const std::string identity = cache.empty() ? std::string() : identity_of(source);
  if (identity.empty()) return make_tokenizer(source.read());
  const fs::path path = tokenizer_cache_file(source, cache);
  if (auto kept = open_file(path, identity, source.files)) return kept;
  const TokenizerSpec spec = source.read();
  const FlatBytes frozen = FlatBytes::of(freeze_tokenizer(spec));
  auto tokenizer = open_tokenizer(frozen, spec.where);
  if (frozen.bytes.size() >= kMinKeptBytes && is_settled(source) && identity_of(source) == identity) {
    keep(path, kept_bytes(frozen, spec.where, identity, source.files));
  }
  return tokenizer;
}

}  // namespace attnviz

// See pull.h.
#include "hub/pull.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/file.h"
#include "base/quote.h"
#include "base/suggest.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIndexBytes = 32 << 20;

std::string trimmed_variable(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && is_space(text.back())) text.pop_back();
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_space));
  return text;
}

bool is_set(const char* name) {
  std::string value = trimmed_variable(name);
  std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::tolower(c); });
  return value == "1" || value == "on" || value == "yes" || value == "true";
}

// A path inside an address; `keep_slash` keeps '/'.
std::string percent_encode(std::string_view text, bool keep_slash) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~").find(c) != std::string_view::npos || (c == '/' && keep_slash);
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

void make_folder(const fs::path& folder) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be created: {}", folder.string(), fault.message()));
}

class Pull {
 public:
  Pull(const PullSource& source, const HubId& wanted, PullObserver& observer)
      : source_(source),
        wanted_(wanted),
        observer_(observer),
        where_("pull " + wanted.id),
        model_(hub_model_folder(source.cache, wanted.id)),
        locks_(source.cache / ".locks" / model_.filename()) {}

  PullResult run(const std::string& file) {
    const HubIndex index = fetch_index();
    const auto files = choose_hub_files(index, file, where_);
    for (const fs::path& folder : {model_ / "blobs", model_ / "refs", locks_}) make_folder(folder);
    PullResult result{.snapshot = model_ / "snapshots" / index.commit, .n_file = files.size()};
    result.n_byte_fetched = plan(files, &result.n_byte);
    for (const HubFile& each : files) fetch(each, index.commit);
    link(files, result.snapshot);
    if (!is_hub_commit(wanted_.revision)) {
      const fs::path ref = model_ / "refs" / wanted_.revision;
      make_folder(ref.parent_path());
      write_file_atomically(ref, index.commit);
    }
    return result;
  }

 private:
  fs::path blob_of(const HubFile& file) const { return model_ / "blobs" / file.hash; }

  HubIndex fetch_index() {
    const std::string url = fmt::format("{}/api/models/{}/revision/{}?blobs=true", source_.endpoint, wanted_.id,
                                        percent_encode(wanted_.revision, false));
    std::string last;
    for (int n_failed = 0; n_failed < kMaxTries; ++n_failed) {
      if (n_failed > 0 && !wait_before_retry(n_failed, observer_)) stop();
      std::string text;
      HttpRequest request{.url = url, .token = source_.token};
      request.on_body = [&](std::string_view bytes) {
        text += bytes;
        return text.size() <= kMaxIndexBytes;
      };
      request.should_stop = [&] { return observer_.should_stop(); };
      const HttpResult result = client_.get(request);
      if (observer_.should_stop()) stop();
      if (text.size() > kMaxIndexBytes)
        throw Error(ErrorKind::kModel, fmt::format("{}: the list of files is larger than {} bytes", where_, kMaxIndexBytes));
      if (result.fault == HttpFault::kLasting)
        throw Error(ErrorKind::kModel, fmt::format("{}: {} ({})", where_, result.what, quote_text(url)));
      last = result.fault == HttpFault::kTemporary ? result.what : fmt::format("the server answered {}", result.head.status);
      if (result.fault != HttpFault::kNone || is_temporary(result.head.status)) continue;
      if (result.head.status != 200)
        throw Error(ErrorKind::kModel, explain_status(result, where_, !source_.token.empty()) + near_ids(result.head.status));
      return read_index(text, result);
    }
    throw Error(ErrorKind::kModel, fmt::format("{}: gave up after {} tries ({}); is the network up, and is HF_ENDPOINT right?",
                                               where_, kMaxTries, last));
  }

  HubIndex read_index(const std::string& text, const HttpResult& result) const {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || text[first] != '{') {
      throw Error(
          ErrorKind::kModel,
          fmt::format("{}: the answer of {} is not a list of files; expected JSON, found {} that begins {}; is HF_ENDPOINT the "
                      "hub, or is there a login page in between?",
                      where_, quote_text(result.url), quote_text(result.head.header("content-type"), 60), quote_text(text, 40)));
    }
    return parse_hub_index(text, where_);
  }

  std::string near_ids(long status) const {
    if (status != 404 && status != 401) return "";
    const auto close = closest_name(wanted_.id, cached_hub_ids(source_.cache));
    return close && *close != wanted_.id ? fmt::format("; did you mean {}?", *close) : "";
  }

  // Sums sizes, informs the observer, and checks that the disk has room. Returns the bytes to fetch.
  std::uint64_t plan(const std::vector<HubFile>& files, std::uint64_t* n_byte) {
    std::uint64_t n_missing_byte = 0;
    std::size_t n_missing = 0;
    std::error_code fault;
    for (const HubFile& file : files) {
      *n_byte = checked_add(*n_byte, file.size, where_);
      if (fs::exists(blob_of(file), fault)) continue;
      const auto part = fs::file_size(blob_of(file) += ".incomplete", fault);
      n_missing_byte += fault || part > file.size ? file.size : file.size - part;
      ++n_missing;
    }
    const auto space = fs::space(model_, fault);
    if (!fault && space.available < n_missing_byte) {
      throw Error(ErrorKind::kOutput,
                  fmt::format("{}: needs {:.1f} MB more in {}, which has {:.1f} MB free; free some space or set HF_HUB_CACHE",
                              where_, static_cast<double>(n_missing_byte) / 1e6, source_.cache.string(),
                              static_cast<double>(space.available) / 1e6));
    }
    observer_.on_plan(n_missing, n_missing_byte);
    return n_missing_byte;
  }

  void fetch(const HubFile& file, const std::string& commit) {
    std::error_code ignored;
    if (fs::exists(blob_of(file), ignored)) return;
    const BlobJob job{
        .file = file,
        .url = fmt::format("{}/{}/resolve/{}/{}", source_.endpoint, wanted_.id, commit, percent_encode(file.name, true)),
        .token = source_.token,
        .blob = blob_of(file),
        .lock = locks_ / (file.hash + ".lock"),
        .where = fmt::format("{}: {}", where_, file.name)};
    observer_.on_file(file.name, file.size);
    download_blob(client_, job, observer_);
    observer_.on_file_end();
  }

  // Relative links, as the Python client makes them; config.json's comes last, because it is what makes a folder a model.
  void link(std::vector<HubFile> files, const fs::path& snapshot) const {
    std::stable_partition(files.begin(), files.end(), [](const HubFile& file) { return file.name != "config.json"; });
    for (const HubFile& file : files) {
      const fs::path place = snapshot / file.name;
      make_folder(place.parent_path());
      const fs::path target = blob_of(file).lexically_relative(place.parent_path());
      std::error_code fault;
      if (fs::read_symlink(place, fault) == target) continue;
      const fs::path temporary = place.parent_path() / fmt::format(".attnviz-{}.tmp", ::getpid());
      fs::remove(temporary, fault);
      fs::create_symlink(target, temporary, fault);
      if (!fault) fs::rename(temporary, place, fault);
      if (fault)
        throw Error(ErrorKind::kOutput, fmt::format("{}: cannot be linked to its content: {}", place.string(), fault.message()));
    }
  }

  [[noreturn]] void stop() const { throw PullStopped(ErrorKind::kOutput, where_ + ": stopped"); }

  const PullSource& source_;
  const HubId& wanted_;
  PullObserver& observer_;
  std::string where_;
  fs::path model_;
  fs::path locks_;
  HttpClient client_;
};

}  // namespace

PullSource pull_source_from_environment() {
  if (is_set("HF_HUB_OFFLINE")) {
    throw Error(ErrorKind::kInput, "pull: HF_HUB_OFFLINE is set, so nothing is fetched; unset it to use the network");
  }
  PullSource source{
      .endpoint = trimmed_variable("HF_ENDPOINT"), .token = trimmed_variable("HF_TOKEN"), .cache = hub_cache_folder()};
  if (source.cache.empty()) {
    throw Error(ErrorKind::kInput,
                "pull: neither HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME nor HOME is set; set HF_HUB_CACHE to a folder");
  }
  if (source.endpoint.empty()) source.endpoint = kDefaultHubEndpoint;
  while (source.endpoint.ends_with('/')) source.endpoint.pop_back();
  if (!source.endpoint.starts_with("https://") && !source.endpoint.starts_with("http://")) {
    throw Error(ErrorKind::kInput,
                fmt::format("HF_ENDPOINT: {} is not a web address; expected https://HOST", quote_text(source.endpoint)));
  }
  if (!std::all_of(source.token.begin(), source.token.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; })) {
    throw Error(ErrorKind::kInput, "HF_TOKEN: holds a space or another character that no token has");
  }
  return source;
}

PullResult pull_model(const PullSource& source, const HubId& wanted, const std::string& file, PullObserver& observer) {
  return Pull(source, wanted, observer).run(file);
}

}  // namespace attnviz

// See download.h.
#include "hub/download.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/quote.h"
#include "hub/part_file.h"

namespace attnviz {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRealProgress = 1 << 20;  // bytes after which a try counts as a success
constexpr auto kFirstPause = std::chrono::milliseconds(250);
constexpr auto kPauseStep = std::chrono::milliseconds(50);

std::string megabytes(std::uint64_t n_byte) { return fmt::format("{:.1f} MB", static_cast<double>(n_byte) / 1e6); }

// "Content-Range: bytes 100-199/200" begins at the byte that was asked for.
bool is_range_from(std::string_view header, std::uint64_t begin) { return header.starts_with(fmt::format("bytes {}-", begin)); }

// The downloads of one blob, try after try, on one unfinished file.
class BlobDownload {
 public:
  BlobDownload(HttpClient& client, const BlobJob& job, PullObserver& observer)
      : client_(client), job_(job), observer_(observer), part_(fs::path(job.blob) += ".incomplete", job.file) {}

  void run() {
    const std::uint64_t n_before = part_.size();
    fetch_rest();
    if (!part_.has_right_hash() && n_before > 0) {
      observer_.on_note(fmt::format("{}: what an earlier try left does not fit; starting again", job_.where));
      clear();
      fetch_rest();
      part_.has_right_hash();
    }
    if (part_.found_hash() != job_.file.hash) {
      part_.remove();
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: the content is not what the hub lists; expected {} {}, found {}; the file is removed; try again",
                              job_.where, job_.file.hash_kind == HashKind::kSha256 ? "SHA-256" : "git SHA-1", job_.file.hash,
                              part_.found_hash()));
    }
    part_.rename_to(job_.blob);
  }

 private:
  void fetch_rest() {
    int n_failed = 0;
    std::string last;
    while (!part_.is_complete()) {
      if (n_failed == kMaxTries) give_up(last);
      if (n_failed > 0 && !wait_before_retry(n_failed, observer_)) stop();
      const std::uint64_t n_before = part_.size();
      last = fetch_once();
      n_failed = part_.size() >= n_before + kRealProgress ? 1 : n_failed + 1;
    }
  }

  // One request. Returns the fault if another try may help, and throws if none will.
  std::string fetch_once() {
    HttpRequest request{.url = job_.url, .token = job_.token, .range_begin = part_.size()};
    std::string refused;  // by a callback, for good
    bool restart = false;
    request.on_head = [&](const HttpHead& head) { return accept(head, request.range_begin, &restart, &refused); };
    request.on_body = [&](std::string_view bytes) {
      if (!part_.append(bytes)) return false;
      observer_.on_progress(part_.size());
      return !observer_.should_stop();
    };
    request.should_stop = [&] { return observer_.should_stop(); };
    const HttpResult result = client_.get(request);
    if (observer_.should_stop()) stop();
    check_part();
    if (!refused.empty()) throw Error(ErrorKind::kModel, fmt::format("{}: {}", job_.where, refused));
    const long status = result.head.status;
    if (restart || (result.fault == HttpFault::kNone && status == 416)) {
      clear();
      return "the server did not resume where the file ended";
    }
    if (result.fault == HttpFault::kLasting)
      throw Error(ErrorKind::kModel, fmt::format("{}: {}{}", job_.where, result.what, how_to_resume()));
    if (result.fault == HttpFault::kTemporary) return result.what;
    if (status >= 200 && status < 300) return part_.is_complete() ? "" : "the answer ended early";
    if (is_temporary(status)) return fmt::format("the server answered {}", status);
    throw Error(ErrorKind::kModel, explain_status(result, job_.where, !job_.token.empty()));
  }

  // Whether a 2xx answer's body is the rest of the file.
  bool accept(const HttpHead& head, std::uint64_t begin, bool* restart, std::string* refused) {
    if (head.status == 206 && !is_range_from(head.header("content-range"), begin)) {
      *restart = true;
      return false;
    }
    if (head.status != 206 && begin > 0 && !part_.clear())
      return false;  // the server does not support ranges and sends the whole file
    const std::string_view length = head.header("content-length");
    const std::string expected = fmt::to_string(job_.file.size - part_.size());
    if (length.empty() || length == expected) return true;
    *refused = fmt::format(
        "the server announces {} bytes of {}; expected {}; is HF_ENDPOINT the hub, or is there a login page in between?",
        quote_text(length, 24), quote_text(head.header("content-type"), 60), expected);
    return false;
  }

  void clear() {
    if (!part_.clear()) check_part();
  }

  // Throws for what went wrong on this side of a callback.
  void check_part() {
    if (!part_.disk_fault().empty()) {
      throw Error(ErrorKind::kOutput, fmt::format("{}: {}; free some space{}", job_.where, part_.disk_fault(), how_to_resume()));
    }
    if (!part_.is_too_long()) return;
    part_.remove();
    throw Error(ErrorKind::kModel,
                fmt::format("{}: the server sends more than the {} bytes that the hub lists; the file is removed; try again",
                            job_.where, job_.file.size));
  }

  [[noreturn]] void give_up(const std::string& last) {
    throw Error(ErrorKind::kModel, fmt::format("{}: gave up after {} tries ({}){}", job_.where, kMaxTries, last, how_to_resume()));
  }

  [[noreturn]] void stop() { throw PullStopped(ErrorKind::kOutput, fmt::format("{}: stopped{}", job_.where, how_to_resume())); }

  std::string how_to_resume() const {
    if (part_.size() == 0) return "";
    return fmt::format("; {} of {} are kept: the same command resumes from there", megabytes(part_.size()),
                       megabytes(job_.file.size));
  }

  HttpClient& client_;
  const BlobJob& job_;
  PullObserver& observer_;
  PartFile part_;
};

}  // namespace

bool is_temporary(long status) { return status == 408 || status == 429 || (status >= 500 && status < 600); }

bool wait_before_retry(int n, PullObserver& observer) {
  const auto until = std::chrono::steady_clock::now() + kFirstPause * (1 << std::min(n - 1, 6));
  while (std::chrono::steady_clock::now() < until) {
    if (observer.should_stop()) return false;
    std::this_thread::sleep_for(kPauseStep);
  }
  return true;
}

std::string explain_status(const HttpResult& result, const std::string& where, bool has_token) {
  const long status = result.head.status;
  const std::string_view code = result.head.header("x-error-code");
  const std::string_view token = has_token
                                     ? "is the token in HF_TOKEN one of an account that may read it?"
                                     : "accept its terms on its page, then give an access token: HF_TOKEN=... attnviz pull ...";
  if (code == "RevisionNotFound") return fmt::format("{}: has no such revision; expected a branch, a tag or a commit", where);
  if (code == "EntryNotFound") return fmt::format("{}: no longer exists; try again, the model may have changed", where);
  if (code == "GatedRepo") return fmt::format("{}: is gated (the hub answered {}): {}", where, status, token);
  if (status == 404 || code == "RepoNotFound") {
    return fmt::format(
        "{}: no such model on the hub (it answered {}), or a private one; expected an id as on the model's page: "
        "ORG/NAME{}",
        where, status, has_token ? "" : "; a private one needs an access token in HF_TOKEN");
  }
  if (status == 401 || status == 403) return fmt::format("{}: may not be read (the hub answered {}): {}", where, status, token);
  return fmt::format("{}: the hub answered {}; expected the file", where, status);
}

void download_blob(HttpClient& client, const BlobJob& job, PullObserver& observer) {
  bool told = false;
  const FileLock lock(job.lock, [&] {
    if (!told) observer.on_note(fmt::format("{}: another pull is fetching it; waiting", job.where));
    told = true;
    return !observer.should_stop();
  });
  if (observer.should_stop()) throw PullStopped(ErrorKind::kOutput, fmt::format("{}: stopped", job.where));
  std::error_code ignored;
  if (fs::exists(job.blob, ignored)) return;  // downloaded by the other process
  BlobDownload(client, job, observer).run();
}

}  // namespace attnviz

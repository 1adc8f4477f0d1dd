// One file of a model into the cache's blobs/ folder: resumed where an earlier try stopped, tried again when a connection is cut,
// checked for size and hash, and only then given its name.
//
// The unfinished file is blobs/HASH.incomplete; the lock is CACHE/.locks/MODEL/HASH.lock, which the hub's Python client takes too.
// Because a blob is named by the hash of its content, a range needs no If-Match: content that does not match does not get the name.
// Tested in tests/cli/test_pull.py against a server on loopback.
#pragma once

#include <attnviz/error.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "hub/http.h"
#include "hub/index.h"

namespace attnviz {

// Receives the progress of a pull, and decides whether it goes on.
class PullObserver {
 public:
  virtual ~PullObserver() = default;
  virtual void on_plan(std::size_t /*n_file*/, std::uint64_t /*n_byte*/) {}  // what has to be fetched
  virtual void on_file(std::string_view /*name*/, std::uint64_t /*size*/) {}
  virtual void on_progress(std::uint64_t /*n_byte*/) {}  // of the file, so far; often
  virtual void on_file_end() {}
  virtual void on_note(std::string_view /*text*/) {}
  virtual bool should_stop() { return false; }
};

// Thrown if the observer stops the pull. The downloaded part is kept.
class PullStopped : public Error {
 public:
  using Error::Error;
};

struct BlobJob {
  HubFile file;
  std::string url;
  std::string token;
  std::filesystem::path blob;  // .../blobs/HASH
  std::filesystem::path lock;
  std::string where;  // opens messages: "pull ID: NAME"
};

// Throws Error(kModel) for faults of the server, Error(kOutput) for the disk, PullStopped.
void download_blob(HttpClient& client, const BlobJob& job, PullObserver& observer);

// What an answer other than 2xx means, with what to try. `where` opens it.
std::string explain_status(const HttpResult& result, const std::string& where, bool has_token);

// Whether an answer is worth another try: 408, 429, 5xx.
bool is_temporary(long status);

// Sleeps before try `n` (1, 2, ...), longer each time; false when the observer wants to stop.
bool wait_before_retry(int n, PullObserver& observer);

constexpr int kMaxTries = 5;

}  // namespace attnviz

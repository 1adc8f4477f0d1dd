// Downloads one file of a model into the cache's blobs/ folder. A download resumes where an earlier try stopped, is tried again
// when a connection is cut, and gets its name only after its size and hash have been checked.
//
// The unfinished file is blobs/HASH.incomplete; the lock is CACHE/.locks/MODEL/HASH.lock, which the hub's Python client takes too.
// A blob is named by the hash of its content, so a range request needs no If-Match: parts that do not belong together fail the
// check. Tested in tests/cli/test_pull.py against a server on loopback.
#pragma once

#include <attnviz/error.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "hub/http.h"
#include "hub/index.h"

namespace attnviz {

// Receives the events of a pull, and can stop it.
class PullObserver {
 public:
  virtual ~PullObserver() = default;
  virtual void on_plan(std::size_t /*n_file*/, std::uint64_t /*n_byte*/) {}  // what will be fetched
  virtual void on_file(std::string_view /*name*/, std::uint64_t /*size*/) {}
  virtual void on_progress(std::uint64_t /*n_byte*/) {}  // of the file, so far; called often
  virtual void on_file_end() {}
  virtual void on_note(std::string_view /*text*/) {}
  virtual bool should_stop() { return false; }
};

// Thrown when the observer stops a pull. The data received so far is kept.
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

// Throws Error(kModel) for faults of the server, Error(kOutput) for faults of the disk, and PullStopped.
void download_blob(HttpClient& client, const BlobJob& job, PullObserver& observer);

// What an answer other than 2xx means, with what to try. `where` opens it.
std::string explain_status(const HttpResult& result, const std::string& where, bool has_token);

// Whether an answer is worth another try: 408, 429, 5xx.
bool is_temporary(long status);

// Sleeps after `n` failed tries (1, 2, ...), longer each time; false if the observer stops the pull.
bool wait_before_retry(int n, PullObserver& observer);

constexpr int kMaxTries = 5;

}  // namespace attnviz

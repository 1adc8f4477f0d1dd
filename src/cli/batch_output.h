// Where the results of attnviz batch go: a file a line and head (a page: a file a line), or a line of JSON a line. Both are made
// side by side by the threads of a pool; names, order and bytes do not depend on their number. Tested in tests/cli/test_batch.py.
#pragma once

#include <attnviz/error.h>
#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "cli/output.h"

namespace attnviz {

// What became of one line of the input.
struct BatchItem {
  std::size_t number = 0;  // from 1
  std::optional<Trace> trace{};
  std::size_t n_cut = 0;  // tokens that did not fit the model
  std::string error{};    // where there is no trace
};

class BatchOutput {
 public:
  virtual ~BatchOutput() = default;

  // `items` are in order, after those of earlier calls; the maps are used up. False when nobody reads any more.
  virtual bool write(std::vector<BatchItem>& items) = 0;
  virtual void finish() = 0;
  virtual std::string summary() const = 0;  // "12 files in maps"

  const WriteTimes& times() const { return times_; }  // and the notes of all files

 protected:
  void add_times(const WriteTimes& times);
  void add_notes(RenderNotes&& notes);

 private:
  WriteTimes times_;
};

struct BatchOutputOptions {
  OutputFormat format = OutputFormat::kPng;
  std::string place;  // a folder, made if missing; for JSONL a file, or empty for stdout
  PictureOptions picture;
};

// Throws Error(kOutput) for a place that cannot be written.
std::unique_ptr<BatchOutput> make_batch_output(const BatchOutputOptions& options, ThreadPool& pool);

}  // namespace attnviz

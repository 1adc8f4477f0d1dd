// Where the results of attnviz batch go: one file per line and head (one page per line), or one line of JSON per line. The threads
// of a pool make them in parallel; names, order and bytes do not depend on the number of threads. Tested in
// tests/cli/test_batch.py.
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

// The result of one line of the input.
struct BatchItem {
  std::size_t number = 0;  // from 1
  std::optional<Trace> trace{};
  Marks marks{};          // in its rows and columns
  std::size_t n_cut = 0;  // tokens that did not fit the model
  std::string error{};    // if there is no trace
};

class BatchOutput {
 public:
  virtual ~BatchOutput() = default;

  // `items` are in order, after those of earlier calls; the maps are used up. False when the reader has gone away.
  virtual bool write(std::vector<BatchItem>& items) = 0;
  virtual void finish() = 0;
  virtual std::string summary() const = 0;  // "12 files in maps"

  const WriteTimes& times() const { return times_; }  // with the notes of all files

 protected:
  void add_times(const WriteTimes& times);
  void add_notes(RenderNotes&& notes);

 private:
  WriteTimes times_;
};

struct BatchOutputOptions {
  OutputFormat format = OutputFormat::kPng;
  std::string place;  // a folder, created if missing; for JSONL a file, or empty for stdout
  PictureOptions picture;
};

// Throws Error(kOutput) for a place that cannot be written.
std::unique_ptr<BatchOutput> make_batch_output(const BatchOutputOptions& options, ThreadPool& pool);

}  // namespace attnviz

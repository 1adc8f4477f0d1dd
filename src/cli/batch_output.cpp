// See batch_output.h.
#include "cli/batch_output.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "cli/font_warning.h"
#include "figure/view_registry.h"
#include "render/export/text_exports.h"
#include "render/parallel_write.h"

namespace attnviz {
namespace {

// Runs task(i, thread) for all i, as the pool does; of several failures it throws the first by index, and it begins no new work
// after a failure.
void run_in_order(ThreadPool& pool, std::size_t n, const std::function<void(std::size_t, std::size_t)>& task) {
  std::vector<std::exception_ptr> faults(n);
  std::atomic<bool> failed{false};
  pool.run(n, [&](std::size_t i, std::size_t thread) {
    if (failed) return;
    try {
      task(i, thread);
    } catch (...) {
      faults[i] = std::current_exception();
      failed = true;
    }
  });
  for (const std::exception_ptr& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
}

// "L03-H01", "L03-mean", "mean-H01", "mean".
std::string name_of(const Trace& trace, const AttentionMap& map) {
  const std::string layer = fmt::format("L{:02}", map.layer);
  const std::string head = fmt::format("H{:02}", map.head);
  if (!trace.reduced) return fmt::format("{}-{}", layer, head);
  const std::string_view by = reduce_by_name(trace.reduced->by);
  if (!trace.reduced->over_layers) return fmt::format("{}-{}", layer, by);
  return trace.reduced->over_heads ? std::string(by) : fmt::format("{}-{}", by, head);
}

class FolderOutput final : public BatchOutput {
 public:
  FolderOutput(const BatchOutputOptions& options, ThreadPool& pool) : options_(options), pool_(pool) {
    std::error_code failed;
    std::filesystem::create_directories(options_.place, failed);
    if (!std::filesystem::is_directory(options_.place)) {
      throw Error(ErrorKind::kOutput,
                  fmt::format("{}: cannot be made: {}", options_.place, failed ? failed.message() : "is a file"));
    }
  }

  bool write(std::vector<BatchItem>& items) override {
    const Stopwatch watch;
    struct Work {
      BatchItem* item;
      std::vector<AttentionMap> maps;
    };
    std::vector<Work> works;
    for (BatchItem& item : items) {
      if (!item.trace) continue;
      std::vector<AttentionMap> maps = std::exchange(item.trace->maps, {});
      if (holds_all_maps()) {
        works.push_back({&item, std::move(maps)});
        continue;
      }
      for (AttentionMap& map : maps) {
        works.push_back({&item, {}});
        works.back().maps.push_back(std::move(map));
      }
    }
    std::vector<WriteTimes> times(pool_.n_threads());
    std::vector<RenderNotes> notes(works.size());
    run_in_order(pool_, works.size(), [&](std::size_t i, std::size_t thread) {
      WriteTimes one = write_maps(*works[i].item, std::move(works[i].maps));
      times[thread].render += one.render;
      times[thread].write += one.write;
      notes[i] = std::move(one.notes);
    });
    n_file_ += works.size();
    for (RenderNotes& one : notes) add_notes(std::move(one));
    // Wall-clock time, divided in proportion to the threads' times.
    WriteTimes sum;
    for (const WriteTimes& one : times) sum.render += one.render, sum.write += one.write;
    const double scale = watch.seconds() / std::max(sum.render + sum.write, 1e-9);
    add_times({.render = sum.render * scale, .write = sum.write * scale});
    return true;
  }

  void finish() override {}
  std::string summary() const override { return fmt::format("{} files in {}", n_file_, options_.place); }

 private:
  // A page or a grid: one file per line of input.
  bool holds_all_maps() const { return is_page(options_.format) || view_spec(options_.picture.figure.view).is_overview; }

  WriteTimes write_maps(const BatchItem& item, std::vector<AttentionMap> maps) const {
    const std::string which = holds_all_maps() ? std::string() : fmt::format("-{}", name_of(*item.trace, maps.front()));
    const std::string name = fmt::format("{:06}{}.{}", item.number, which, format_spec(options_.format).extension);
    Trace trace = *item.trace;
    trace.maps = std::move(maps);
    const OutputTarget target{options_.format, (std::filesystem::path(options_.place) / name).string()};
    PictureOptions picture = options_.picture;
    picture.figure.marks = item.marks;
    return write_trace(trace, picture, target, nullptr);
  }

  BatchOutputOptions options_;
  ThreadPool& pool_;
  std::size_t n_file_ = 0;
};

// One line of output per line of input, so that the two can be read in parallel; the line of a bad input holds its error.
class LinesOutput final : public BatchOutput {
 public:
  LinesOutput(const BatchOutputOptions& options, ThreadPool& pool)
      : writer_({options.format, options.place}), place_(options.place), pool_(pool) {
    if (!place_.empty()) check_writable(place_);
  }

  bool write(std::vector<BatchItem>& items) override {
    const Stopwatch watch;
    const double written_before = writer_.seconds();
    std::vector<JsonDocument> documents;
    struct Piece {
      const BatchItem* item;
      std::size_t document;
      std::size_t index;
    };
    std::vector<Piece> pieces;
    for (const BatchItem& item : items) {
      if (item.trace) documents.emplace_back(*item.trace, JsonLayout{.one_line = true, .line = item.number});
      const std::size_t n_pieces = item.trace ? documents.back().n_pieces() : 1;
      for (std::size_t index = 0; index < n_pieces; ++index) pieces.push_back({&item, documents.size() - 1, index});
    }
    const auto make = [&](std::size_t i, std::string* out) {
      const Piece& piece = pieces[i];
      if (piece.item->trace) {
        documents[piece.document].append_piece(piece.index, out);
      } else {
        *out += fmt::format("{{\"line\": {}, \"error\": {{\"kind\": \"input\", \"message\": {}}}}}\n", piece.item->number,
                            json_string(piece.item->error));
      }
    };
    const bool open = write_pieces(&pool_, pieces.size(), make, [&](std::string_view bytes) { return writer_.write(bytes); });
    n_line_ += items.size();
    const double written = writer_.seconds() - written_before;
    add_times({.render = watch.seconds() - written, .write = written});
    return open;
  }

  void finish() override { writer_.finish(); }
  std::string summary() const override {
    return fmt::format("{} lines of JSON in {}", n_line_, place_.empty() ? "standard output" : place_);
  }

 private:
  ResultWriter writer_;
  std::string place_;
  ThreadPool& pool_;
  std::size_t n_line_ = 0;
};

}  // namespace

void BatchOutput::add_times(const WriteTimes& times) {
  times_.render += times.render;
  times_.write += times.write;
}

void BatchOutput::add_notes(RenderNotes&& notes) { merge_notes(std::move(notes), &times_.notes); }

std::unique_ptr<BatchOutput> make_batch_output(const BatchOutputOptions& options, ThreadPool& pool) {
  if (format_spec(options.format).joins_results) return std::make_unique<LinesOutput>(options, pool);
  return std::make_unique<FolderOutput>(options, pool);
}

}  // namespace attnviz

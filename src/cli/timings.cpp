// See timings.h.
#include "cli/timings.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"

namespace attnviz {
namespace {

std::string report_line(std::string_view name, double seconds, double total) {
  const double share = total > 0 ? 100 * seconds / total : 0;
  return fmt::format("{:<10}{:>10.1f} ms{:>6.0f}%\n", name, seconds * 1000, share);
}

}  // namespace

void Timings::add(std::string_view stage, double seconds) {
  const auto known = std::find_if(stages_.begin(), stages_.end(), [&](const Stage& one) { return one.name == stage; });
  if (known == stages_.end()) {
    stages_.push_back({std::string(stage), seconds});
  } else {
    known->seconds += seconds;
  }
}

std::string Timings::report() const {
  double total = 0;
  for (const Stage& stage : stages_) total += stage.seconds;
  std::string text;
  for (const Stage& stage : stages_) text += report_line(stage.name, stage.seconds, total);
  return text + report_line("total", total, total);
}

void add_run(const StageTimes& stages, double seconds, Timings* timings) {
  const double known = stages.embed + stages.project + stages.attend + stages.output + stages.feed_forward;
  timings->add("embed", stages.embed);
  timings->add("project", stages.project);
  timings->add("attend", stages.attend);
  timings->add("output", stages.output);
  timings->add("ffn", stages.feed_forward);
  timings->add("other", std::max(0.0, seconds - known));
}

void add_timings_option(CLI::App& app, bool& timings) { app.add_flag("--timings", timings, "print on stderr where the time went"); }

void print_timings(const Timings& timings) { write_descriptor(STDERR_FILENO, timings.report()); }

}  // namespace attnviz

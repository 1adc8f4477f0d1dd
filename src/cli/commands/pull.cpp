// attnviz pull ID: download a model from the hub into the cache that all programs share. The only command that uses the network.
// Tested in tests/cli/test_pull.py against a server on loopback.
#include "hub/pull.h"

#include <attnviz/error.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/quote.h"
#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace attnviz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr double kRateMemory = 3;  // seconds over which the shown rate is measured

volatile sig_atomic_t g_signal = 0;

void remember_signal(int number) { g_signal = number; }

constexpr std::array kEndSignals = {SIGINT, SIGTERM, SIGHUP};

// During its lifetime, Ctrl-C and similar signals let the transfer end cleanly, and a file size limit is an error of write(). A
// signal that was ignored (nohup) stays ignored.
class CatchSignals {
 public:
  CatchSignals() {
    struct sigaction action {};
    action.sa_handler = remember_signal;
    for (std::size_t i = 0; i < kEndSignals.size(); ++i) {
      ::sigaction(kEndSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kEndSignals[i], &action, nullptr);
    }
    ::signal(SIGXFSZ, SIG_IGN);
  }
  ~CatchSignals() {
    for (std::size_t i = 0; i < kEndSignals.size(); ++i) ::sigaction(kEndSignals[i], &before_[i], nullptr);
  }
  CatchSignals(const CatchSignals&) = delete;
  CatchSignals& operator=(const CatchSignals&) = delete;

 private:
  std::array<struct sigaction, kEndSignals.size()> before_{};
};

struct PullCommandOptions {
  std::string id;
  std::string revision;
  std::string file;
  bool quiet = false;
};

// Progress on stderr: a bar on a terminal, one line per file otherwise.
class PullReport final : public PullObserver {
 public:
  explicit PullReport(bool quiet) : quiet_(quiet), draws_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

  void on_plan(std::size_t n_file, std::uint64_t n_byte) override {
    if (!quiet_ && n_file > 0)
      print_note(fmt::format("{} {} to fetch, {}", n_file, n_file == 1 ? "file" : "files", human_size(n_byte)));
  }

  void on_file(std::string_view name, std::uint64_t size) override {
    name_ = name;
    size_ = size;
    n_byte_ = 0;
    rate_ = 0;
    begun_ = false;
    if (!quiet_ && !draws_) print_note(fmt::format("{}  {}", name_, human_size(size)));
  }

  void on_progress(std::uint64_t n_byte) override {
    const auto now = Clock::now();
    if (!begun_ || n_byte < n_byte_) {  // bytes kept from an earlier try do not count for the rate
      begun_ = true;
      n_byte_ = n_byte;
      last_ = now;
      draw(n_byte);
      return;
    }
    const double seconds = std::chrono::duration<double>(now - last_).count();
    if (now - last_ < kRedrawEvery) return;
    const double newest = static_cast<double>(n_byte - n_byte_) / seconds;
    const double weight = rate_ == 0 ? 1 : std::min(1.0, seconds / kRateMemory);
    rate_ += weight * (newest - rate_);
    n_byte_ = n_byte;
    last_ = now;
    draw(n_byte);
  }

  void on_file_end() override {
    if (!draws_) return;
    erase();
    fmt::print(stderr, "{}  {}\n", name_, human_size(size_));
  }

  void on_note(std::string_view text) override {
    if (quiet_) return;
    erase();
    print_note(text);
  }

  bool should_stop() override { return g_signal != 0; }

  // Erases an unfinished bar, before a message or the end.
  void erase() const {
    if (draws_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  void draw(std::uint64_t n_byte) const {
    if (!draws_) return;
    winsize window{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    const std::size_t n_column = known ? window.ws_col : 80;
    fmt::print(stderr, "\r{}\x1b[K", progress_line({name_, n_byte, size_, rate_}, n_column - 1));
    std::fflush(stderr);
  }

  bool quiet_;
  bool draws_;
  std::string name_;
  std::uint64_t size_ = 0;
  bool begun_ = false;
  std::uint64_t n_byte_ = 0;  // at `last_`
  Clock::time_point last_{};
  double rate_ = 0;
};

HubId wanted_id(const PullCommandOptions& options) {
  std::optional<HubId> id = parse_hub_id(options.id);
  if (!id) {
    throw Error(ErrorKind::kUsage,
                fmt::format("pull {}: is not a hub id; expected ORG/NAME as on the model's page", quote_text(options.id)));
  }
  if (options.revision.empty()) return *id;
  if (!is_hub_revision(options.revision)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--revision {}: expected a branch, a tag or a commit", quote_text(options.revision)));
  }
  id->revision = options.revision;
  return *id;
}

void summarise(const HubId& id, const PullResult& result) {
  const std::string fetched =
      result.n_byte_fetched == 0 ? "all there already" : fmt::format("{} fetched", human_size(result.n_byte_fetched));
  const std::string revision = id.revision == kDefaultRevision ? "" : "@" + id.revision;
  print_note(fmt::format("{}: {} {}, {}, {}; use it with: attnviz -m {}{} TEXT", id.id, result.n_file,
                         result.n_file == 1 ? "file" : "files", human_size(result.n_byte), fetched, id.id, revision));
}

// Ends the program as the signal would have, so that a shell's loop ends too.
int end_by_signal() {
  ::signal(g_signal, SIG_DFL);
  ::raise(g_signal);
  return exit_code(ErrorKind::kInput);
}

int run_pull(const PullCommandOptions& options) {
  const HubId id = wanted_id(options);
  if (!options.file.empty() && !is_hub_file_name(options.file)) {
    throw Error(ErrorKind::kUsage, fmt::format("--file {}: expected the name of a file of the model", quote_text(options.file)));
  }
  const PullSource source = pull_source_from_environment();
  PullReport report(options.quiet);
  try {
    const CatchSignals caught;
    const PullResult result = pull_model(source, id, options.file, report);
    if (!options.quiet) summarise(id, result);
    write_descriptor(STDOUT_FILENO, (options.file.empty() ? result.snapshot : result.snapshot / options.file).string() + "\n");
    return 0;
  } catch (const PullStopped& stopped) {
    report.erase();
    print_note(stopped.what());
    return end_by_signal();
  } catch (const Error&) {
    report.erase();
    throw;
  }
}

}  // namespace

CommandRun declare_pull(CLI::App& app) {
  auto options = std::make_shared<PullCommandOptions>();
  app.add_option("ID", options->id, "hub id of the model, ORG/NAME")->required()->option_text(" ");
  app.add_option("--revision", options->revision, "branch, tag or commit; the default is main")->option_text("REV");
  app.add_option("--file", options->file, "download only this file, for models that are a single .gguf file")->option_text("NAME");
  app.add_flag("-q,--quiet", options->quiet, "nothing on stderr but errors");
  app.footer(R"(
The files go into the hub's cache: HF_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub, else
~/.cache/huggingface/hub. stdout gets the folder. HF_TOKEN is sent to the hub, for models that need it; HF_ENDPOINT is
another hub; HF_HUB_OFFLINE=1 forbids it all. A pull that was cut short goes on where it ended.)");
  return [options](const CommandContext&) { return run_pull(*options); };
}

}  // namespace attnviz

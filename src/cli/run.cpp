// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <random>

#include "backend/cards.h"
#include "backend/replay/replay_backend.h"
#include "backend/sim/sim.h"
#include "cli/catalog.h"
#include "cli/last_topology.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "config/pattern_file.h"
#include "core/version.h"
#include "dsm/experiments.h"
#include "plumb/core/error.h"
#include "report/findings.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

namespace fs = std::filesystem;
constexpr int kInterruptedExit = 130;

volatile std::sig_atomic_t interrupted = 0;
extern "C" void on_interrupt(int /*signal*/) { interrupted = 1; }

struct Options {
  std::vector<std::string> globs;
  std::string on = "auto";
  std::string output;
  int device = 0;
  std::uint64_t seed = 1;
  bool resume = false;
  bool quick = false;
  bool json = false;
  int gpc = -1;
  std::string pattern;
  std::string machine = "h200";
  std::vector<std::string> changes;
  std::string command_line;
};

/// Messages for people go to standard error where standard output is for a machine.
template <class... Args>
void say(const Options& options, fmt::format_string<Args...> format, Args&&... args) {
  fmt::print(options.json ? stderr : stdout, format, std::forward<Args>(args)...);
}

std::vector<Case> cases_of(const std::vector<Experiment>& experiments, const Options& options) {
  std::vector<Case> cases;
  for (const Experiment& e : experiments) {
    auto more = e.cases({.quick = options.quick});
    cases.insert(cases.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
  return cases;
}

/// The cases that can be in one GPC, put there; those that fill the chip are left out.
std::vector<Case> placed(std::vector<Case> cases, int gpc) {
  std::erase_if(cases, [](const Case& c) { return c.site.clusters != 1; });
  for (Case& c : cases) {
    c.site.gpc = gpc;
    c.axes["gpc"] = std::int64_t{gpc};
  }
  return cases;
}

Experiment placed(Experiment e, int gpc) {
  e.cases = [make = e.cases, gpc](const Request& request) { return placed(make(request), gpc); };
  if (e.more) {
    e.more = [ask = e.more, gpc](const Request& request, std::span<const Measurement> seen) {
      return placed(ask(request, seen), gpc);
    };
  }
  return e;
}

/// Fisher and Yates by the generator that the standard fixes, so that a seed means the same order anywhere.
void shuffle(std::vector<Case>& cases, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = cases.size(); i > 1; --i) std::swap(cases[i - 1], cases[random() % i]);
}

std::vector<std::string> texts_of(const std::vector<fs::path>& paths) {
  std::vector<std::string> out;
  for (const fs::path& path : paths) out.push_back(path.string());
  return out;
}

/// Runs the recorded cases of `experiments` through the replay backend.
record::Recording replay(const fs::path& path, const std::vector<Experiment>& experiments) {
  ReplayBackend backend(record::read(path));
  record::Recording out{.provenance = backend.provenance(), .measurements = {}, .warnings = {}};
  out.warnings = backend.recording().warnings;
  const std::vector<Measurement> recorded = backend.recording().measurements;
  for (const Measurement& m : recorded) {
    const bool wanted = std::any_of(experiments.begin(), experiments.end(),
                                    [&](const Experiment& e) { return e.name == m.point.experiment; });
    if (wanted) out.measurements.push_back(backend.run(m.point));
  }
  return out;
}

std::vector<record::Recording> replay(const std::vector<fs::path>& paths,
                                      const std::vector<Experiment>& experiments) {
  std::vector<record::Recording> out;
  for (const fs::path& path : paths) {
    out.push_back(replay(path, experiments));
    if (out.back().measurements.empty()) out.pop_back();
  }
  if (out.empty())
    throw Error(Fault::caller, fmt::format("{}: no case of the chosen experiments is in there.",
                                           fmt::join(texts_of(paths), ", ")));
  return out;
}

fs::path output_path(const Options& options) {
  if (!options.output.empty()) return options.output;
  if (options.resume) throw Error(Fault::caller, "--resume goes on with a file; name it with -o.");
  return fmt::format("plumb-{:%Y%m%d-%H%M%S}.jsonl.zst", fmt::gmtime(std::time(nullptr)));
}

/// The recording so far: that of the file which is resumed, or an empty one with a header for this run.
record::Recording begin(const Backend& backend, const Options& options, const fs::path& path) {
  record::Recording recording;
  Provenance& p = recording.provenance = backend.provenance();
  p.tool_version = kVersion;
  p.tool_commit = kCommit;
  p.command_line = options.command_line;
  p.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  p.seed = options.seed;
  if (!options.resume) return recording;
  record::Recording old = record::read(path);
  if (old.provenance.backend != p.backend || old.provenance.gpu_uuid_hash != p.gpu_uuid_hash) {
    throw Error(Fault::caller,
                fmt::format("{}: it was recorded on another card ({}); --resume goes on with the same one.",
                            path.string(), old.provenance.gpu_name));
  }
  return old;
}

/// Runs cases and writes each to the recording as it ends.
class Measuring {
 public:
  Measuring(Backend& backend, record::Recording recording, const Options& options, const fs::path& path)
      : backend_(backend),
        path_(path.string()),
        recording_(std::move(recording)),
        writer_(options.resume ? record::Writer::resume(path, recording_)
                               : record::Writer::create(path, recording_.provenance)) {
    for (const Measurement& m : recording_.measurements) done_.emplace(id_of(m.point), m.point.work);
  }

  /// Those that the recording lacks, shuffled.
  [[nodiscard]] std::vector<Case> missing(std::vector<Case> cases) const {
    shuffle(cases, recording_.provenance.seed);
    std::erase_if(cases, [&](const Case& c) {
      const auto it = done_.find(id_of(c));
      if (it != done_.end() && c.experiment == "pattern" && it->second != c.work)
        throw Error(Fault::caller,
                    fmt::format("{}: it holds another plan under the name {}; write to a new file.", path_,
                                axis(c, "file")));
      return it != done_.end();
    });
    return cases;
  }

  void run(const std::vector<Case>& cases) {
    progress_.expect(cases.size());
    total_ += cases.size();
    for (const Case& c : cases) {
      progress_.show(count_ + 1, c.experiment);
      try {
        recording_.measurements.push_back(backend_.run(c));
      } catch (const Error& error) {
        // A case that cannot run here will not run when the same command is given again.
        if (error.fault() == Fault::caller)
          throw Error(Fault::caller, fmt::format("{}: {} {} of {} cases are saved in {}.", id_of(c),
                                                 error.what(), count_, total_, path_));
        throw Error(error.fault(), fmt::format("{}: {} {} of {} cases are saved; go on with `{}`.", id_of(c),
                                               error.what(), count_, total_, go_on()));
      }
      writer_.append(recording_.measurements.back());
      done_.emplace(id_of(c), c.work);
      ++count_;
      if (interrupted == 0) continue;
      fmt::print(stderr, "\ninterrupted: {} of {} cases are saved; go on with `{}`.\n", count_, total_,
                 go_on());
      throw CLI::RuntimeError(kInterruptedExit);
    }
  }

  /// As long as the experiment asks for cases that are new.
  void run_more(const Experiment& experiment, const Request& request) {
    if (!experiment.more) return;
    for (;;) {
      const std::vector<Case> cases =
          missing(experiment.more(request, record::of_experiment(recording_, experiment.name)));
      if (cases.empty()) return;
      run(cases);
    }
  }

  [[nodiscard]] std::size_t done() const { return done_.size(); }
  [[nodiscard]] record::Recording take() { return std::move(recording_); }

 private:
  [[nodiscard]] std::string go_on() const { return fmt::format("plumb run --resume -o {}", path_); }

  Backend& backend_;
  std::string path_;
  record::Recording recording_;
  record::Writer writer_;
  std::map<std::string, Work> done_;
  Progress progress_;
  std::size_t count_ = 0;
  std::size_t total_ = 0;
};

record::Recording measure(Backend& backend, const std::vector<Experiment>& experiments,
                          const Options& options) {
  const std::vector<Case> all = cases_of(experiments, options);
  if (all.empty())
    throw Error(
        Fault::caller,
        fmt::format("--gpc {}: the chosen experiments fill the whole chip; choose others.", options.gpc));
  const fs::path path = output_path(options);
  record::Recording recording = begin(backend, options, path);
  for (const auto& warning : recording.warnings) fmt::print(stderr, "warning: {}\n", warning);
  recording.warnings.clear();
  const std::string machine = report::printable(recording.provenance.gpu_name);
  Measuring measuring(backend, std::move(recording), options, path);
  std::vector<Case> cases = measuring.missing(all);
  const bool grows = std::any_of(experiments.begin(), experiments.end(),
                                 [](const Experiment& e) { return e.more != nullptr; });
  say(options, "Measuring {} cases{} on {}; every finished case is in {}.\n", cases.size(),
      grows ? " and those that their results ask for" : "", machine, path.string());
  if (measuring.done() > 0) say(options, "{} cases were there already.\n", measuring.done());
  // The card stays hot for a while: what heats it comes after all that must not see that.
  const auto hot =
      std::stable_partition(cases.begin(), cases.end(), [](const Case& c) { return c.site.heat_ms == 0; });
  const auto previous = std::signal(SIGINT, on_interrupt);
  measuring.run({cases.begin(), hot});
  for (const Experiment& e : experiments) measuring.run_more(e, {.quick = options.quick});
  measuring.run({hot, cases.end()});
  (void)std::signal(SIGINT, previous);
  return measuring.take();
}

/// The experiments that the globs choose, or the user's own pattern.
std::vector<Experiment> named(const Options& options) {
  if (options.pattern.empty()) return select(options.globs);
  if (!options.globs.empty())
    throw Error(Fault::caller,
                fmt::format("--pattern {}: it stands instead of experiments ({}); give one of them.",
                            options.pattern, fmt::join(options.globs, " ")));
  return {dsm::pattern(fs::path(options.pattern).filename().string(), config::read_pattern(options.pattern))};
}

std::vector<Experiment> chosen(const Options& options) {
  std::vector<Experiment> experiments = named(options);
  if (options.gpc >= 0)
    for (Experiment& e : experiments) e = placed(std::move(e), options.gpc);
  return experiments;
}

std::vector<record::Recording> obtain(const Options& options, const std::vector<Experiment>& experiments) {
  constexpr std::string_view kReplay = "replay";
  if (options.on == "auto" || options.on == "cuda") {
    const Cards found = find_cards();
    if (!found.cards.empty() || options.on == "cuda") {
      const auto backend = open_card(options.device, card_program(), options.seed);
      return {measure(*backend, experiments, options)};
    }
    if (!options.pattern.empty())
      throw Error(Fault::device,
                  fmt::format("no card to measure ({}), and no recording can answer a new pattern; "
                              "`--on sim` simulates it.",
                              found.why_none));
    say(options, "No card to measure ({}): replaying the H200 runs that Plumb ships, {}.\n", found.why_none,
        fmt::join(texts_of(shipped_recordings()), ", "));
    return replay(shipped_recordings(), experiments);
  }
  if (options.on == "sim") {
    SimBackend backend(machine_of(options.machine, options.changes).sim, options.seed);
    return {measure(backend, experiments, options)};
  }
  if (options.on == kReplay) return replay(shipped_recordings(), experiments);
  if (options.on.starts_with("replay:"))
    return replay(std::vector<fs::path>{options.on.substr(kReplay.size() + 1)}, experiments);
  throw Error(Fault::caller,
              fmt::format("--on {}: allowed are auto, cuda, sim, replay and replay:FILE.", options.on));
}

}  // namespace

void add_run(CLI::App& app, int argc, const char* const* argv) {
  auto options = std::make_shared<Options>();
  for (int i = 0; i < argc; ++i)
    options->command_line += fmt::format("{}{}", i == 0 ? "" : " ", i == 0 ? "plumb" : argv[i]);
  CLI::App* verb = app.add_subcommand(
      "run", "Measure on the card of this machine, or replay a recorded run where there is none");
  verb->add_option("PATTERN", options->globs,
                   "Experiments: names or globs such as 'dsm/*' (quote them); all where none is given");
  verb->add_option("--on", options->on,
                   "auto: the card, or else the H200 runs that Plumb ships; cuda; sim; replay; replay:FILE")
      ->capture_default_str();
  verb->add_option("-o,--output", options->output,
                   "The recording to write; compressed where its name ends in .zst. Without one, "
                   "plumb-DATE-TIME.jsonl.zst here");
  verb->add_flag("--resume", options->resume, "Go on with the recording that -o names: only what it lacks");
  verb->add_flag("--quick", options->quick, "Fewer sizes and samples: a first look");
  verb->add_option("--device", options->device, "Which card, by its CUDA index")->capture_default_str();
  verb->add_option(
          "--gpc", options->gpc,
          "Work in this GPC alone, counted from 0 in the order of their lowest SM; experiments that fill "
          "the chip are left out")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--seed", options->seed, "Of the order of the cases and of the payload; it is recorded")
      ->capture_default_str();
  verb->add_flag("--json", options->json, "The findings for machines; messages go to standard error");
  verb->add_option("--pattern", options->pattern, "A traffic plan of your own (TOML) instead of experiments");
  const std::vector<CLI::Option*> simulated{
      verb->add_option("--machine", options->machine, "With --on sim: a machine that Plumb ships, or a file")
          ->capture_default_str(),
      verb->add_option("--set", options->changes, "With --on sim: a parameter changed, such as shaper=bucket")
          ->type_name("KEY=VALUE")};
  verb->callback([options, simulated] {
    for (const CLI::Option* o : simulated) {
      if (options->on != "sim" && o->count() != 0)
        throw Error(Fault::caller, fmt::format("{} goes with --on sim.", o->get_name()));
    }
    if (options->gpc >= 0 && options->on.starts_with("replay"))
      throw Error(Fault::caller, "--gpc chooses where to measure; a recording is where it is.");
    const auto experiments = chosen(*options);
    const auto recordings = obtain(*options, experiments);
    for (const record::Recording& recording : recordings) keep_topology(recording);
    print_findings(recordings, experiments, options->json);
  });
}

}  // namespace plumb::cli

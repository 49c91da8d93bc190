// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/catalog.h"
#include "cli/verbs.h"
#include "plumb/core/error.h"
#include "record/json.h"
#include "report/beside.h"
#include "report/findings.h"
#include "report/floor_plan.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

void warn_of(const record::Recording& recording) {
  for (const auto& warning : recording.warnings) fmt::print(stderr, "warning: {}\n", warning);
}

/// The floor plan that a recording shows, with the help of the others of its card; none where topology was
/// not asked for, or is not in it.
std::optional<topology::Map> map_for(const record::Recording& recording,
                                     std::span<const record::Recording> recordings,
                                     const std::vector<Experiment>& experiments) {
  const bool wanted = std::any_of(experiments.begin(), experiments.end(),
                                  [](const Experiment& e) { return e.name.starts_with("topology/"); });
  if (!wanted || topology::groups_of(recording.measurements).tpcs.empty()) return std::nullopt;
  std::vector<Measurement> all = recording.measurements;
  for (const record::Recording& other : recordings) {
    if (&other == &recording || other.provenance.gpu_uuid_hash != recording.provenance.gpu_uuid_hash)
      continue;
    all.insert(all.end(), other.measurements.begin(), other.measurements.end());
  }
  return topology::map_of(all);
}

nlohmann::ordered_json findings_json(const record::Recording& recording,
                                     std::span<const record::Recording> recordings,
                                     const std::vector<Experiment>& experiments) {
  auto findings = nlohmann::ordered_json::array();
  for (const Experiment& experiment : experiments) {
    const auto measurements = record::of_experiment(recording, experiment.name);
    if (measurements.empty()) continue;
    for (const Finding& f : experiment.analyze(measurements)) findings.push_back(record::to_json(f));
  }
  nlohmann::ordered_json all{{"provenance", record::to_json(recording.provenance)},
                             {"warnings", recording.warnings},
                             {"findings", std::move(findings)}};
  if (const auto map = map_for(recording, recordings, experiments)) all["floor_plan"] = report::to_json(*map);
  return all;
}

void print_tables(const record::Recording& recording, std::span<const record::Recording> recordings,
                  const std::vector<Experiment>& experiments) {
  const bool colours = report::colours_on(stdout);
  fmt::print("{}\n", report::printable(report::provenance_line(recording.provenance)));
  for (const Experiment& experiment : experiments) {
    const auto measurements = record::of_experiment(recording, experiment.name);
    if (measurements.empty()) continue;
    fmt::print("\n{}", report::findings_table(experiment.name, experiment.question,
                                              experiment.analyze(measurements), colours));
  }
  if (const auto map = map_for(recording, recordings, experiments))
    fmt::print("\n{}", report::floor_plan(*map, colours));
}

}  // namespace

void print_findings(std::span<const record::Recording> recordings, const std::vector<Experiment>& experiments,
                    bool json) {
  auto all = nlohmann::ordered_json::array();
  for (const record::Recording& recording : recordings) {
    warn_of(recording);
    if (json) {
      all.push_back(findings_json(recording, recordings, experiments));
      continue;
    }
    if (&recording != recordings.data()) fmt::print("\n");
    print_tables(recording, recordings, experiments);
  }
  if (json) fmt::print("{}\n", nlohmann::ordered_json{{"recordings", std::move(all)}}.dump(2));
}

namespace {

record::Recording read_aloud(const std::filesystem::path& path) {
  record::Recording recording = record::read(path);
  warn_of(recording);
  return recording;
}

/// The shipped runs that hold any of the experiments.
std::vector<record::Recording> shipped(const std::vector<Experiment>& experiments) {
  std::vector<record::Recording> out;
  for (const auto& path : shipped_recordings()) {
    record::Recording recording = record::read(path);
    if (std::any_of(experiments.begin(), experiments.end(),
                    [&](const Experiment& e) { return !record::of_experiment(recording, e.name).empty(); }))
      out.push_back(std::move(recording));
  }
  return out;
}

/// The first shipped run that has an experiment in common with `other`; the first where none has.
record::Recording shipped_for(const record::Recording& other) {
  for (const auto& path : shipped_recordings()) {
    record::Recording shipped = record::read(path);
    for (const Measurement& m : other.measurements)
      if (!record::of_experiment(shipped, m.point.experiment).empty()) return shipped;
  }
  return record::read(shipped_recordings().front());
}

std::string label_of(const Provenance& p) { return p.backend == "sim" ? "simulated" : "measured"; }

/// Every finding that two recordings have in common, side by side.
void print_beside(const record::Recording& first, const record::Recording& second,
                  const std::vector<Experiment>& experiments, bool json) {
  const bool colours = report::colours_on(stdout);
  auto rows_json = nlohmann::ordered_json::array();
  const std::vector<std::string> labels{label_of(first.provenance), label_of(second.provenance)};
  if (!json)
    fmt::print("{}\n{}\n", report::printable(report::provenance_line(first.provenance)),
               report::printable(report::provenance_line(second.provenance)));
  for (const Experiment& experiment : experiments) {
    const auto a = record::of_experiment(first, experiment.name);
    const auto b = record::of_experiment(second, experiment.name);
    if (a.empty() || b.empty()) continue;
    const auto rows = report::beside(experiment.analyze(a), experiment.analyze(b));
    if (!json)
      fmt::print("\n{}\n{}", report::paint(experiment.name, report::Tone::bold, colours),
                 report::beside_table(rows, labels, colours));
    for (const report::Beside& row : rows) {
      nlohmann::ordered_json r{{"name", row.name}, {"estimator", row.estimator}, {"unit", row.unit}};
      if (row.first) r["first"] = record::to_json(*row.first);
      if (row.second) r["second"] = record::to_json(*row.second);
      if (const auto d = row.deviation()) r["deviation"] = *d;
      rows_json.push_back(std::move(r));
    }
  }
  if (rows_json.empty())
    throw Error(Fault::caller, "the two recordings have no experiment in common; nothing can be compared.");
  if (!json) return;
  const nlohmann::ordered_json all{{"first", record::to_json(first.provenance)},
                                   {"second", record::to_json(second.provenance)},
                                   {"findings", std::move(rows_json)}};
  fmt::print("{}\n", all.dump(2));
}

}  // namespace

void add_analyze(CLI::App& app) {
  struct Options {
    std::vector<std::string> files;
    std::string beside;
    std::vector<std::string> only;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("analyze", "Findings with 95 % intervals from a recording");
  verb->add_option("FILE", options->files, "Recordings; without one, the H200 runs that Plumb ships");
  verb->add_option("--only", options->only, "Experiments: names or globs such as 'dsm/*' (quote them)")
      ->allow_extra_args(false);
  verb->add_flag("--json", options->json, "Every finding with name, value, interval, unit, estimator, cases");
  verb->add_option("--beside", options->beside,
                   "A second recording: each finding of both side by side, with the deviation");
  verb->callback([options] {
    const auto experiments = options->only.empty() ? known() : select(options->only);
    if (!options->beside.empty()) {
      if (options->files.size() > 1)
        throw Error(Fault::caller, fmt::format("--beside {}: it stands beside one recording; {} are given.",
                                               options->beside, options->files.size()));
      const record::Recording second = read_aloud(options->beside);
      print_beside(options->files.empty() ? shipped_for(second) : read_aloud(options->files.front()), second,
                   experiments, options->json);
      return;
    }
    std::vector<record::Recording> recordings;
    if (options->files.empty()) recordings = shipped(experiments);
    for (const auto& file : options->files) recordings.push_back(record::read(file));
    print_findings(recordings, experiments, options->json);
  });
}

}  // namespace plumb::cli

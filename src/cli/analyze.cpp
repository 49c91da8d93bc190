// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/catalog.h"
#include "cli/verbs.h"
#include "plumb/core/error.h"
#include "record/json.h"
#include "report/beside.h"
#include "report/findings.h"
#include "report/terminal.h"

namespace plumb::cli {
void print_findings(const record::Recording& recording, const std::vector<Experiment>& experiments,
                    bool json) {
  const bool colours = report::colours_on(stdout);
  auto findings_json = nlohmann::ordered_json::array();
  if (!json) fmt::print("{}\n", report::printable(report::provenance_line(recording.provenance)));
  for (const Experiment& experiment : experiments) {
    const auto measurements = record::of_experiment(recording, experiment.name);
    if (measurements.empty()) continue;
    const auto findings = experiment.analyze(measurements);
    if (json) {
      for (const Finding& f : findings) findings_json.push_back(record::to_json(f));
    } else {
      fmt::print("\n{}", report::findings_table(experiment.name, experiment.question, findings, colours));
    }
  }
  if (!json) return;
  const nlohmann::ordered_json all{{"provenance", record::to_json(recording.provenance)},
                                   {"warnings", recording.warnings},
                                   {"findings", std::move(findings_json)}};
  fmt::print("{}\n", all.dump(2));
}

namespace {

record::Recording read_aloud(const std::filesystem::path& path) {
  record::Recording recording = record::read(path);
  for (const auto& warning : recording.warnings) fmt::print(stderr, "warning: {}\n", warning);
  return recording;
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
    std::string file;
    std::string beside;
    std::vector<std::string> only;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("analyze", "Findings with 95 % intervals from a recording");
  verb->add_option("FILE", options->file, "A recording; without one, the H200 run that Plumb ships");
  verb->add_option("--only", options->only, "Experiments: names or globs such as 'dsm/*' (quote them)")
      ->allow_extra_args(false);
  verb->add_flag("--json", options->json, "Every finding with name, value, interval, unit, estimator, cases");
  verb->add_option("--beside", options->beside,
                   "A second recording: each finding of both side by side, with the deviation");
  verb->callback([options] {
    const auto path = options->file.empty() ? shipped_recording() : std::filesystem::path(options->file);
    const auto experiments = options->only.empty() ? known() : select(options->only);
    if (!options->beside.empty()) {
      print_beside(read_aloud(path), read_aloud(options->beside), experiments, options->json);
      return;
    }
    print_findings(read_aloud(path), experiments, options->json);
  });
}

}  // namespace plumb::cli

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
#include "record/json.h"
#include "report/findings.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

std::vector<Measurement> of_experiment(const record::Recording& recording, const std::string& name) {
  std::vector<Measurement> out;
  for (const Measurement& m : recording.measurements)
    if (m.point.experiment == name) out.push_back(m);
  return out;
}

}  // namespace

void print_findings(const record::Recording& recording, const std::vector<Experiment>& experiments,
                    bool json) {
  const bool colours = report::colours_on(stdout);
  auto findings_json = nlohmann::ordered_json::array();
  if (!json) fmt::print("{}\n", report::printable(report::provenance_line(recording.provenance)));
  for (const Experiment& experiment : experiments) {
    const auto measurements = of_experiment(recording, experiment.name);
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

void add_analyze(CLI::App& app) {
  struct Options {
    std::string file;
    std::vector<std::string> only;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("analyze", "Findings with 95 % intervals from a recording");
  verb->add_option("FILE", options->file, "A recording; without one, the H200 run that Plumb ships");
  verb->add_option("--only", options->only, "Experiments: names or globs such as 'dsm/*' (quote them)")
      ->allow_extra_args(false);
  verb->add_flag("--json", options->json, "Every finding with name, value, interval, unit, estimator, cases");
  verb->callback([options] {
    const auto path = options->file.empty() ? shipped_recording() : std::filesystem::path(options->file);
    const record::Recording recording = record::read(path);
    for (const auto& warning : recording.warnings) fmt::print(stderr, "warning: {}\n", warning);
    print_findings(recording, select(options->only), options->json);
  });
}

}  // namespace plumb::cli

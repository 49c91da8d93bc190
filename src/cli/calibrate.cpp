// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/catalog.h"
#include "cli/observations.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "infer/calibration.h"
#include "infer/verdict.h"
#include "plumb/core/error.h"
#include "report/calibration.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

struct Options {
  std::string file;
  std::string machine = "h200";
  std::vector<std::string> changes;
  std::string output;
  std::vector<std::string> free;
  int evaluations = 150;
  std::size_t cases = 400;
  int samples = 1;
  std::uint64_t seed = 1;
  bool resume = false;
  bool json = false;
};

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The machine file with the fitted values, each with its interval as evidence.
void write_machine(const config::Machine& from, const infer::Calibration& c, const std::string& recording,
                   const std::string& path) {
  std::string text = text_of(from.file);
  for (const infer::Fitted& f : c.parameters) {
    text = config::with_value(
        text, {.key = f.name,
               .value = std::to_string(f.value),
               .evidence = f.identified() ? config::Evidence::inferred : config::Evidence::unresolved,
               .source = fmt::format("plumb calibrate {}: {}", recording, report::interval_text(f))});
  }
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error(Fault::caller, fmt::format("-o {}: it cannot be written.", path));
}

void calibrate(const Options& options) {
  const config::Machine machine = machine_of(options.machine, options.changes);
  const Observations seen = observations_of(options.file, options.json ? stderr : stdout);
  const infer::Split split = infer::split(seen.cases);

  Progress progress;
  progress.expect(static_cast<std::size_t>(options.evaluations));
  infer::CalibrationOptions how{.free = options.free.empty() ? machine.free : options.free,
                                .evaluations = options.evaluations,
                                .samples = options.samples,
                                .seed = options.seed,
                                .memory = {},
                                .progress = [&](int number, std::string_view what) {
                                  if (number > options.evaluations) progress.expect(1);
                                  progress.show(static_cast<std::size_t>(number), what);
                                }};
  if (!options.output.empty() && options.evaluations > 0) {
    how.memory = options.output + ".evaluations.jsonl";
    std::error_code error;
    if (!options.resume && std::filesystem::exists(how.memory, error))
      throw Error(Fault::caller,
                  fmt::format("{}: it exists; --resume goes on with it, or remove it to start again.",
                              how.memory.string()));
  }
  const std::vector<infer::ObservedCase> some =
      infer::spread_out(split.training, options.cases == 0 ? split.training.size() : options.cases);
  const infer::Calibration fit = infer::calibrate(some, machine.sim, how);
  const auto trained = infer::score(split.training, fit.machine, options.samples, options.seed);
  const auto held = infer::score(split.held_out, fit.machine, options.samples, options.seed);
  auto families = report::family_errors(split.training, trained, false);
  for (auto& f : report::family_errors(split.held_out, held, true)) families.push_back(f);
  families.push_back(report::all_errors(trained, false));
  families.push_back(report::all_errors(held, true));
  auto quantities = report::quantity_errors(split.training, trained, false);
  for (auto& q : report::quantity_errors(split.held_out, held, true)) quantities.push_back(q);
  if (!options.output.empty()) write_machine(machine, fit, seen.name, options.output);

  if (options.json) {
    nlohmann::ordered_json j{{"recording", seen.name},         {"machine", machine.sim.name},
                             {"evaluations", fit.evaluations}, {"remembered", fit.remembered},
                             {"model_error", fit.model},       {"gain", fit.gain}};
    j["parameters"] = nlohmann::ordered_json::array();
    for (const auto& f : fit.parameters) j["parameters"].push_back(report::to_json(f));
    j["families"] = nlohmann::ordered_json::array();
    for (const auto& f : families) j["families"].push_back(report::to_json(f));
    j["quantities"] = nlohmann::ordered_json::array();
    for (const auto& q : quantities) j["quantities"].push_back(report::to_json(q));
    fmt::print("{}\n", j.dump(2));
    return;
  }
  const bool colours = report::colours_on(stdout);
  fmt::print("Every third family, in the order of their names, is held out of the fit.\n");
  if (options.evaluations > 0) {
    fmt::print("\n{}", report::parameters_table(fit.parameters, colours));
    fmt::print("{} evaluations{}; the log likelihood of the training cases rose by {:.1f}.\n",
               fit.evaluations,
               fit.remembered == 0 ? "" : fmt::format(", {} of them remembered", fit.remembered), fit.gain);
  }
  fmt::print("\nDeviation of simulated durations, flow by flow\n{}", report::errors_table(families, colours));
  fmt::print("\nBy what they say: rates and intercepts are those of lines over the sizes of a pattern\n{}",
             report::quantities_table(quantities, colours));
  fmt::print("The training cases are likeliest with a relative error of the model of {:.2f} %.\n",
             100 * fit.model);
  if (!options.output.empty()) fmt::print("The machine is in {}.\n", options.output);
}

}  // namespace

void add_calibrate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "calibrate",
      "Fit the free parameters of a machine file to a recording, and say how far the fit is off");
  verb->add_option("FILE", options->file, "A recording; without one, the H200 run that Plumb ships");
  verb->add_option("-o,--output", options->output,
                   "The machine file to write; evaluations are kept beside it for --resume");
  verb->add_option("--machine", options->machine,
                   "Where the fit starts: a machine that Plumb ships, or a file")
      ->capture_default_str();
  verb->add_option("--set", options->changes,
                   "A parameter of the machine changed before, such as shaper=bucket")
      ->type_name("KEY=VALUE");
  verb->add_option("--free", options->free, "Parameters to fit instead of those that the machine file lists")
      ->delimiter(',');
  verb->add_option("--evaluations", options->evaluations,
                   "That the search may take; 0: no fit, only how far the machine is off")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  verb->add_option(
          "--cases", options->cases,
          "Training cases that the fit looks at, of all families alike; 0: all. Errors are always of all")
      ->capture_default_str();
  verb->add_option("--samples", options->samples, "Simulated for each case")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "Of start jitter and arbiter phases")->capture_default_str();
  verb->add_flag("--resume", options->resume, "Go on with a calibration that was interrupted; -o names it");
  verb->add_flag("--json", options->json, "All of it for machines; messages go to standard error");
  verb->callback([options] { calibrate(*options); });
}

}  // namespace plumb::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/options.h"
#include "cli/verbs.h"
#include "plumb/core/error.h"
#include "report/simulation.h"
#include "report/terminal.h"
#include "trace/perfetto.h"

namespace plumb::cli {
namespace {

struct Options {
  PlanOptions plan;
  std::string machine = "h200";
  std::vector<std::string> changes;
  std::uint64_t seed = 0;
  std::string trace;
  bool json = false;
};

void write_trace(const std::string& path, const trace::Perfetto& trace) {
  std::ofstream out(path, std::ios::binary);
  out << trace.json();
  out.close();
  if (!out) throw Error(Fault::caller, fmt::format("--trace {}: it cannot be written.", path));
}

void simulate(Options& options) {
  const config::Machine machine = machine_of(options.machine, options.changes);
  const int there = topology_of(machine.sim).ranks();
  const Traffic traffic = plan_from(options.plan, there);
  const fabric::Topology topology = topology_of(machine.sim, traffic.ranks);
  trace::FlowMeter meter(traffic);
  std::optional<trace::Perfetto> trace;
  if (!options.trace.empty()) trace.emplace(topology);
  trace::Fan fan(trace ? std::vector<fabric::Observer*>{&meter, &*trace}
                       : std::vector<fabric::Observer*>{&meter});
  auto result =
      fabric::simulate(traffic, machine.sim.parameters, topology, {.seed = options.seed, .observer = &fan});
  const report::SimulationView view{
      .title = title_of(options.plan),
      .machine = fmt::format("{}, {}", machine.sim.name, config::evidence_line(machine)),
      .traffic = traffic,
      .parameters = machine.sim.parameters,
      .topology = topology,
      .result = std::move(result),
      .motion = meter.flows(),
      .latency = meter.latency_from()};
  if (options.json) {
    fmt::print("{}\n", report::simulation_json(view).dump(2));
  } else {
    fmt::print("{}", report::simulation_text(view, report::colours_on(stdout)));
  }
  if (!trace) return;
  write_trace(options.trace, *trace);
  fmt::print(options.json ? stderr : stdout, "\nThe trace is in {}; open it at https://ui.perfetto.dev.\n",
             options.trace);
}

}  // namespace

void add_sim(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "sim", "One traffic pattern through the simulated SM-to-SM fabric: rates, stalls, queues, latencies");
  add_plan(*verb, options->plan);
  verb->add_option("--machine", options->machine, "A machine that Plumb ships, or a machine file (TOML)")
      ->capture_default_str();
  verb->add_option("--set", options->changes, "A parameter of the machine changed, such as shaper=bucket")
      ->type_name("KEY=VALUE");
  verb->add_option("--seed", options->seed, "Of start jitter and arbiter phases; 0: neither")
      ->capture_default_str();
  verb->add_option("--trace", options->trace, "Writes a trace for ui.perfetto.dev");
  verb->add_flag("--json", options->json, "All statistics for machines");
  verb->callback([options] { simulate(*options); });
}

}  // namespace plumb::cli

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
#include "config/pattern_file.h"
#include "config/size.h"
#include "plumb/core/error.h"
#include "plumb/core/named_pattern.h"
#include "report/simulation.h"
#include "report/terminal.h"
#include "trace/perfetto.h"

namespace plumb::cli {
namespace {

struct Options {
  std::string pattern = "ring";
  std::string op = "put";
  int sms = 0;
  std::string bytes = "64KiB";
  PatternShape shape;
  std::string machine = "h200";
  std::vector<std::string> changes;
  std::uint64_t seed = 0;
  std::string trace;
  bool json = false;
};

Traffic named_traffic(Options& options, int machine_sms) {
  options.shape.ranks = options.sms == 0 ? std::min(machine_sms, kMaxRanks) : options.sms;
  std::int64_t bytes = 0;
  try {
    bytes = config::size_from(options.bytes);
  } catch (const Error& error) {
    throw Error(Fault::caller, fmt::format("--bytes {}: {}", options.bytes, error.what()));
  }
  return make_pattern(options.pattern, options.shape, {.op = op_from(options.op), .bytes = bytes});
}

std::string title_of(const Options& options, bool from_file) {
  if (from_file) return options.pattern;
  return fmt::format("{}: {} of {} each, {} SMs", options.pattern, options.op, options.bytes,
                     options.shape.ranks);
}

void write_trace(const std::string& path, const trace::Perfetto& trace) {
  std::ofstream out(path, std::ios::binary);
  out << trace.json();
  out.close();
  if (!out) throw Error(Fault::caller, fmt::format("--trace {}: it cannot be written.", path));
}

void simulate(Options& options, bool from_file) {
  const config::Machine machine = machine_of(options.machine, options.changes);
  const int there = topology_of(machine.sim).ranks();
  const Traffic traffic = from_file ? config::read_pattern(options.pattern) : named_traffic(options, there);
  validate(traffic, there);
  const fabric::Topology topology = topology_of(machine.sim, traffic.ranks);
  trace::FlowMeter meter(traffic);
  std::optional<trace::Perfetto> trace;
  if (!options.trace.empty()) trace.emplace(topology);
  trace::Fan fan(trace ? std::vector<fabric::Observer*>{&meter, &*trace}
                       : std::vector<fabric::Observer*>{&meter});
  auto result =
      fabric::simulate(traffic, machine.sim.parameters, topology, {.seed = options.seed, .observer = &fan});
  const report::SimulationView view{
      .title = title_of(options, from_file),
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

std::string pattern_help() {
  std::string text = "A pattern file (TOML), or one of:";
  for (const Pattern& p : patterns()) text += fmt::format("\n{}: {}", p.name, p.text);
  return text;
}

}  // namespace

void add_sim(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "sim", "One traffic pattern through the simulated SM-to-SM fabric: rates, stalls, queues, latencies");
  verb->add_option("--pattern", options->pattern, pattern_help())->capture_default_str();
  // What a pattern file says itself.
  const std::vector<CLI::Option*> shape{
      verb->add_option("--op", options->op, "load, store or put")->capture_default_str(),
      verb->add_option("--sms", options->sms,
                       "SMs that take part; without it, all of the machine, at most 16"),
      verb->add_option("--bytes", options->bytes, "Payload of each flow: 65536, 64KiB, 1MiB")
          ->capture_default_str(),
      verb->add_option("--stride", options->shape.stride, "ring, pairs: ranks between the ends of a flow")
          ->capture_default_str(),
      verb->add_option("--root", options->shape.root, "incast, gather: the destination; scatter: the source")
          ->capture_default_str()};
  verb->add_option("--machine", options->machine, "A machine that Plumb ships, or a machine file (TOML)")
      ->capture_default_str();
  verb->add_option("--set", options->changes, "A parameter of the machine changed, such as shaper=bucket")
      ->type_name("KEY=VALUE");
  verb->add_option("--seed", options->seed, "Of start jitter and arbiter phases; 0: neither")
      ->capture_default_str();
  verb->add_option("--trace", options->trace, "Writes a trace for ui.perfetto.dev");
  verb->add_flag("--json", options->json, "All statistics for machines");
  verb->callback([options, shape] {
    const bool from_file = names_a_file(options->pattern);
    for (const CLI::Option* o : shape) {
      if (from_file && o->count() != 0)
        throw Error(Fault::caller, fmt::format("{} goes with a pattern's name; {} says it itself.",
                                               o->get_name(), options->pattern));
    }
    simulate(*options, from_file);
  });
}

}  // namespace plumb::cli

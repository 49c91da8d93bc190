// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/options.h"
#include "cli/verbs.h"
#include "dsm/predictions.h"
#include "model/sharing.h"
#include "plumb/core/error.h"
#include "plumb/fabric/simulation.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

constexpr double kLongestSimulation = 1e6;  // SM cycles: a second or less

struct Options {
  PlanOptions plan;
  std::string machine = "h200";
  bool json = false;
};

/// Everything that is said of one plan.
struct Answer {
  std::string title;
  double ghz = 0.0;
  std::int64_t bytes = 0;  ///< of the slowest flow
  std::size_t slowest = 0;
  model::Shares shares;
  std::optional<model::Expected> cycles;  ///< none: no closed form applies
  model::Expected start;
  std::optional<double> simulated;  ///< SM cycles; none: too long to simulate
  model::L2Exchange l2;
};

model::Places places_of(const fabric::Topology& topology) {
  model::Places places;
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    places.cpc.push_back(topology.cpc(rank));
    places.block.push_back(topology.block(rank));
  }
  return places;
}

std::optional<double> simulated(const Traffic& traffic, const config::Machine& machine,
                                const fabric::Topology& topology) {
  double bytes = 0.0;
  for (const Flow& f : traffic.flows) bytes += static_cast<double>(f.bytes);
  if (bytes / model::lane_share() > kLongestSimulation) return std::nullopt;
  const auto result = fabric::simulate(traffic, machine.sim.parameters, topology);
  double most = 0.0;
  for (const fabric::FlowResult& f : result.flows)
    most = std::max(most, static_cast<double>(f.stop - f.start));
  return most;
}

Answer answer(Options& options) {
  const config::Machine machine = machine_of(options.machine, {});
  const Traffic traffic = plan_from(options.plan, topology_of(machine.sim).ranks());
  const fabric::Topology topology = topology_of(machine.sim, traffic.ranks);
  Answer out{.title = title_of(options.plan),
             .ghz = machine.sim.parameters.clock_mhz / 1000.0,
             .bytes = traffic.flows.front().bytes,
             .slowest = 0,
             .shares = model::share(traffic, places_of(topology)),
             .cycles = {},
             .start = {},
             .simulated = simulated(traffic, machine, topology),
             .l2 = model::through_l2(traffic)};
  if (!out.shares.apply()) return out;
  for (std::size_t i = 0; i < traffic.flows.size(); ++i) {
    const model::Expected here = model::completion(traffic, out.shares, i);
    if (out.cycles && here.value <= out.cycles->value) continue;
    out.cycles = here;
    out.slowest = i;
    out.bytes = traffic.flows[i].bytes;
    out.start = model::start_of(traffic, i);
  }
  return out;
}

/// What most of the time goes into, by the names of the models.
std::string limit_name(const Answer& a) {
  const model::FlowRate& f = a.shares.flows[a.slowest];
  return a.start.value > f.cycles.value ? "completion" : std::string(name_of(f.limit));
}

std::string limit_sentence(const Answer& a) {
  const model::FlowRate& f = a.shares.flows[a.slowest];
  if (limit_name(a) == "completion")
    return "start, way and completion take longer than the payload does; send more at once";
  switch (f.limit) {
    case model::Limit::shaper:
      return fmt::format("rank {} sends all that an SM may, {:.2f} B/cycle with commands and acknowledgments",
                         f.where, model::lane_share());
    case model::Limit::ingress:
      return "the SMs of one CPC send nearly what its four lanes carry, and hold each other up on the way in";
    case model::Limit::egress:
      return "the two lanes into one egress block are full";
    case model::Limit::port:
      return fmt::format("rank {} takes in one lane, 32 B/cycle, and no more", f.where);
    case model::Limit::in_flight:
      return fmt::format("rank {} has too few bytes of loads in flight; 8 KiB fill its way in", f.where);
    case model::Limit::command:
      return fmt::format("one thread sets up a bulk copy every 93 cycles; give rank {} larger ones", f.where);
  }
  return {};
}

std::string between(const model::Expected& e) {
  return fmt::format("{:.0f} ({:.0f} to {:.0f})", e.value, e.low, e.high);
}

/// "12 % slower than by the network", or that the two cannot be told apart.
std::string compared(const model::Expected& l2, const model::Expected& dsm) {
  if (l2.low <= dsm.high && dsm.low <= l2.high) return "too close to call";
  const double ratio = l2.value / dsm.value;
  return ratio > 1 ? fmt::format("{:.1f} times as long as from SM to SM", ratio)
                   : fmt::format("{:.0f} % of the time from SM to SM", 100 * ratio);
}

void print(const Answer& a) {
  const bool colours = report::colours_on(stdout);
  fmt::print("{}\n\n", report::paint(a.title, report::Tone::bold, colours));
  if (a.cycles) {
    const model::FlowRate& f = a.shares.flows[a.slowest];
    fmt::print(
        "{:.0f} SM cycles ({:.0f} to {:.0f}) until the last flow is complete: {:.2f} us at {:.2f} GHz\n",
        a.cycles->value, a.cycles->low, a.cycles->high, a.cycles->value / a.ghz / 1000, a.ghz);
    fmt::print("Limited by {}: {}.\n\n", limit_name(a), limit_sentence(a));
    report::Table table({"", "SM cycles", "B/cycle of a flow"});
    table.add({"start, way and completion", between(a.start), "-"});
    table.add({"payload", between(f.cycles),
               fmt::format("{:.2f} ({:.2f} to {:.2f})", f.rate.value, f.rate.low, f.rate.high)});
    table.add(
        {"all", between(*a.cycles), fmt::format("{:.2f}", static_cast<double>(a.bytes) / a.cycles->value)});
    fmt::print("{}", table.text(colours));
  } else {
    fmt::print("No closed form: {}.\n", a.shares.reason);
  }
  if (a.simulated)
    fmt::print("simulated: {:.0f} SM cycles\n", *a.simulated);
  else
    fmt::print("not simulated: it would take more than a second; `plumb sim` does it\n");
  const model::L2Exchange& l2 = a.l2;
  fmt::print("\nThrough L2: {} SM cycles: write {:.0f}, flag {:.0f}, read {:.0f}", between(l2.total),
             l2.write, l2.total.value - l2.write - l2.read, l2.read);
  fmt::print("{}.\n", a.cycles ? "; " + compared(l2.total, *a.cycles) : "");
  fmt::print(
      "The closed forms and the steps through L2 are those of the H200 runs that Plumb ships; nobody "
      "measured "
      "the steps in a row.\n");
}

nlohmann::ordered_json to_json(const model::Expected& e) {
  return {{"value", e.value}, {"low", e.low}, {"high", e.high}};
}

void print_json(const Answer& a) {
  nlohmann::ordered_json out{{"plan", a.title}, {"sm_clock_ghz", a.ghz}};
  if (a.cycles) {
    const model::FlowRate& f = a.shares.flows[a.slowest];
    out["cycles"] = to_json(*a.cycles);
    out["nanoseconds"] = a.cycles->value / a.ghz;
    out["limit"] = limit_name(a);
    out["why"] = limit_sentence(a);
    out["slowest_flow"] = a.slowest;
    out["start_cycles"] = to_json(a.start);
    out["payload_cycles"] = to_json(f.cycles);
    auto flows = nlohmann::ordered_json::array();
    for (const model::FlowRate& flow : a.shares.flows)
      flows.push_back(
          {{"bytes_per_cycle", to_json(flow.rate)}, {"limit", name_of(flow.limit)}, {"where", flow.where}});
    out["flows"] = std::move(flows);
  } else {
    out["does_not_apply"] = a.shares.reason;
  }
  if (a.simulated) out["simulated_cycles"] = *a.simulated;
  out["through_l2"] = {
      {"cycles", to_json(a.l2.total)}, {"write_cycles", a.l2.write}, {"read_cycles", a.l2.read}};
  fmt::print("{}\n", out.dump(2));
}

}  // namespace

void add_predict_dsm(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = verb.add_subcommand(
      "dsm", "How long traffic between SMs takes, what limits it, and whether L2 would be the faster way");
  add_plan(*sub, options->plan);
  sub->add_option("--machine", options->machine,
                  "Whose GPC and clock: a machine that Plumb ships, or a file (TOML)")
      ->capture_default_str();
  sub->add_flag("--json", options->json, "For machines");
  sub->callback([options] {
    const Answer a = answer(*options);
    if (options->json)
      print_json(a);
    else
      print(a);
  });
}

}  // namespace plumb::cli

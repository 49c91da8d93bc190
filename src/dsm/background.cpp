// SPDX-License-Identifier: Apache-2.0
// Flows beside warps that keep a memory busy: the shared memory that serves them, L2, DRAM.
#include <numeric>

#include "core/validity.h"
#include "dsm/clusters.h"
#include "dsm/experiments.h"
#include "dsm/slopes.h"
#include "dsm/times.h"
#include "plumb/core/named_pattern.h"
#include "stats/describe.h"

namespace plumb::dsm {
namespace {

constexpr std::uint64_t kBootstrapSeed = 20260103;
constexpr std::int64_t kHeadStart = 1000;  // cycles by which backgrounds are under way before the flows
constexpr std::int64_t kAlone = 6000;      // cycles of a background that is measured without flows
constexpr int kChipRanks = 8;
const std::vector<std::string> kPressureOrder{"op", "memory", "warps"};
const std::vector<std::string> kInterferenceOrder{"pattern", "op", "memory"};

void add_axes(Axes& axes, const Background& b) {
  axes["memory"] = std::string(name_of(b.memory));
  axes["warps"] = std::int64_t{b.warps};
}

/// The traffic with a background at each of `ranks`, and once more without one.
void add_series(std::vector<Case>& out, const std::string& experiment, const Axes& axes, Traffic traffic,
                const std::vector<Background>& backgrounds, const Sizes& sizes, const Site& site = {}) {
  Axes here = axes;
  if (backgrounds.empty())
    here["memory"] = std::string("none");
  else
    add_axes(here, backgrounds.front());
  for (Flow& f : traffic.flows) f.delay = kHeadStart;
  traffic.background = backgrounds;
  for (Case& c : slope_cases(experiment, here, traffic, sizes)) {
    c.site = site;
    out.push_back(std::move(c));
  }
}

/// The background for kAlone cycles with the least flow that there is at their end.
void add_alone(std::vector<Case>& out, const std::string& experiment, Axes axes, int ranks,
               const std::vector<Background>& backgrounds, const Sizes& sizes, const Site& site = {}) {
  axes["op"] = std::string("none");
  add_axes(axes, backgrounds.front());
  out.push_back({.experiment = experiment,
                 .axes = std::move(axes),
                 .work = Traffic{.ranks = ranks,
                                 .flows = {{.source = 1,
                                            .destination = 0,
                                            .op = Op::load,
                                            .bytes = kAccessBytes,
                                            .delay = kAlone,
                                            .warps = 1,
                                            .in_flight = 1}},
                                 .background = backgrounds},
                 .samples = sizes.samples,
                 .site = site});
}

std::vector<Case> pressure_cases(const Request& request) {
  const Sizes sizes = few_sizes_for(request);
  std::vector<Case> out;
  const std::vector<int> warps = request.quick ? std::vector{4, 16} : std::vector{1, 2, 4, 8, 16};
  for (const Op op : {Op::load, Op::store, Op::put}) {
    const Flow flow{.source = 1, .destination = 0, .op = op};
    const Traffic traffic{.ranks = 2, .flows = {flow}};
    const Axes axes{{"op", std::string(name_of(op))}};
    add_series(out, "dsm/pressure", axes, traffic, {}, sizes);
    // The SM whose shared memory the accesses of the other one need.
    const int served = op == Op::load ? flow.source : flow.destination;
    for (const Memory memory : {Memory::shared, Memory::shared_conflict})
      for (const int w : warps)
        add_series(out, "dsm/pressure", axes, traffic, {{.rank = served, .memory = memory, .warps = w}},
                   sizes);
  }
  for (const Memory memory : {Memory::shared, Memory::shared_conflict})
    for (const int w : warps)
      add_alone(out, "dsm/pressure", {}, 2, {{.rank = 0, .memory = memory, .warps = w}}, sizes);
  return out;
}

/// Where traffic and backgrounds are.
struct Scene {
  std::string name;
  Traffic traffic;
  std::vector<int> ranks;  // that have a background
  Site site;
};

std::vector<Scene> scenes(Op op) {
  const Traffic pair{.ranks = 2, .flows = {{.source = 1, .destination = 0, .op = op}}};
  const Traffic both = make_pattern("ring", {.ranks = 2}, {.op = op});
  const auto ring = [&](int ranks) { return make_pattern("ring", {.ranks = ranks}, {.op = op}); };
  const auto all = [](int ranks) {
    std::vector<int> out(static_cast<std::size_t>(ranks));
    std::iota(out.begin(), out.end(), 0);
    return out;
  };
  // One SM alone, so that L2 and its network have room; then everything that a GPC and the chip have.
  return {{"at-source", pair, {1}, {}},
          {"at-destination", pair, {0}, {}},
          {"two-way", both, {0, 1}, {}},
          {"gpc", ring(kMaxRanks), all(kMaxRanks), {}},
          {"chip", ring(kChipRanks), all(kChipRanks), {.clusters = 0}}};
}

std::vector<Case> interference_cases(const Request& request) {
  const Sizes sizes = few_sizes_for(request);
  constexpr int kWarps = 16;
  std::vector<Case> out;
  for (const Op op : {Op::load, Op::store, Op::put}) {
    for (const Scene& scene : scenes(op)) {
      if (scene.site.clusters == 0 && op != Op::put) continue;
      Axes axes{{"pattern", scene.name}, {"op", std::string(name_of(op))}};
      add_series(out, "dsm/interference", axes, scene.traffic, {}, sizes, scene.site);
      for (const Memory memory : {Memory::l2, Memory::dram}) {
        std::vector<Background> backgrounds;
        for (const int rank : scene.ranks)
          backgrounds.push_back({.rank = rank, .memory = memory, .warps = kWarps});
        add_series(out, "dsm/interference", axes, scene.traffic, backgrounds, sizes, scene.site);
        if (op == Op::put)
          add_alone(out, "dsm/interference", {{"pattern", scene.name}}, scene.traffic.ranks, backgrounds,
                    sizes, scene.site);
      }
    }
  }
  return out;
}

/// NAME/background: what one SM's background reads, pooled over ranks, clusters and sizes of a series.
void add_background_rates(std::span<const Measurement> measurements, std::span<const std::string> order,
                          std::vector<Finding>& out) {
  struct Pool {
    std::vector<double> rates;
    std::vector<std::string> cases;
  };
  std::map<std::string, Pool> pools;
  for (const Measurement& m : measurements) {
    const auto column = m.samples.find(column::read_bytes);
    if (column == m.samples.end()) continue;
    const Traffic& traffic = traffic_of(m.point);
    const std::size_t backgrounds = traffic.background.size();
    const std::size_t flows = traffic.flows.size();
    Pool& pool = pools[name_by_axes(m.point, order)];
    pool.cases.push_back(id_of(m.point));
    const std::vector<bool> good = usable(m.samples);
    for (std::size_t r = 0; r < column->second.size(); ++r) {
      const std::size_t clock_row = r / backgrounds * (flows + backgrounds) + flows + r % backgrounds;
      const auto start = row(m.samples, column::start_cycles, clock_row);
      const auto stop = row(m.samples, column::stop_cycles, clock_row);
      for (std::size_t s = 0; s < good.size(); ++s)
        if (good[s] && stop[s] > start[s])
          pool.rates.push_back(static_cast<double>(column->second[r][s]) /
                               static_cast<double>(stop[s] - start[s]));
    }
  }
  for (const auto& [name, pool] : pools) {
    if (pool.rates.empty()) continue;
    const stats::Estimate e = stats::estimate_median(pool.rates, kBootstrapSeed);
    out.push_back({name + "/background", e.value, e.low, e.high, "B/cycle", "median", pool.cases, {}});
  }
}

}  // namespace

Experiment pressure() {
  return {.name = "dsm/pressure",
          .question =
              "What do remote accesses get from a shared memory that its own SM keeps busy, with and without "
              "bank conflicts, and what does that SM lose?",
          .seconds_a_case = 0.003,
          .cases = pressure_cases,
          .analyze = [](std::span<const Measurement> m) {
            std::vector<Finding> out = slope_findings(m, kPressureOrder);
            add_background_rates(m, kPressureOrder, out);
            return out;
          }};
}

Experiment interference() {
  return {.name = "dsm/interference",
          .question = "Do traffic between SMs and traffic to L2 and DRAM slow each other down?",
          .seconds_a_case = 0.006,
          .cases = interference_cases,
          .analyze = [](std::span<const Measurement> m) {
            std::vector<Measurement> gpc;
            std::vector<Measurement> chip;
            for (const Measurement& one : m) (one.point.site.clusters == 1 ? gpc : chip).push_back(one);
            std::vector<Finding> out = slope_findings(gpc, kInterferenceOrder);
            append(out, cluster_findings(chip, kInterferenceOrder));
            add_background_rates(m, kInterferenceOrder, out);
            return out;
          }};
}

}  // namespace plumb::dsm

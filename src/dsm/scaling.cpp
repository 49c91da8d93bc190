// SPDX-License-Identifier: Apache-2.0
// Rings: of every size, and of 16 SMs with every stride.
#include <algorithm>
#include <array>

#include "dsm/experiments.h"
#include "dsm/slopes.h"
#include "dsm/times.h"
#include "plumb/core/named_pattern.h"

namespace plumb::dsm {
namespace {

constexpr std::uint64_t kBootstrapSeed = 20260105;
constexpr std::array kOps{Op::load, Op::store, Op::put};

std::vector<Case> scaling_cases(const Request& request) {
  std::vector<Case> out;
  for (const Op op : kOps) {
    for (int ranks = 2; ranks <= kMaxRanks; ranks += request.quick ? 2 : 1) {
      append(out,
             slope_cases("dsm/scaling", {{"op", std::string(name_of(op))}, {"ranks", std::int64_t{ranks}}},
                         make_pattern("ring", {.ranks = ranks}, {.op = op}), few_sizes_for(request)));
    }
  }
  return out;
}

std::vector<Case> stride_cases(const Request& request) {
  std::vector<Case> out;
  for (const Op op : kOps) {
    const Axes axes{{"op", std::string(name_of(op))}};
    const auto add = [&](AxisValue stride, const Traffic& traffic) {
      Axes here = axes;
      here["stride"] = std::move(stride);
      append(out, slope_cases("dsm/stride", here, traffic, few_sizes_for(request)));
    };
    for (int stride = 1; stride < kMaxRanks; stride += request.quick ? 7 : 1)
      add(std::int64_t{stride}, make_pattern("ring", {.stride = stride}, {.op = op}));
    add(std::string("neighbours"), make_pattern("pairs", {}, {.op = op}));
  }
  return out;
}

/// NAME/raw-64KiB: 64 KiB over the time until the last flow was complete, start and wait included.
void add_raw(std::span<const Measurement> measurements, std::span<const std::string> order,
             std::vector<Finding>& out) {
  constexpr std::int64_t kRaw = 65536;
  for (const Measurement& m : measurements) {
    if (m.point.axes.at("bytes") != AxisValue{kRaw}) continue;
    std::vector<double> slowest = cycles_of(m);
    for (std::size_t f = 1; f < traffic_of(m.point).flows.size(); ++f) {
      const std::vector<double> cycles = cycles_of(m, f);
      for (std::size_t s = 0; s < slowest.size(); ++s) slowest[s] = std::max(slowest[s], cycles[s]);
    }
    if (slowest.empty()) continue;
    for (double& v : slowest) v = static_cast<double>(kRaw) / v;
    const stats::Estimate e = stats::estimate_median(slowest, kBootstrapSeed);
    out.push_back({name_by_axes(m.point, order) + "/raw-64KiB",
                   e.value,
                   e.low,
                   e.high,
                   "B/cycle",
                   "median",
                   {id_of(m.point)},
                   m.conditions.flags});
  }
}

}  // namespace

Experiment scaling() {
  static const std::vector<std::string> kOrder{"op", "ranks"};
  return {.name = "dsm/scaling",
          .question = "What does each SM of a ring get as the ring grows from 2 to 16 SMs?",
          .seconds_a_case = 0.004,
          .cases = scaling_cases,
          .analyze = [](std::span<const Measurement> m) { return slope_findings(m, kOrder); }};
}

Experiment stride() {
  static const std::vector<std::string> kOrder{"op", "stride"};
  return {.name = "dsm/stride",
          .question =
              "Does it matter how far apart the partners of a ring of 16 SMs are, or that they are "
              "neighbours which exchange?",
          .seconds_a_case = 0.005,
          .cases = stride_cases,
          .analyze = [](std::span<const Measurement> m) {
            std::vector<Finding> out = slope_findings(m, kOrder);
            add_raw(m, kOrder, out);
            return out;
          }};
}

}  // namespace plumb::dsm

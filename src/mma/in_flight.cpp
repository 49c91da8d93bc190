// SPDX-License-Identifier: Apache-2.0
// How many instructions must be in flight: cycles of one = II + b / D for D back to back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "mma/cases.h"
#include "mma/experiments.h"

namespace plumb::mma {
namespace {

const std::string kName = "mma/in-flight";
constexpr std::array<int, 13> kDepths{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64};
constexpr std::array<int, 5> kTcgen05Ns{64, 96, 112, 128, 256};
constexpr int kInstructions = 2048;  // of a group in one sample, at least
constexpr int kFewestBatches = 8;
constexpr double kMostOfIt = 0.9;

std::vector<Mma> shapes() {
  std::vector<Mma> out;
  for (const int groups : {1, 2}) {
    for (const int n : {64, 128, 256}) out.push_back({.n = n, .groups = groups});
    for (const int n : {64, 128}) out.push_back({.n = n, .operands = Operands::rs, .groups = groups});
    out.push_back({.input = Number::e4m3, .n = 128, .groups = groups});
  }
  for (const auto& [input, output] : Formats{{Number::bf16, Number::f32}, {Number::mxf8, Number::f32}}) {
    auto more = tcgen05_shapes(input, output, kTcgen05Ns);
    out.insert(out.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
  return legal(std::move(out));
}

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  for (Mma w : shapes())
    for (const int depth : kDepths) {
      w.in_flight = depth;
      w.batches = std::max(kFewestBatches, kInstructions / depth);
      out.push_back(case_of(kName, w, request.quick ? 9 : 30));
    }
  return out;
}

/// The axes but for the number in flight.
std::string series_of(const Measurement& m) {
  Case c = m.point;
  c.axes.erase("flight");
  return name_by_axes(c, axes_order());
}

struct Depth {
  double depth = 0;
  stats::Estimate cycles;  ///< of one instruction of a group
  const Measurement* m = nullptr;
};

Finding of_series(const std::string& series, const std::vector<Depth>& depths, const char* what, double value,
                  std::string_view unit, std::string estimator) {
  Finding f{.name = fmt::format("{}/{}", series, what),
            .value = value,
            .low = value,
            .high = value,
            .unit = std::string(unit),
            .estimator = std::move(estimator),
            .cases = {},
            .notes = {}};
  for (const Depth& d : depths) f.cases.push_back(id_of(d.m->point));
  return f;
}

void fit(const std::string& series, const std::vector<Depth>& depths, std::vector<Finding>& out) {
  std::vector<double> x;
  std::vector<double> y;
  for (const Depth& d : depths) {
    x.push_back(1 / d.depth);
    y.push_back(d.cycles.value);
  }
  const double best = *std::min_element(y.begin(), y.end());
  const auto enough = std::find_if(depths.begin(), depths.end(),
                                   [&](const Depth& d) { return d.cycles.value <= best / kMostOfIt; });
  out.push_back(
      of_series(series, depths, "depth-90", enough->depth, "in flight", "first depth of 90 % of the best"));
  // Two groups hide what the other's batches cost, so that their curve is no line.
  if (mma_of(*depths.front().m).groups != 1 && mma_of(*depths.front().m).family == MmaFamily::wgmma) return;
  const stats::Line line = stats::fit_line(x, y);
  out.push_back(of_series(series, depths, "interval", line.intercept, "cycles", "line over 1/D"));
  out.push_back(of_series(series, depths, "overhead", line.slope, "cycles", "line over 1/D"));
  out.push_back(of_series(series, depths, "rmse", line.rmse_percent, "%", "line over 1/D"));
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::map<std::string, std::vector<Depth>> series;
  std::vector<Finding> out;
  for (const Measurement& m : measurements) {
    const std::vector<double> cycles = cycles_of(m);
    if (cycles.empty()) continue;
    const Mma& w = mma_of(m);
    const double per_group = static_cast<double>(w.batches) * w.in_flight;
    const stats::Estimate one = scaled(median_of(cycles), 1 / per_group);
    out.push_back(finding(m, "cycles", one, "cycles"));
    series[series_of(m)].push_back({static_cast<double>(w.in_flight), one, &m});
  }
  for (auto& [name, depths] : series) {
    std::sort(depths.begin(), depths.end(), [](const Depth& a, const Depth& b) { return a.depth < b.depth; });
    if (depths.size() >= 3) fit(name, depths, out);
  }
  return out;
}

}  // namespace

Experiment in_flight() {
  return {.name = kName,
          .question =
              "How many instructions must be in flight for the tensor cores to be busy, and what does "
              "waiting for them cost?",
          .seconds_a_case = 0.03,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::mma

// SPDX-License-Identifier: Apache-2.0
#include "infer/score.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/describe.h"

namespace plumb::infer {
namespace {

std::vector<Scored> score_one(std::size_t index, const ObservedCase& observed, const SimMachine& machine,
                              int samples, std::uint64_t seed) {
  SimMachine here = machine;
  if (!observed.places.empty()) {
    here.placement = observed.places;
  }
  Case point = observed.point;
  point.samples = std::holds_alternative<Probe>(point.work) ? 1 : samples;
  const Measurement m = SimBackend(std::move(here), seed).run(point);
  const Column& start = m.samples.at(std::string(column::start_cycles));
  const Column& stop = m.samples.at(std::string(column::stop_cycles));
  std::vector<Scored> out;
  for (const Observed& o : observed.rows) {
    const double sum =
        std::transform_reduce(stop[o.row].begin(), stop[o.row].end(), start[o.row].begin(), 0.0,
                              std::plus<>(), [](auto a, auto b) { return static_cast<double>(a - b); });
    out.push_back({.of = index, .measured = o, .simulated = sum / static_cast<double>(start[o.row].size())});
  }
  return out;
}

}  // namespace

double Scored::beyond_spread() const {
  return std::max(0.0, std::abs(simulated - measured.cycles) - measured.spread) / measured.cycles;
}

std::vector<Scored> score(std::span<const ObservedCase> cases, const SimMachine& machine, int samples,
                          std::uint64_t seed) {
  std::vector<std::vector<Scored>> each(cases.size());
  tbb::parallel_for(std::size_t{0}, cases.size(),
                    [&](std::size_t i) { each[i] = score_one(i, cases[i], machine, samples, seed); });
  std::vector<Scored> out;
  for (const auto& some : each) out.insert(out.end(), some.begin(), some.end());
  return out;
}

Deviations deviations(std::span<const double> sizes) {
  if (sizes.empty()) return {};
  return {.count = sizes.size(),
          .median = stats::median(sizes),
          .p95 = stats::quantile(sizes, 0.95),
          .worst = *std::ranges::max_element(sizes)};
}

}  // namespace plumb::infer

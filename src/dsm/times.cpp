// SPDX-License-Identifier: Apache-2.0
#include "dsm/times.h"

#include "core/validity.h"

namespace plumb::dsm {
namespace {

constexpr std::uint64_t kBootstrapSeed = 20260102;

}  // namespace

std::vector<double> cycles_of(const Measurement& m, std::size_t flow) {
  const std::vector<bool> good = usable(m.samples);
  const auto start = row(m.samples, column::start_cycles, flow);
  const auto stop = row(m.samples, column::stop_cycles, flow);
  std::vector<double> out;
  for (std::size_t s = 0; s < good.size(); ++s)
    if (good[s]) out.push_back(static_cast<double>(stop[s] - start[s]));
  return out;
}

std::optional<Finding> time_finding(const Measurement& m, std::span<const std::string> order) {
  const std::vector<double> cycles = cycles_of(m);
  if (cycles.empty()) return std::nullopt;
  const stats::Estimate e = stats::estimate_median(cycles, kBootstrapSeed);
  return Finding{.name = name_by_axes(m.point, order) + "/time",
                 .value = e.value,
                 .low = e.low,
                 .high = e.high,
                 .unit = "cycles",
                 .estimator = "median",
                 .cases = {id_of(m.point)},
                 .notes = m.conditions.flags};
}

}  // namespace plumb::dsm

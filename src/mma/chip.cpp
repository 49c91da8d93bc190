// SPDX-License-Identifier: Apache-2.0
#include "mma/chip.h"

#include <algorithm>

#include "core/validity.h"
#include "mma/cases.h"
#include "stats/describe.h"

namespace plumb::mma {
namespace {

constexpr double kTera = 1e3;  // FLOP/ns to TFLOP/s

/// One sample of all SMs.
struct Chip {
  double ns = 0;     ///< from the first start to the last stop; globaltimer is one clock for all SMs
  double clock = 0;  ///< cycles per ns, median over SMs
};

Chip chip_of(const Samples& s, std::size_t rows, std::size_t sample) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::vector<double> clocks;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto from = row(s, column::start_ns, r)[sample];
    const auto to = row(s, column::stop_ns, r)[sample];
    first = r == 0 ? from : std::min(first, from);
    last = r == 0 ? to : std::max(last, to);
    const auto cycles = row(s, column::stop_cycles, r)[sample] - row(s, column::start_cycles, r)[sample];
    clocks.push_back(static_cast<double>(cycles) / static_cast<double>(std::max<std::int64_t>(1, to - from)));
  }
  return {.ns = static_cast<double>(last - first), .clock = stats::median(clocks)};
}

}  // namespace

std::vector<Finding> chip_findings(const Measurement& m) {
  const std::vector<bool> good = usable(m.samples);
  const auto rows = m.samples.find(column::start_ns);
  if (rows == m.samples.end() || rows->second.empty()) return {};
  const std::size_t count = rows->second.size();
  std::vector<double> tflops;
  std::vector<double> clocks;
  const Mma& work = mma_of(m);
  const bool library = work.family == MmaFamily::library;
  const double flop = static_cast<double>(flop_of(work)) * static_cast<double>(instructions(work)) *
                      (library ? 1.0 : static_cast<double>(count));
  for (std::size_t s = 0; s < good.size(); ++s) {
    if (!good[s]) continue;
    const Chip c = chip_of(m.samples, count, s);
    if (c.ns <= 0) continue;
    tflops.push_back(flop / c.ns / kTera);
    clocks.push_back(c.clock);
  }
  if (tflops.empty()) return {};
  const stats::Estimate rate = median_of(tflops);
  const stats::Estimate clock = median_of(clocks);
  const auto sms = static_cast<double>(count);
  std::vector<Finding> out{finding(m, "tflops", rate, "TFLOP/s"), finding(m, "clock", clock, "cycle/ns")};
  if (!library) {
    const double per_sm = work.family == MmaFamily::tcgen05 ? work.groups : 1;
    const double most = peak_of(work) * sms * per_sm * clock.value;
    out.push_back(finding(m, "peak", scaled(rate, 100.0 * kTera / most), "%"));
    out.push_back(finding(m, "sms", {.value = sms * per_sm, .low = sms * per_sm, .high = sms * per_sm}, "SMs",
                          "count"));
  }
  for (const auto& [reading, what, unit] :
       {std::tuple{"power_W", "power", "W"}, {"temperature_C", "temperature", "C"}}) {
    const auto it = m.conditions.readings.find(reading);
    if (it == m.conditions.readings.end()) continue;
    out.push_back(
        finding(m, what, {.value = it->second, .low = it->second, .high = it->second}, unit, "reading"));
  }
  return out;
}

}  // namespace plumb::mma

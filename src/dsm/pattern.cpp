// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/validity.h"
#include "dsm/experiments.h"
#include "dsm/times.h"
#include "stats/line.h"

namespace plumb::dsm {
namespace {

constexpr std::uint64_t kBootstrapSeed = 20260101;

/// Median time of each flow, and its payload by that time: with the costs of starting and waiting.
std::vector<Finding> findings(std::span<const Measurement> measurements) {
  std::vector<Finding> out;
  for (const Measurement& m : measurements) {
    const Traffic& traffic = traffic_of(m.point);
    for (std::size_t i = 0; i < traffic.flows.size(); ++i) {
      const Flow& f = traffic.flows[i];
      const std::vector<double> times = cycles_of(m, i);
      if (times.empty()) continue;
      const stats::Estimate time = stats::estimate_median(times, kBootstrapSeed);
      Finding finding{.name = fmt::format("pattern/{}/{}-{}-{}to{}/time", axis(m.point, "file"), i,
                                          name_of(f.op), f.source, f.destination),
                      .value = time.value,
                      .low = time.low,
                      .high = time.high,
                      .unit = "cycles",
                      .estimator = "median",
                      .cases = {id_of(m.point)},
                      .notes = m.conditions.flags};
      if (const std::size_t all = usable(m.samples).size(); all > times.size())
        finding.notes.push_back(fmt::format("{} samples could not be used", all - times.size()));
      out.push_back(finding);
      if (time.low <= 0) continue;
      const auto bytes = static_cast<double>(f.bytes);
      finding.name.replace(finding.name.rfind('/') + 1, std::string::npos, "rate");
      finding.value = bytes / time.value;
      finding.low = bytes / time.high;
      finding.high = bytes / time.low;
      finding.unit = "B/cycle";
      out.push_back(std::move(finding));
    }
  }
  return out;
}

}  // namespace

Experiment pattern(const std::string& file, const Traffic& traffic) {
  return {.name = "pattern",
          .question = "How long does each flow of a plan of your own take, start and wait included?",
          .seconds_a_case = 0.003,
          .cases =
              [file, traffic](const Request& request) {
                std::vector<Case> cases;
                if (!traffic.flows.empty())
                  cases.push_back({.experiment = "pattern",
                                   .axes = {{"file", file}},
                                   .work = traffic,
                                   .samples = request.quick ? 12 : 90});
                return cases;
              },
          .analyze = findings};
}

}  // namespace plumb::dsm

// SPDX-License-Identifier: Apache-2.0
#include "infer/quantities.h"

#include <algorithm>
#include <map>
#include <utility>

#include "stats/line.h"

namespace plumb::infer {
namespace {

/// Durations of one flow of a pattern.
struct Sizes {
  std::vector<double> bytes;
  std::vector<double> measured;
  std::vector<double> simulated;

  [[nodiscard]] bool several() const {
    return bytes.size() > 1 && std::ranges::min(bytes) < std::ranges::max(bytes);
  }
};

}  // namespace

std::string pattern_of(const Case& point) {
  Case c = point;
  c.axes.erase("bytes");
  return id_of(c);
}

std::vector<Quantity> quantities(std::span<const ObservedCase> cases, std::span<const Scored> scored) {
  Quantity times{.name = "completion times", .unit = "cycles", .values = {}};
  Quantity rates{.name = "rates", .unit = "bytes/cycle", .values = {}};
  Quantity intercepts{.name = "intercepts", .unit = "cycles", .values = {}};
  Quantity latencies{.name = "latencies", .unit = "cycles", .values = {}};
  std::map<std::pair<std::string, std::size_t>, Sizes> flows;
  for (const Scored& s : scored) {
    const Case& point = cases[s.of].point;
    const auto* traffic = std::get_if<Traffic>(&point.work);
    if (const auto* probe = std::get_if<Probe>(&point.work)) {
      const double links = probe->links;
      latencies.values.push_back({s.measured.cycles / links, s.simulated / links});
    }
    if (traffic == nullptr) continue;
    times.values.push_back({s.measured.cycles, s.simulated});
    Sizes& sizes = flows[{pattern_of(point), s.measured.row}];
    sizes.bytes.push_back(static_cast<double>(traffic->flows[s.measured.row].bytes));
    sizes.measured.push_back(s.measured.cycles);
    sizes.simulated.push_back(s.simulated);
  }
  for (const auto& [flow, sizes] : flows) {
    if (!sizes.several()) continue;
    const stats::Line card = stats::fit_line(sizes.bytes, sizes.measured);
    const stats::Line fabric = stats::fit_line(sizes.bytes, sizes.simulated);
    if (card.slope <= 0.0 || fabric.slope <= 0.0) continue;
    rates.values.push_back({1 / card.slope, 1 / fabric.slope});
    intercepts.values.push_back({card.intercept, fabric.intercept});
  }
  return {std::move(times), std::move(rates), std::move(intercepts), std::move(latencies)};
}

}  // namespace plumb::infer

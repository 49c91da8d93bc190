// SPDX-License-Identifier: Apache-2.0
#include "topology/noc_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "core/names.h"
#include "core/validity.h"
#include "stats/describe.h"
#include "topology/contention.h"
#include "topology/findings.h"
#include "topology/groups.h"

namespace plumb::topology {
namespace {

constexpr double kOwnPort = 0.2;  // of its rate alone: less than this beside a busy group is none

/// Group and SM of "group-2+sm-16".
std::optional<std::pair<int, int>> beside_of(std::string_view who) {
  const auto numbers = take_two_numbers(who, "group-", "+sm-");
  return who.empty() ? numbers : std::nullopt;
}

struct Rate {
  const Measurement* measurement = nullptr;
  stats::Estimate total;
  double sms = 0.0;
};

/// Of walks in windows of their own, by operation and who.
using Rates = std::map<std::string, std::map<std::string, Rate>>;

void add_speed_ups(Findings& out, const std::string& op, const std::map<std::string, Rate>& rates) {
  const auto one = rates.find("sm-0");
  if (one == rates.end() || one->second.total.value <= 0.0) return;
  std::map<std::string, std::vector<double>> by_kind;
  for (const auto& [who, rate] : rates) {
    std::string kind = who.substr(0, who.find('-'));
    // The whole GPC is a group; one whose lone TPCs are missing is smaller, and its number of SMs says so.
    if (who == "sm-0" || beside_of(who)) continue;
    if (kind != "all") kind += fmt::format("-of-{:.0f}", rate.sms);
    by_kind[kind].push_back(rate.total.value / one->second.total.value);
  }
  for (const auto& [kind, ratios] : by_kind) {
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    out.add(fmt::format("{}/{}/speed-up", op, kind), {stats::median(ratios), *least, *most}, "x");
    for (const auto& [who, rate] : rates)
      if (who.substr(0, who.find('-')) == kind.substr(0, kind.find('-')) && !beside_of(who))
        out.from(*rate.measurement);
  }
}

void add_rates(Findings& out, const std::string& op, const std::map<std::string, Rate>& rates) {
  for (const auto& [who, rate] : rates) {
    if (beside_of(who)) continue;
    if (who != "all") continue;
    const double ghz = clock_ghz(rate.measurement->samples);
    out.add(fmt::format("{}/{}/rate-ns", op, who),
            {rate.total.value * ghz, rate.total.low * ghz, rate.total.high * ghz}, "GB/s");
    out.from(*rate.measurement);
  }
}

/// Sets of groups each of which slows a reader of another.
std::vector<std::set<int>> planes_of(const std::map<std::pair<int, int>, double>& gains,
                                     double slowed_below) {
  std::vector<std::set<int>> planes;
  std::set<int> groups;
  for (const auto& [key, gain] : gains) groups.insert(key.first);
  for (const int group : groups) {
    std::set<int> mine{group};
    for (const auto& [key, gain] : gains)
      if (key.first == group && groups.contains(key.second) && gain < slowed_below) mine.insert(key.second);
    // One that has few SMs cannot fill a plane and slows nobody: what slows it counts as well.
    for (const auto& [key, gain] : gains)
      if (key.second == group && gain < slowed_below) mine.insert(key.first);
    std::vector<std::set<int>> rest;
    for (std::set<int>& plane : planes) {
      const bool meets = std::any_of(plane.begin(), plane.end(), [&](int g) { return mine.contains(g); });
      if (meets)
        mine.insert(plane.begin(), plane.end());
      else
        rest.push_back(std::move(plane));
    }
    rest.push_back(std::move(mine));
    planes = std::move(rest);
  }
  std::sort(planes.begin(), planes.end());
  return planes;
}

void add_neighbours(Findings& out, const std::map<std::string, Rate>& reads, const Groups& groups) {
  const auto one = reads.find("sm-0");
  if (one == reads.end()) return;
  std::map<std::pair<int, int>, double> gains;  // group and lowest SM of another
  std::vector<double> values;
  for (const auto& [who, rate] : reads) {
    const auto beside = beside_of(who);
    if (!beside) continue;
    const auto alone = reads.find(fmt::format("group-{}", beside->first));
    if (alone == reads.end()) continue;
    const double gain = rate.total.value - alone->second.total.value;
    gains[*beside] = gain;
    if (gain > kOwnPort * one->second.total.value) values.push_back(gain);
  }
  const auto lone = lone_tpcs(groups);
  for (const auto& tpc : lone) {
    for (const auto& [key, gain] : gains) {
      if (key.second != tpc.front() || gain > kOwnPort * one->second.total.value) continue;
      out.count(fmt::format("lone-{}/own-port", tpc.front()), gain, "B/cycle")
          .notes.push_back(fmt::format("beside the group of SM {}", key.first));
    }
  }
  if (values.empty()) return;
  const stats::Modes modes = stats::modes(values, 1.0);
  if (!modes.bimodal) {
    out.add("beside/free", stats::estimate_median(values, 1), "B/cycle");
    return;
  }
  out.count("beside/free", modes.high, "B/cycle");
  out.count("beside/slowed", modes.low, "B/cycle");
  for (const auto& plane : planes_of(gains, (modes.low + modes.high) / 2))
    out.count(fmt::format("plane-{}/groups", *plane.begin()), static_cast<double>(plane.size()), "groups")
        .notes.push_back(fmt::format("of SMs {}", fmt::join(plane, " ")));
}

}  // namespace

std::string name_of_beside(int group, int sm) { return fmt::format("group-{}+sm-{}", group, sm); }

std::vector<Finding> noc_findings(std::span<const Measurement> measurements) {
  Findings out("topology/noc");
  Rates rates;
  for (const Measurement& m : measurements) {
    const auto* walk = std::get_if<Walk>(&m.point.work);
    if (walk == nullptr) continue;
    const stats::Estimate total = total_rate(m);
    if (total.value <= 0.0) continue;
    const std::string op(name_of(walk->op));
    if (walk->same && walk->sms.empty()) {
      out.add(fmt::format("{}/same/{}/rate", op, walk->window), total, "B/cycle");
      out.from(m);
    } else if (!walk->same) {
      const auto sms = static_cast<double>(m.samples.at(std::string(column::smid)).size());
      rates[op][axis(m.point, "who")] = {.measurement = &m, .total = total, .sms = sms};
    }
  }
  for (const auto& [op, of_op] : rates) {
    add_rates(out, op, of_op);
    add_speed_ups(out, op, of_op);
  }
  add_neighbours(out, rates["read"], groups_of(measurements));
  const Contention contention = contention_of(measurements);
  if (!contention.rates.empty()) out.count("pairs/free", contention.free, "B/cycle");
  if (!contention.contend.empty()) {
    out.count("pairs/slowed", contention.slowed, "B/cycle");
    const auto sets = std::count_if(contention.sets.begin(), contention.sets.end(),
                                    [](const auto& set) { return set.size() > 1; });
    out.count("pairs/sets", static_cast<double>(sets), "sets");
    out.count("pairs/odd", contention.odd, "pairs");
  }
  return out.take();
}

}  // namespace plumb::topology

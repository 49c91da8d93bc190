// SPDX-License-Identifier: Apache-2.0
#include "topology/contention.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/names.h"
#include "core/validity.h"
#include "stats/describe.h"

namespace plumb::topology {
namespace {

constexpr double kLeastGap = 1.0;     // B/cycle
constexpr double kLeastShare = 0.01;  // of the pairs: where GPCs have few TPCs, few pairs share a CPC

/// "tpc-4+tpc-36".
std::optional<Pair> pair_of(const Case& c) {
  const std::string who = axis(c, "who");
  std::string_view rest = who;
  const auto pair = take_two_numbers(rest, "tpc-", "+tpc-");
  return rest.empty() ? pair : std::nullopt;
}

/// The TPCs of every set of pairs that hang together.
std::vector<std::vector<int>> sets_of(const std::map<Pair, bool>& contend) {
  std::map<int, int> set;
  for (const auto& [pair, yes] : contend) {
    set.emplace(pair.first, pair.first);
    set.emplace(pair.second, pair.second);
  }
  for (const auto& [pair, yes] : contend) {
    if (!yes || set[pair.first] == set[pair.second]) continue;
    const int from = set[pair.second];
    const int to = set[pair.first];
    for (auto& [tpc, s] : set)
      if (s == from) s = to;
  }
  std::map<int, std::vector<int>> by_set;
  for (const auto& [tpc, s] : set) by_set[s].push_back(tpc);
  std::vector<std::vector<int>> out;
  out.reserve(by_set.size());
  for (auto& [s, tpcs] : by_set) out.push_back(std::move(tpcs));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

stats::Estimate total_rate(const Measurement& m) {
  const auto& walk = std::get<Walk>(m.point.work);
  const std::vector<bool> good = usable(m.samples);
  std::vector<stats::Estimate> parts;
  const auto starts = m.samples.find(column::start_cycles);
  if (starts == m.samples.end()) return {};
  for (std::size_t sm = 0; sm < starts->second.size(); ++sm) {
    const auto start = row(m.samples, column::start_cycles, sm);
    const auto stop = row(m.samples, column::stop_cycles, sm);
    std::vector<double> rates;
    for (std::size_t s = 0; s < std::min(start.size(), stop.size()); ++s)
      if (s < good.size() && good[s] && stop[s] > start[s])
        rates.push_back(static_cast<double>(bytes_of(walk)) / static_cast<double>(stop[s] - start[s]));
    if (!rates.empty()) parts.push_back(stats::estimate_median(rates, sm));
  }
  return stats::sum_of(parts);
}

std::string name_of_pair(int first, int second) { return fmt::format("tpc-{}+tpc-{}", first, second); }

Contention contention_of(std::span<const Measurement> measurements) {
  Contention out;
  std::vector<double> rates;
  for (const Measurement& m : measurements) {
    if (!std::holds_alternative<Walk>(m.point.work)) continue;
    const auto pair = pair_of(m.point);
    if (!pair) continue;
    const double rate = total_rate(m).value;
    if (rate <= 0.0) continue;
    out.rates[*pair] = rate;
    rates.push_back(rate);
  }
  if (rates.empty()) return out;
  const stats::Modes modes = stats::modes(rates, kLeastGap, kLeastShare);
  if (!modes.bimodal) {
    out.free = stats::median(rates);
    return out;
  }
  out.free = modes.high;
  out.slowed = modes.low;
  for (const auto& [pair, rate] : out.rates) out.contend[pair] = rate < (modes.low + modes.high) / 2;
  out.sets = sets_of(out.contend);
  for (const auto& [pair, yes] : out.contend) {
    if (yes) continue;
    out.odd += static_cast<int>(std::count_if(out.sets.begin(), out.sets.end(), [&p = pair](const auto& set) {
      return std::binary_search(set.begin(), set.end(), p.first) &&
             std::binary_search(set.begin(), set.end(), p.second);
    }));
  }
  return out;
}

}  // namespace plumb::topology

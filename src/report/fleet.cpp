// SPDX-License-Identifier: Apache-2.0
#include "report/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "plumb/core/error.h"
#include "report/compare.h"
#include "report/terminal.h"
#include "stats/describe.h"

namespace plumb::report {
namespace {

constexpr double kOutlier = 3.5;
constexpr double kNormal = 0.6745;  // quartile of the normal distribution
constexpr std::size_t kLeastCards = 3;
constexpr std::size_t kShown = 40;

void check(std::span<const html::Card> cards) {
  if (cards.size() < kLeastCards)
    throw Error(Fault::caller, fmt::format("a fleet has three cards or more; {} are given.", cards.size()));
  const Provenance& first = cards.front().parts.front().provenance;
  for (const html::Card& c : cards) {
    const Provenance& p = c.parts.front().provenance;
    if (p.backend != first.backend)
      throw Error(
          Fault::caller,
          fmt::format("'{}' is of the backend '{}' and '{}' of '{}': a model is no sibling of a card.",
                      cards.front().label, first.backend, c.label, p.backend));
    if (p.gpu_name != first.gpu_name)
      throw Error(Fault::caller, fmt::format("'{}' and '{}' are different kinds of card: neither is an "
                                             "outlier of the other's kind. Compare two of them.",
                                             cards.front().label, c.label));
  }
}

/// What is told of each card and can explain a difference.
std::map<std::string, std::string> traits_of(const html::Card& c) {
  const Provenance& p = c.parts.front().provenance;
  std::map<std::string, std::string> out{
      {"SMs", fmt::format("{}", p.sm_count)}, {"driver", p.driver_version}, {"ECC", p.ecc}};
  for (const auto& [clock, mhz] : p.clocks_mhz) out[clock + " clock, MHz"] = fmt::format("{:.0f}", mhz);
  if (c.map) {
    std::vector<int> sms(static_cast<std::size_t>(c.map->gpcs), 0);
    std::map<int, int> partitions;
    for (const topology::Seat& s : c.map->tpcs) {
      if (s.gpc >= 0) sms[static_cast<std::size_t>(s.gpc)] += static_cast<int>(s.sms.size());
      if (s.partition >= 0) partitions[s.partition] += static_cast<int>(s.sms.size());
    }
    std::sort(sms.rbegin(), sms.rend());
    out["SMs of the GPCs"] = fmt::format("{}", fmt::join(sms, " "));
    std::vector<int> sides;
    sides.reserve(partitions.size());
    for (const auto& [side, count] : partitions) sides.push_back(count);
    std::sort(sides.rbegin(), sides.rend());
    if (!sides.empty()) out["SMs of the L2 partitions"] = fmt::format("{}", fmt::join(sides, " "));
  }
  for (const html::Part& part : c.parts)
    for (const std::string& flag : part.flags) out["flag"] += (out["flag"].empty() ? "" : "; ") + flag;
  return out;
}

/// Traits that fewer than half of the cards share.
std::vector<std::vector<std::string>> rare_traits(std::span<const html::Card> cards) {
  std::map<std::pair<std::string, std::string>, std::size_t> count;
  std::vector<std::map<std::string, std::string>> traits;
  for (const html::Card& c : cards) {
    traits.push_back(traits_of(c));
    for (const auto& t : traits.back()) ++count[t];
  }
  std::vector<std::vector<std::string>> out(cards.size());
  for (std::size_t i = 0; i < cards.size(); ++i)
    for (const auto& t : traits[i])
      if (2 * count[t] <= cards.size()) out[i].push_back(t.first + ": " + t.second);
  return out;
}

}  // namespace

Fleet fleet_of(std::span<const html::Card> cards, double tolerance) {
  check(cards);
  Fleet out;
  struct Value {
    std::size_t card;
    const Finding* finding;
  };
  std::map<std::string, std::vector<Value>> by_name;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    out.labels.push_back(cards[i].label);
    const html::Lookup found(cards[i].findings);
    for (const Finding& f : cards[i].findings)
      if (better_of(f) != Better::neither && found.find(f.name) == &f) by_name[f.name].push_back({i, &f});
  }
  for (auto& [name, values] : by_name) {
    const std::vector<std::string>& cases = values.front().finding->cases;
    std::erase_if(values, [&cases](const Value& v) { return v.finding->cases != cases; });
    if (values.size() < kLeastCards) continue;
    ++out.findings;
    std::vector<double> all;
    all.reserve(values.size());
    for (const Value& v : values) all.push_back(v.finding->value);
    const double median = stats::median(all);
    std::vector<double> distance;
    distance.reserve(all.size());
    for (const double v : all) distance.push_back(std::abs(v - median));
    const double spread = std::max(stats::median(distance), tolerance * std::abs(median));
    if (spread == 0.0) continue;
    for (const Value& v : values) {
      const double sign = better_of(*v.finding) == Better::more ? 1.0 : -1.0;
      const double z = sign * kNormal * (v.finding->value - median) / spread;
      if (std::abs(z) > kOutlier)
        out.outliers.push_back({v.card, name, v.finding->unit, v.finding->value, median, z});
    }
  }
  if (out.findings == 0)
    throw Error(
        Fault::caller,
        "no finding is in three of the recordings by the same cases; run the same experiments on all.");
  std::stable_sort(out.outliers.begin(), out.outliers.end(),
                   [](const Outlier& a, const Outlier& b) { return std::abs(a.z) > std::abs(b.z); });
  out.differs = rare_traits(cards);
  return out;
}

std::string fleet_table(const Fleet& fleet, bool colours) {
  Table cards({"card", "outliers", "not as with most"});
  for (std::size_t i = 0; i < fleet.labels.size(); ++i) {
    const auto count = std::count_if(fleet.outliers.begin(), fleet.outliers.end(),
                                     [&](const Outlier& o) { return o.card == i; });
    cards.add({printable(fleet.labels[i]), fmt::format("{} of {}", count, fleet.findings),
               printable(fmt::format("{}", fmt::join(fleet.differs[i], "; ")))});
  }
  std::string out = cards.text(colours, 2);
  if (fleet.outliers.empty())
    return out +
           "no outlier: no finding of any card is more than 3.5 robust standard deviations from the median\n";
  Table table({"outlier", "card", "value", "median", "unit", "z"});
  for (std::size_t i = 0; i < std::min(kShown, fleet.outliers.size()); ++i) {
    const Outlier& o = fleet.outliers[i];
    table.add({printable(o.name), printable(fleet.labels[o.card]), fmt::format("{:.5g}", o.value),
               fmt::format("{:.5g}", o.median), o.unit, fmt::format("{:+.1f}", o.z)});
  }
  out += fmt::format("\n{}", table.text(colours));
  if (fleet.outliers.size() > kShown)
    out += fmt::format("and {} more; --json lists them\n", fleet.outliers.size() - kShown);
  return out;
}

}  // namespace plumb::report

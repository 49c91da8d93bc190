// SPDX-License-Identifier: Apache-2.0
#include "copy/envelope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "copy/rates.h"
#include "stats/describe.h"

namespace plumb::copy {
namespace {

constexpr double kLeastDifference = 0.002;  // of two paths: what occasions differ by

struct Best {
  double value = 0.0;
  std::string config;
  std::string id;
};

/// The best of each size on each occasion, with what it was.
using Bests = std::map<std::int64_t, std::map<std::int64_t, Best>>;  // occasion, KiB

std::optional<std::int64_t> number(const Case& c, std::string_view name) {
  const auto it = c.axes.find(name);
  if (it == c.axes.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&it->second);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

Bests bests_of(std::span<const Measurement> measurements, const std::string& from, const std::string& what,
               const std::string& path) {
  const bool wave = what == "wave";
  const double clock = clock_of(measurements);
  Bests out;
  for (const Measurement& m : measurements) {
    if (axis(m.point, "from") != from || axis(m.point, "what") != what || axis(m.point, "path") != path)
      continue;
    const auto kib = number(m.point, "KiB");
    const auto occasion = number(m.point, "occasion");
    if (!kib || !occasion) continue;
    double value = 0.0;
    if (wave) {
      const auto latency = latency_of(m, clock);
      if (!latency) continue;
      value = latency->ns;
    } else {
      const std::vector<double> rates = grid_rates(m);
      if (rates.empty()) continue;
      value = stats::median(rates);
    }
    Best& best = out[*occasion][*kib];
    if (best.id.empty() || (wave ? value < best.value : value > best.value))
      best = {value, axis(m.point, "config"), id_of(m.point)};
  }
  return out;
}

Curve curve_of(const std::map<std::int64_t, Best>& bests) {
  Curve out;
  for (const auto& [kib, best] : bests) out[kib] = best.value;
  return out;
}

/// One finding for each size: over the occasions. Returns the largest spread, a part of the value.
double add_sizes(const std::string& name, const char* unit, const Bests& bests, std::vector<Finding>& out) {
  std::map<std::int64_t, std::vector<Best>> sizes;
  for (const auto& [occasion, by_size] : bests)
    for (const auto& [kib, best] : by_size) sizes[kib].push_back(best);
  double spread = 0.0;
  for (const auto& [kib, all] : sizes) {
    std::vector<double> values;
    std::vector<std::string> ids;
    std::map<std::string, int> configs;
    for (const Best& b : all) {
      values.push_back(b.value);
      ids.push_back(b.id);
      ++configs[b.config];
    }
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double middle = stats::median(values);
    const auto usual = std::max_element(configs.begin(), configs.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    spread = std::max(spread, (*most - *least) / middle);
    out.push_back(finding(fmt::format("{}/{}", name, kib), {middle, *least, *most}, unit, "occasions", ids,
                          {fmt::format("best as {}", usual->first)}));
  }
  return spread;
}

/// The n-th crossing of every occasion that has as many as most of them.
void add_crossings(const std::string& name, const Bests& a, const Bests& b, std::vector<Finding>& out) {
  std::vector<std::vector<double>> all;
  std::map<std::size_t, int> counts;
  for (const auto& [occasion, by_size] : a) {
    const auto other = b.find(occasion);
    if (other == b.end()) continue;
    all.push_back(crossings(curve_of(by_size), curve_of(other->second), kLeastDifference));
    ++counts[all.back().size()];
  }
  if (counts.empty()) return;
  const std::size_t usual = std::max_element(counts.begin(), counts.end(), [](const auto& x, const auto& y) {
                              return x.second < y.second;
                            })->first;
  std::vector<std::string> notes;
  if (counts.size() > 1) notes.emplace_back("not all occasions agree on how often they cross");
  for (std::size_t n = 0; n < usual; ++n) {
    std::vector<double> values;
    for (const auto& one : all)
      if (one.size() == usual) values.push_back(one[n]);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    out.push_back(finding(fmt::format("{}/crossing/{}", name, n + 1), {stats::median(values), *least, *most},
                          "KiB", "occasions", {}, notes));
  }
}

}  // namespace

std::vector<double> crossings(const Curve& a, const Curve& b, double least) {
  std::vector<double> out;
  std::optional<std::pair<double, double>> before;  // log2(KiB) and the difference there
  for (const auto& [kib, value] : a) {
    const auto other = b.find(kib);
    if (other == b.end() || kib <= 0) continue;
    const double difference = (value - other->second) / std::max(value, other->second);
    if (std::abs(difference) < least) continue;
    const double at = std::log2(static_cast<double>(kib));
    if (before && (before->second < 0.0) != (difference < 0.0)) {
      const double part = before->second / (before->second - difference);
      out.push_back(std::exp2(before->first + part * (at - before->first)));
    }
    before = {at, difference};
  }
  return out;
}

std::vector<Finding> envelope_findings(std::span<const Measurement> measurements) {
  std::vector<Finding> out;
  for (const char* from : {"dram", "l2"})
    for (const char* what : {"rate", "wave"}) {
      const std::string name = fmt::format("copy/compare/{}/{}", from, what);
      const char* unit = std::string_view(what) == "rate" ? "GB/s" : "ns";
      const Bests ldgsts = bests_of(measurements, from, what, "ldgsts");
      const Bests tma = bests_of(measurements, from, what, "tma");
      const double spread =
          std::max(add_sizes(name + "/ldgsts", unit, ldgsts, out), add_sizes(name + "/tma", unit, tma, out));
      add_crossings(name, ldgsts, tma, out);
      if (ldgsts.size() > 1 || tma.size() > 1) {
        const double percent = 100.0 * spread;
        out.push_back(finding(name + "/spread", {percent, percent, percent}, "%", "occasions", {}));
      }
    }
  return out;
}

}  // namespace plumb::copy

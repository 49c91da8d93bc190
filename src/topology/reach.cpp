// SPDX-License-Identifier: Apache-2.0
#include "topology/reach.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/validity.h"
#include "stats/describe.h"
#include "stats/hierarchy.h"

namespace plumb::topology {
namespace {

constexpr double kLeastWithin = 0.5;
constexpr double kMostBetween = -0.25;

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of two shapes; 0 where one is flat.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : 0.0;
}

/// Fills part, within and between.
void divide(const Reach& reach, Split& split) {
  const std::size_t n = reach.sms.size();
  const auto merges = stats::cluster(distances_of(reach), n);
  const double below_top = n > 2 ? merges[n - 3].height : 0.0;
  split.part = stats::cut(merges, n, std::max(below_top, 0.0));
  std::vector<std::vector<double>> shapes;
  for (std::size_t i = 0; i < n; ++i) shapes.push_back(shape_of(reach, i));
  split.within = 1.0;
  split.between = -1.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double r = correlation(shapes[i], shapes[j]);
      if (split.part[i] == split.part[j])
        split.within = std::min(split.within, r);
      else
        split.between = std::max(split.between, r);
    }
  }
}

/// Fills near and difference.
void compare(const Reach& reach, Split& split) {
  std::vector<double> gap(reach.addresses);  // what part 1 waits longer
  for (std::size_t a = 0; a < reach.addresses; ++a) {
    std::array<double, 2> sum{};
    std::array<double, 2> count{};
    for (std::size_t i = 0; i < reach.sms.size(); ++i) {
      const auto part = static_cast<std::size_t>(split.part[i]);
      sum.at(part) += reach.of(i)[a];
      count.at(part) += 1.0;
    }
    gap[a] = sum[1] / count[1] - sum[0] / count[0];
  }
  // One part may be further from all of L2: the middle between near and far is not at zero.
  const stats::Modes modes = stats::modes(gap, 0.0);
  const double middle = (modes.low + modes.high) / 2;
  std::vector<double> differences;
  for (const double g : gap) {
    split.near.push_back(g > middle ? 0 : 1);
    differences.push_back(std::abs(g - middle));
  }
  split.difference = stats::estimate_median(differences, 1);
}

}  // namespace

std::optional<Reach> reach_of(const Measurement& m) {
  const auto* lookup = std::get_if<Lookup>(&m.point.work);
  const auto cycles = m.samples.find(column::cycles);
  const auto smid = m.samples.find(column::smid);
  if (lookup == nullptr || cycles == m.samples.end() || smid == m.samples.end()) return std::nullopt;
  Reach out;
  out.addresses = static_cast<std::size_t>(lookup->addresses);
  if (smid->second.empty() || cycles->second.size() != smid->second.size() * out.addresses)
    return std::nullopt;
  const std::vector<bool> good = usable(m.samples);
  for (const auto& sm : smid->second) {
    if (sm.empty()) return std::nullopt;
    out.sms.push_back(static_cast<int>(sm.front()));
  }
  for (const auto& row : cycles->second) {
    std::vector<double> values;
    for (std::size_t s = 0; s < row.size(); ++s)
      if (s < good.size() && good[s]) values.push_back(static_cast<double>(row[s]) / kLookupLoads);
    if (values.empty()) return std::nullopt;
    out.cycles.push_back(stats::midmean(values));
  }
  return out;
}

Reach by_tpc(const Reach& reach, const std::vector<std::vector<int>>& tpcs) {
  Reach out{.sms = {}, .addresses = reach.addresses, .cycles = {}};
  for (const auto& tpc : tpcs) {
    std::vector<double> sum(reach.addresses, 0.0);
    std::size_t found = 0;
    for (const int sm : tpc) {
      const auto it = std::find(reach.sms.begin(), reach.sms.end(), sm);
      if (it == reach.sms.end()) continue;
      ++found;
      const auto row = reach.of(static_cast<std::size_t>(it - reach.sms.begin()));
      for (std::size_t a = 0; a < sum.size(); ++a) sum[a] += row[a] / static_cast<double>(tpc.size());
    }
    if (found != tpc.size()) continue;
    out.sms.push_back(tpc.front());
    out.cycles.insert(out.cycles.end(), sum.begin(), sum.end());
  }
  return out;
}

std::vector<double> shape_of(const Reach& reach, std::size_t sm) {
  const auto row = reach.of(sm);
  const double own = mean(row);
  std::vector<double> shape;
  for (const double c : row) shape.push_back(c - own);
  return shape;
}

std::vector<double> distances_of(const Reach& reach) {
  const std::size_t n = reach.sms.size();
  std::vector<std::vector<double>> shapes;
  for (std::size_t i = 0; i < n; ++i) shapes.push_back(shape_of(reach, i));
  std::vector<double> out(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0.0;
      for (std::size_t a = 0; a < reach.addresses; ++a) {
        const double d = shapes[i][a] - shapes[j][a];
        sum += d * d;
      }
      out[i * n + j] = out[j * n + i] = std::sqrt(sum / static_cast<double>(reach.addresses));
    }
  }
  return out;
}

std::optional<Split> split_of(const Reach& reach) {
  if (reach.sms.size() < 2 || reach.addresses < 2) return std::nullopt;
  Split split;
  divide(reach, split);
  if (split.within < kLeastWithin || split.between > kMostBetween) return std::nullopt;
  compare(reach, split);
  return split;
}

}  // namespace plumb::topology

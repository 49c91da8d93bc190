// SPDX-License-Identifier: Apache-2.0
#include "dsm/tomography/levels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <vector>

#include "stats/describe.h"

namespace plumb::dsm::tomo {
namespace {

constexpr std::size_t kLeastReadings = 3;
constexpr double kLeastSpread = 0.02;
constexpr double kLeastGap = 2.5;
constexpr double kElseShare = 0.01;

/// The spread is the smaller of two estimates: the robust one is deaf to outliers, the plain one is surer
/// where there are few readings.
Level level_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  const double spread = std::min(stats::robust_sigma(values), std::sqrt(squares / (n - 1.0)));
  return {.center = stats::median(values), .spread = std::max(kLeastSpread, spread)};
}

/// Where to cut sorted values so that the sum of squares within both parts is least.
std::size_t split(std::span<const double> sorted) {
  double all = 0.0;
  for (const double v : sorted) all += v;
  double low = 0.0;
  double most = -1.0;
  std::size_t at = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    low += sorted[i - 1];
    if (i < kLeastReadings || sorted.size() - i < kLeastReadings) continue;
    const auto n = static_cast<double>(i);
    const auto m = static_cast<double>(sorted.size() - i);
    const double between = n * m * std::pow(low / n - (all - low) / m, 2);
    if (between <= most) continue;
    most = between;
    at = i;
  }
  return at;
}

double density(const Level& level, const Reading& r) {
  const double variance = level.spread * level.spread + r.error * r.error;
  const double z2 = std::pow(r.log_rate - level.center, 2) / variance;
  return std::exp(-0.5 * z2) / std::sqrt(2.0 * std::numbers::pi * variance);
}

}  // namespace

std::optional<Levels> separate(std::span<const Reading> readings) {
  if (readings.size() < 2 * kLeastReadings) return std::nullopt;
  std::vector<double> values;
  values.reserve(readings.size());
  for (const Reading& r : readings) values.push_back(r.log_rate);
  std::sort(values.begin(), values.end());
  const std::size_t at = split(values);
  const std::span<const double> sorted(values);
  const Levels levels{.collide = level_of(sorted.first(at)), .free = level_of(sorted.subspan(at))};
  const double gap = levels.free.center - levels.collide.center;
  if (gap < kLeastGap * (levels.free.spread + levels.collide.spread)) return std::nullopt;
  return levels;
}

double log_odds_of_collision(const Levels& levels, const Reading& reading) {
  // Half of the rest is spread evenly from e times below the one level to e times above the other, half reads
  // as the other level does.
  const double anything = 1.0 / (levels.free.center - levels.collide.center + 2.0);
  const double collide = density(levels.collide, reading);
  const double free = density(levels.free, reading);
  const auto likelihood = [&](double right, double wrong) {
    return (1.0 - kElseShare) * right + kElseShare * 0.5 * (anything + wrong);
  };
  return std::log(likelihood(collide, free) / likelihood(free, collide));
}

}  // namespace plumb::dsm::tomo

// SPDX-License-Identifier: Apache-2.0
#include "stats/line.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "stats/describe.h"
#include "stats/resample.h"

namespace plumb::stats {
namespace {

constexpr std::size_t kLeastSizes = 6;
constexpr double kStepAllowance = 0.02;
constexpr double kMostRmsePercent = 0.5;
constexpr double kLowPart = 0.025;
constexpr double kHighPart = 0.975;

/// Draws of the sizes of a series must not be the same draws. The step shares no factor with their number.
std::size_t shift_of(std::uint64_t seed, std::size_t size) {
  return static_cast<std::size_t>(seed % kResamples) + 377 * size;
}

Estimate interval(double value, std::vector<double>& resampled) {
  return {value, quantile_in(resampled, kLowPart), quantile_in(resampled, kHighPart)};
}

std::vector<double> centers(const Series& series, Center center) {
  std::vector<double> out;
  for (const auto& s : series.samples) out.push_back(center == Center::median ? median(s) : midmean(s));
  return out;
}

std::span<const double> from(const std::vector<double>& v, std::size_t first) {
  return std::span(v).subspan(first);
}

}  // namespace

Line fit_line(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size() || x.size() < 2) throw std::invalid_argument("a line needs two points");
  const auto n = static_cast<double>(x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double xx = 0.0;
  double xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (xx == 0.0) throw std::invalid_argument("a line needs two distinct x");
  Line line{.intercept = 0.0, .slope = xy / xx};
  line.intercept = mean_y - line.slope * mean_x;
  double squares = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = y[i] - line.intercept - line.slope * x[i];
    squares += residual * residual;
  }
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double rise = std::abs(line.slope * (*high - *low));
  line.rmse_percent = rise > 0.0 ? 100.0 * std::sqrt(squares / n) / rise : 0.0;
  return line;
}

Region linear_region(const Series& series, Center center, std::uint64_t seed) {
  const std::size_t n = series.x.size();
  if (n < 2) throw std::invalid_argument("a series needs two sizes");
  if (n < kLeastSizes) return {};

  const std::vector<double> y = centers(series, center);
  const double step = std::abs(y.back() - y.front()) / static_cast<double>(n - 1);
  std::vector<double> variance;
  for (std::size_t i = 0; i < n; ++i) {
    const auto& samples = series.samples[i];
    double sum = 0.0;
    double squares = 0.0;
    for (const double resampled : Resamples::of(samples.size(), center).centers(samples, shift_of(seed, i))) {
      const double c = resampled - samples.front();
      sum += c;
      squares += c * c;
    }
    const double mean = sum / kResamples;
    variance.push_back(std::max(squares / kResamples - mean * mean, 0.0) +
                       std::pow(kStepAllowance * step, 2));
  }

  for (std::size_t first = 0; first + kLeastSizes <= n; ++first) {
    const Line line = fit_line(from(series.x, first), from(y, first));
    double chi_squared = 0.0;
    for (std::size_t i = first; i < n; ++i)
      chi_squared += std::pow(y[i] - line.intercept - line.slope * series.x[i], 2) / variance[i];
    const boost::math::chi_squared distribution(static_cast<double>(n - first - 2));
    if (chi_squared <= boost::math::quantile(distribution, 0.99) && line.rmse_percent <= kMostRmsePercent)
      return {first, true};
  }
  return {n - kLeastSizes, false};
}

LineEstimate estimate_line(const Series& series, std::size_t first, Center center, std::uint64_t seed) {
  const std::vector<double> y = centers(series, center);
  const Line line = fit_line(from(series.x, first), from(y, first));
  // The slope of a line is a weighted sum of the y, with weights that x alone decides.
  const auto x = from(series.x, first);
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double xx = 0.0;
  for (const double place : x) xx += (place - mean_x) * (place - mean_x);
  std::vector<double> slopes(kResamples);
  std::vector<double> means(kResamples);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto& samples = series.samples[first + i];
    const auto resampled = Resamples::of(samples.size(), center).centers(samples, shift_of(seed, i));
    const double weight = (x[i] - mean_x) / xx;
    const double part = 1.0 / static_cast<double>(x.size());
    for (std::size_t r = 0; r < kResamples; ++r) {
      // Counted from the centers, as the deviations from a line are small beside what it rises.
      slopes[r] += weight * (resampled[r] - y[first + i]);
      means[r] += part * (resampled[r] - y[first + i]);
    }
  }
  std::vector<double> rates(kResamples);
  std::vector<double> intercepts(kResamples);
  for (std::size_t r = 0; r < kResamples; ++r) {
    rates[r] = 1.0 / (line.slope + slopes[r]);
    intercepts[r] = line.intercept + means[r] - slopes[r] * mean_x;
  }
  return {interval(1.0 / line.slope, rates), interval(line.intercept, intercepts), line.rmse_percent};
}

Estimate estimate_median(std::span<const double> values, std::uint64_t seed) {
  auto resampled = Resamples::of(values.size(), Center::median).centers(values, shift_of(seed, 0));
  return interval(median(values), resampled);
}

Estimate sum_of(std::span<const Estimate> parts) {
  Estimate sum;
  double below = 0.0;
  double above = 0.0;
  for (const Estimate& p : parts) {
    sum.value += p.value;
    below += std::pow(p.value - p.low, 2);
    above += std::pow(p.high - p.value, 2);
  }
  sum.low = sum.value - std::sqrt(below);
  sum.high = sum.value + std::sqrt(above);
  return sum;
}

}  // namespace plumb::stats

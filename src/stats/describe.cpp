// SPDX-License-Identifier: Apache-2.0
#include "stats/describe.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace plumb::stats {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

}  // namespace

double quantile(std::span<const double> values, double q) {
  if (values.empty()) throw std::invalid_argument("quantile of no values");
  if (!(q >= 0.0 && q <= 1.0)) throw std::invalid_argument("quantile outside [0, 1]");
  const std::vector<double> v = sorted(values);
  const double at = q * static_cast<double>(v.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, v.size() - 1);
  return v[below] + (at - static_cast<double>(below)) * (v[above] - v[below]);
}

double median(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("median of no values");
  std::vector<double> v(values.begin(), values.end());
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return v.size() % 2 == 1 ? *middle : (*middle + *std::max_element(v.begin(), middle)) / 2;
}

double midmean(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("midmean of no values");
  std::vector<double> v(values.begin(), values.end());
  const double edge = static_cast<double>(v.size()) / 4.0;
  const double end = static_cast<double>(v.size()) - edge;
  // Only the order across the two edges matters, and a bootstrap comes here a million times.
  const auto first = static_cast<std::ptrdiff_t>(edge);
  const auto last = static_cast<std::ptrdiff_t>(std::ceil(end)) - 1;
  std::nth_element(v.begin(), v.begin() + first, v.end());
  if (last > first) std::nth_element(v.begin() + first + 1, v.begin() + last, v.end());
  double sum = 0.0;
  for (std::ptrdiff_t i = first; i <= last; ++i) {
    const auto place = static_cast<double>(i);
    sum += v[static_cast<std::size_t>(i)] * std::max(0.0, std::min(place + 1.0, end) - std::max(place, edge));
  }
  return sum / (end - edge);
}

double robust_sigma(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> deviation;
  deviation.reserve(values.size());
  for (const double v : values) deviation.push_back(std::abs(v - center));
  return 1.4826 * median(deviation);
}

std::size_t count_outliers(std::span<const double> values, double width, double least_sigma) {
  const double center = median(values);
  const double limit = width * std::max(robust_sigma(values), least_sigma);
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [&](double v) { return std::abs(v - center) > limit; }));
}

Modes modes(std::span<const double> values, double least_gap, double least_share) {
  constexpr double kLeastD = 6.0;
  const std::vector<double> v = sorted(values);
  const std::size_t n = v.size();
  const std::size_t least =
      std::max<std::size_t>(2, static_cast<std::size_t>(std::ceil(least_share * static_cast<double>(n))));
  if (n < 2 * least) return {};

  double total = 0.0;
  double total_squares = 0.0;
  for (const double x : v) {
    total += x - v.front();
    total_squares += (x - v.front()) * (x - v.front());
  }
  Modes best;
  double best_within = std::numeric_limits<double>::infinity();
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i + least < n; ++i) {
    sum += v[i] - v.front();
    squares += (v[i] - v.front()) * (v[i] - v.front());
    const std::size_t count = i + 1;
    if (count < least) continue;
    const auto a = static_cast<double>(count);
    const auto b = static_cast<double>(n - count);
    const double within_a = std::max(squares - sum * sum / a, 0.0);
    const double rest = total - sum;
    const double within_b = std::max(total_squares - squares - rest * rest / b, 0.0);
    if (within_a + within_b >= best_within) continue;
    best_within = within_a + within_b;
    best.low = v.front() + sum / a;
    best.high = v.front() + rest / b;
    best.share = b / static_cast<double>(n);
    const double gap = best.high - best.low;
    // |gap| sqrt(2) / sqrt(var_a + var_b) >= D, without dividing by a spread that may be zero.
    best.bimodal = gap > least_gap && 2.0 * gap * gap >= kLeastD * kLeastD * (within_a / a + within_b / b);
  }
  return best;
}

}  // namespace plumb::stats

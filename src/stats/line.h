// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plumb::stats {

/// y = intercept + slope * x.
struct Line {
  double intercept = 0.0;
  double slope = 0.0;
  double rmse_percent = 0.0;  ///< root mean square residual, as % of the fitted rise over the range of x
};

/// Ordinary least squares. Throws std::invalid_argument for fewer than two distinct x.
[[nodiscard]] Line fit_line(std::span<const double> x, std::span<const double> y);

/// What stands for the samples of one size.
enum class Center { median, midmean };

/// Repeated measurements of a quantity at rising sizes: samples[i] were taken at x[i].
struct Series {
  std::vector<double> x;
  std::vector<std::vector<double>> samples;
};

/// Where a series starts to be a straight line.
struct Region {
  std::size_t first = 0;  ///< index of the smallest size that belongs to it
  bool linear = true;  ///< false: even the last five sizes are not on a line, and `first` is where they begin
};

/// The longest run of sizes up to the largest, of six or more, whose centers a straight line explains:
/// the sum of squared residuals over their variances is below the 99 % point of chi-squared with n - 2
/// degrees of freedom. The variance of a center is what the bootstrap says, plus (2 % of the rise of a step)
/// squared, so that clocks which repeat to the cycle do not turn a deviation of one cycle into a refusal. And
/// the root mean square residual is at most 0.5 % of the rise, so that noise does not excuse a curve.
[[nodiscard]] Region linear_region(const Series& series, Center center, std::uint64_t seed);

/// An estimate with its 95 % bootstrap interval.
struct Estimate {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

/// The sum of independent estimates; half-widths add in quadrature.
[[nodiscard]] Estimate sum_of(std::span<const Estimate> parts);

/// A line through the centers of a series from `first` on, with intervals from resampling each size's samples
/// 1,000 times. `rate` is 1 / slope.
struct LineEstimate {
  Estimate rate;
  Estimate intercept;
  double rmse_percent = 0.0;
};

[[nodiscard]] LineEstimate estimate_line(const Series& series, std::size_t first, Center center,
                                         std::uint64_t seed);

/// The median of `values` with its interval.
[[nodiscard]] Estimate estimate_median(std::span<const double> values, std::uint64_t seed);

}  // namespace plumb::stats

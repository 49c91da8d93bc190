// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plumb::stats {

/// The median; the mean of the middle two where the count is even. Throws std::invalid_argument where empty.
[[nodiscard]] double median(std::span<const double> values);

/// Quantile `q` in [0, 1] by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996).
/// Throws std::invalid_argument where `values` is empty or `q` outside.
[[nodiscard]] double quantile(std::span<const double> values, double q);

/// The mean of the middle half: as deaf to outliers as quartiles are, and finer than a median where values
/// come in ticks. Values on the edges count by the part that is inside. Throws std::invalid_argument where
/// empty.
[[nodiscard]] double midmean(std::span<const double> values);

/// Median absolute deviation from the median, times 1.4826: for normal data, the standard deviation.
[[nodiscard]] double robust_sigma(std::span<const double> values);

/// How many values lie more than `width` robust sigmas from the median. A sigma of zero counts as
/// `least_sigma`, so that one odd tick among equal values is an outlier only where it is larger than that.
[[nodiscard]] std::size_t count_outliers(std::span<const double> values, double width, double least_sigma);

/// Two clusters in one sample.
struct Modes {
  bool bimodal = false;
  double low = 0.0;    ///< mean of the lower cluster
  double high = 0.0;   ///< mean of the upper cluster
  double share = 0.0;  ///< part of the sample that is in the upper cluster
};

/// Splits the sample where the variance within the two parts is least (Otsu 1979) and calls it bimodal where
/// each part holds two values and `least_share` of them at least, the means differ by more than `least_gap`,
/// and Ashman's D (Ashman, Bird, Zepf 1994) is at least 6. A normal sample cut in two has D = 2.7, a uniform
/// one 3.5.
[[nodiscard]] Modes modes(std::span<const double> values, double least_gap, double least_share = 0.1);

}  // namespace plumb::stats

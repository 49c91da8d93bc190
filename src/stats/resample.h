// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/line.h"

namespace plumb::stats {

inline constexpr std::size_t kResamples = 1000;

/// Centers of `kResamples` samples that are drawn with replacement from n values.
///
/// A center is a weighted sum of a resample in order, and its order is that of the values, so that the weight
/// of each ordered value is all that a draw decides. The draws, and with them the weights, are made once for
/// each n; a series then costs one product of a matrix and a vector, where drawing and sorting each time
/// took most of an analysis.
class Resamples {
 public:
  /// Those of `n` values; kept, and shared by threads. Throws std::invalid_argument for n = 0.
  [[nodiscard]] static const Resamples& of(std::size_t n, Center center);

  /// The center of every resample of `values`, of which there are n in any order. Draw r comes at
  /// (r + shift) mod kResamples: samples that are independent of each other take different shifts.
  [[nodiscard]] std::vector<double> centers(std::span<const double> values, std::size_t shift) const;

 private:
  Resamples(std::size_t n, Center center);

  std::size_t n_;
  std::size_t first_ = 0;        ///< ordered value that the first column is of; those before never count
  std::vector<double> weights_;  ///< by column, `kResamples` each
};

}  // namespace plumb::stats

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stats/line.h"

namespace plumb::dsm {

/// Repeated measurements of one ordered pair of SMs, in cycles.
struct PairTimes {
  std::size_t from = 0;
  std::size_t to = 0;
  std::vector<double> cycles;  ///< one or more
};

/// time(i, j) = leg(i) + leg(j): each SM has a distance to the network, and the network has none.
struct Legs {
  std::vector<stats::Estimate> legs;  ///< cycles, one for each SM, with 95 % bootstrap intervals
  double rms = 0.0;                   ///< of the residuals, cycles
  double worst = 0.0;                 ///< the largest residual without its sign
  std::size_t worst_from = 0;         ///< the pair that has it
  std::size_t worst_to = 0;
  std::string why_none;  ///< where `legs` is empty: why these pairs do not determine them
};

/// Least squares on the medians of the pairs, for SMs 0 to `sms` - 1; the intervals come from resampling each
/// pair's measurements 400 times. Pairs of an SM with itself are passed over.
///
/// The legs are determined where every SM is on a way of pairs that leads back to it after an odd number of
/// steps, so where any three SMs that all reach each other are connected to it. Two SMs alone give one sum.
[[nodiscard]] Legs fit_legs(std::span<const PairTimes> pairs, std::size_t sms, std::uint64_t seed);

}  // namespace plumb::dsm

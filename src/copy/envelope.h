// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/finding.h"

namespace plumb::copy {

/// A quantity against bytes in flight, once for each occasion.
using Curve = std::map<std::int64_t, double>;  ///< KiB in flight to a rate or a latency
using Occasions = std::map<std::int64_t, Curve>;

/// Where the curves `a` and `b` change places: KiB, in rising order, by straight lines over log2(KiB) between
/// the sizes that both have. Sizes at which they differ by less than `least` (a part of the larger) decide
/// nothing.
[[nodiscard]] std::vector<double> crossings(const Curve& a, const Curve& b, double least);

/// From cases with the axes what, from, path, KiB, config and occasion:
///   copy/compare/FROM/rate/PATH/KiB      GB/s, of the best configuration of the path; the median over the
///                                        occasions, with the least and the most of them
///   copy/compare/FROM/wave/PATH/KiB      ns, of the configuration with the lowest median
///   copy/compare/FROM/WHAT/crossing/N    KiB, where the paths change places; each occasion has its own
///   copy/compare/FROM/WHAT/spread        %, the largest difference between two occasions
[[nodiscard]] std::vector<Finding> envelope_findings(std::span<const Measurement> measurements);

}  // namespace plumb::copy

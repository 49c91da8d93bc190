// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "infer/score.h"

namespace plumb::infer {

/// The same number of the card and of the fabric.
struct Compared {
  double measured = 0.0;
  double simulated = 0.0;

  /// Relative deviation of the simulated one.
  [[nodiscard]] double deviation() const { return simulated / measured - 1.0; }
};

/// Numbers of one kind that durations give.
struct Quantity {
  std::string_view name;  ///< "completion times", "rates", "intercepts", "latencies"
  std::string_view unit;  ///< "cycles" or "bytes/cycle"
  std::vector<Compared> values;
};

/// The case without its size: what runs at several sizes is one pattern.
[[nodiscard]] std::string pattern_of(const Case& point);

/// What scored durations say of completion times (every flow of every case of traffic), of rates and
/// intercepts (every flow of every pattern that ran at two sizes or more: a straight line of its duration
/// over its bytes has 1 / rate as slope, and the intercept is its duration at no bytes), and of latencies
/// (rows of dsm/latency, a link of the chain each). Flows whose duration does not rise with their bytes have
/// neither rate nor intercept.
[[nodiscard]] std::vector<Quantity> quantities(std::span<const ObservedCase> cases,
                                               std::span<const Scored> scored);

}  // namespace plumb::infer

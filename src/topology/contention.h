// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/case.h"
#include "stats/line.h"

namespace plumb::topology {

/// Bytes a cycle of all SMs of a walk together, with its interval; of each SM by its own clock.
[[nodiscard]] stats::Estimate total_rate(const Measurement& walk);

/// Two TPCs, each by its lowest SM, the lower first.
using Pair = std::pair<int, int>;

/// Which TPCs get into each other's way when they write the same lines, and which do not.
struct Contention {
  std::map<Pair, double> rates;        ///< B/cycle of both together
  double free = 0.0;                   ///< B/cycle of pairs that do not
  double slowed = 0.0;                 ///< B/cycle of pairs that do; 0: the rates are all alike
  std::map<Pair, bool> contend;        ///< empty where the rates are all alike
  std::vector<std::vector<int>> sets;  ///< lowest SMs of TPCs that contend, directly or through others
  int odd = 0;                         ///< pairs inside a set that were measured and do not contend
};

/// The axis value "who" of the walk of a pair.
[[nodiscard]] std::string name_of_pair(int first, int second);

/// From the walks of pairs among the measurements: rates in two clusters (stats::modes) are those that
/// contend and those that do not.
[[nodiscard]] Contention contention_of(std::span<const Measurement> measurements);

}  // namespace plumb::topology

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plumb/core/traffic.h"
#include "plumb/fabric/parameters.h"

namespace plumb::fabric::validation {

/// What the measured numbers of a row are.
enum class Reading : std::uint8_t {
  each,   ///< one rate per flow, in the order of the flows
  total,  ///< all payload over the time until the last flow is done
  mean,   ///< their mean
};

/// One measured traffic pattern of an H200, rates in bytes per SM cycle.
struct Row {
  std::string family;
  std::string name;
  Traffic traffic;  ///< sizes left open
  Reading reading = Reading::each;
  std::vector<double> measured;
  double low = 0.0;  ///< where the source gives a range: its ends, and `measured` its middle
  double high = 0.0;
  int short_cpc = 2;  ///< the CPC that lacks a TPC in the GPC where the row was measured
};

/// Measurements on H200 cards, driver 580: pairs, mixes, small rings, incasts and the load ring from the
/// shipped recording (`plumb analyze`), the other rows from an earlier look at three cards that agreed within
/// 1 to 2 %.
[[nodiscard]] std::vector<Row> rows();

/// The same readings from the simulator: the slope between 32 and 96 KiB per flow, of each flow's own
/// duration or, for totals, of the time until the last flow is done; median of three seeds.
[[nodiscard]] std::vector<double> simulated(const Row& row, const Parameters& parameters);

/// Relative deviation of a simulated number; 0 inside a measured range.
[[nodiscard]] double deviation(const Row& row, std::size_t index, double simulated);

}  // namespace plumb::fabric::validation

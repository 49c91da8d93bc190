// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/html/card.h"

namespace plumb::report {

/// A card whose finding is not like that of its siblings.
struct Outlier {
  std::size_t card = 0;
  std::string name;
  std::string unit;
  double value = 0.0;
  double median = 0.0;  ///< of all cards
  double z = 0.0;       ///< robust z-score; above 0: better than the others
};

struct Fleet {
  std::vector<std::string> labels;
  std::size_t findings = 0;                       ///< that at least three cards have, by the same cases
  std::vector<Outlier> outliers;                  ///< the farthest first
  std::vector<std::vector<std::string>> differs;  ///< card by card: what else is not as with most others
};

/// Three cards or more. The robust z-score of a finding is 0.6745 times its distance from the median over the
/// median absolute deviation; beyond 3.5 it is an outlier (Iglewicz and Hoaglin 1993). A deviation below
/// `tolerance` of the median counts as that, so that clocks which repeat to the cycle make no outlier of one.
/// Throws Error (caller) where there are fewer than three, some are simulated and some not, the kinds of card
/// differ, or they have nothing in common.
[[nodiscard]] Fleet fleet_of(std::span<const html::Card> cards, double tolerance);

[[nodiscard]] std::string fleet_table(const Fleet& fleet, bool colours);

}  // namespace plumb::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plumb {

/// What one sample does: one launch of a grid of clusters whose CTAs do nothing but stay for a while, so that
/// all that fit are on the card together.
///
/// A backend returns the columns smid and arrived_ns with one row for each CTA, cluster by cluster and rank
/// by rank, on the clock of the whole chip counted from the first arrival of the sample; and fitting, one
/// row, the number of clusters that the driver says are on the card at once, alone where it is 0. Who arrived
/// before `hold` was over found room beside all others that did.
struct Census {
  int ranks = 1;      ///< CTAs of a cluster
  int preferred = 0;  ///< CTAs of the clusters that the hardware is to try first; 0: no such wish
  int per_sm = 1;     ///< CTAs of which an SM holds so many and no more: each takes its share of the
                      ///< shared memory
  int clusters = 0;   ///< in the grid, counted in clusters of `ranks`; 0: one CTA for each of `per_sm`
                      ///< places on each SM, in whole clusters
  std::int64_t hold = 30000;  ///< nanoseconds that each CTA stays

  bool operator==(const Census&) const = default;
};

inline constexpr int kMostPlacedCtas = 8192;
inline constexpr int kMostPerSm = 16;

/// Throws Error (caller) that names the field, its value and what is allowed.
void validate(const Census& census);

}  // namespace plumb

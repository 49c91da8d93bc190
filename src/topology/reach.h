// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/case.h"
#include "stats/line.h"

namespace plumb::topology {

/// How long each SM waits for each address in L2.
struct Reach {
  std::vector<int> sms;  ///< rising
  std::size_t addresses = 0;
  std::vector<double> cycles;  ///< of one load: [sm][address], the midmean of the samples

  [[nodiscard]] std::span<const double> of(std::size_t sm) const {
    return std::span(cycles).subspan(sm * addresses, addresses);
  }
};

/// From the samples of a look-up; none where its columns are not what that kind of work returns.
[[nodiscard]] std::optional<Reach> reach_of(const Measurement& measurement);

/// The mean over the SMs of each TPC; TPCs with an SM that was not measured are left out.
[[nodiscard]] Reach by_tpc(const Reach& reach, const std::vector<std::vector<int>>& tpcs);

/// What is left when each SM's own mean is taken away: where it is, seen from L2, without how far.
[[nodiscard]] std::vector<double> shape_of(const Reach& reach, std::size_t sm);

/// Root mean square differences of the shapes, cycles, n x n.
[[nodiscard]] std::vector<double> distances_of(const Reach& reach);

/// The chip in two parts, as L2 sees it.
struct Split {
  std::vector<int> part;       ///< 0 or 1 for each SM of the reach; the first SM is in 0
  std::vector<int> near;       ///< for each address, the part that is nearer
  stats::Estimate difference;  ///< cycles that the far part waits longer, median over the addresses
  double within = 0.0;         ///< least correlation of two SMs of one part
  double between = 0.0;        ///< greatest of two SMs of different parts
};

/// The two parts at the top of the tree of shapes. None where shapes of the two are not opposed: where two
/// SMs of one part correlate less than half, or two of different parts more than minus a quarter.
[[nodiscard]] std::optional<Split> split_of(const Reach& reach);

}  // namespace plumb::topology

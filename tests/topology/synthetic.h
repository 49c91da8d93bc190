// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/case.h"
#include "core/experiment.h"

namespace plumb::test {

/// A chip whose truth is known.
struct Chip {
  struct Tpc {
    int gpc = 0;
    int cpc = 0;
    bool lone = false;  ///< the card never puts it into a cluster with another TPC
  };
  std::vector<Tpc> tpcs;    ///< TPC t has the SMs 2t and 2t + 1
  std::vector<int> die;     ///< of each GPC
  double die_cycles = 0.0;  ///< that an address on the other die takes longer
  double gpc_cycles = 1.0;  ///< by which the sight of L2 differs between GPCs, root mean square
  double cpc_cycles = 5.0;  ///< between CPCs
  double noise = 1.0;       ///< of one sample, cycles, standard deviation
  /// Where contention has a TPC, if not where it is: for methods that contradict each other.
  int moved_tpc = -1;
  int moved_to_gpc = 0;
  std::uint64_t seed = 1;
};

/// GPCs of so many TPCs each, dealt to CPCs of three in turn; the last `lone` TPCs of GPC `lone_gpc` are
/// lone.
[[nodiscard]] Chip chip_of(const std::vector<int>& tpcs_of_gpc, int lone_gpc = 0, int lone = 0);

/// What the chip would measure: censuses that place clusters at random where they fit, look-ups, and walks of
/// pairs, in which TPCs of one CPC slow each other. Walks that are no pairs run at 30 B/cycle an SM.
[[nodiscard]] Measurement measure(const Chip& chip, const Case& point);

/// All cases of an experiment, and those that it asks for as it learns.
[[nodiscard]] std::vector<Measurement> measure_all(const Chip& chip, const Experiment& experiment);

}  // namespace plumb::test

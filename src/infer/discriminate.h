// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "backend/sim/sim.h"
#include "infer/hypotheses.h"

namespace plumb::infer {

/// Traffic on which two variants of a machine differ, and by how much.
struct Separation {
  Traffic traffic;
  std::vector<double> first;   ///< cycles of each flow, mean over the seeds
  std::vector<double> second;  ///< likewise
  std::size_t flow = 0;        ///< on which they differ most
  double score = 0.0;          ///< difference there over what seeds and the card's own spread would give
};

struct DiscriminateOptions {
  int patterns = 200;  ///< that are tried
  int seeds = 3;       ///< simulated of each
  std::uint64_t seed = 1;
  std::function<void(int)> progress;  ///< before each pattern, its number from 1
};

/// The relative spread of a card that a difference must stand out from; dsm/stride on an H200.
inline constexpr double kCardSpread = 0.01;

/// Searches the space of traffic plans for the one that tells two variants apart: random plans of up to
/// sixteen flows for the first half, then the best one changed flow by flow. Equal arguments give equal
/// results. Throws Error (caller) where a variant cannot be.
[[nodiscard]] Separation discriminate(const SimMachine& machine, const Hypothesis& first,
                                      const Hypothesis& second, const DiscriminateOptions& options);

}  // namespace plumb::infer

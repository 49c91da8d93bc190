// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "infer/observed.h"

namespace plumb::infer {

/// A row of a case as the card and as the fabric had it.
struct Scored {
  std::size_t of = 0;  ///< index of the observed case
  Observed measured;
  double simulated = 0.0;  ///< cycles, mean over the simulated samples

  /// Relative deviation of the simulated duration.
  [[nodiscard]] double deviation() const { return simulated / measured.cycles - 1.0; }
  /// Its part beyond the card's own repeatability, without sign.
  [[nodiscard]] double beyond_spread() const;
};

/// Runs every case `samples` times on the machine, on all cores. Equal arguments give equal results.
/// Throws Error (caller) for parameters that the fabric refuses.
[[nodiscard]] std::vector<Scored> score(std::span<const ObservedCase> cases, const SimMachine& machine,
                                        int samples, std::uint64_t seed = 1);

/// Order statistics of the deviations' sizes.
struct Deviations {
  std::size_t count = 0;
  double median = 0.0;
  double p95 = 0.0;
  double worst = 0.0;
};
[[nodiscard]] Deviations deviations(std::span<const double> sizes);

}  // namespace plumb::infer

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/sim/sim.h"
#include "core/experiment.h"

namespace plumb::test {

/// A machine whose plumbing is known, and how its samples scatter.
struct Planted {
  SimMachine machine;
  int ranks = 16;
  double noise = 0.015;    ///< of each duration, relative, log-normal
  double outliers = 0.0;   ///< share of cases that are up to twice as slow throughout
  std::uint64_t seed = 1;  ///< of the noise
};

/// The floorsweepings of a GPC: none of its TPCs off, or one of the nine.
[[nodiscard]] std::vector<std::vector<fabric::Slot>> floorsweepings();

/// A GPC without the slots given, whose ranks sit on the others in an order drawn by `seed`; 0: dealt.
[[nodiscard]] SimMachine placed(const std::vector<fabric::Slot>& fused_off, std::uint64_t seed);

enum class Verdict { right, undetermined, wrong };

struct Survey {
  Verdict blocks = Verdict::undetermined;  ///< wrong: any group that was given as settled is not there
  Verdict cpcs = Verdict::undetermined;
  std::vector<Measurement> measurements;
  std::vector<Finding> findings;
};

/// Runs dsm/tomography as `plumb run` does, on the simulator with scatter added, and holds its findings
/// against the truth.
[[nodiscard]] Survey survey(const Planted& planted);

}  // namespace plumb::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/experiment.h"
#include "plumb/core/traffic.h"

namespace plumb::dsm {

/// All experiments on distributed shared memory, in the order in which they are listed.
[[nodiscard]] std::vector<Experiment> experiments();

[[nodiscard]] Experiment pair();
[[nodiscard]] Experiment mixed();
[[nodiscard]] Experiment scaling();
[[nodiscard]] Experiment stride();
[[nodiscard]] Experiment all_pairs();
[[nodiscard]] Experiment in_flight();
[[nodiscard]] Experiment incast();
[[nodiscard]] Experiment fan_out();
[[nodiscard]] Experiment burst();
[[nodiscard]] Experiment offset();
[[nodiscard]] Experiment pressure();
[[nodiscard]] Experiment clock();
[[nodiscard]] Experiment whole_chip();
[[nodiscard]] Experiment linear();
[[nodiscard]] Experiment interference();
[[nodiscard]] Experiment latency();
[[nodiscard]] Experiment forms();
/// Of a cluster of `ranks` SMs, 2 to 18; a card holds 16.
[[nodiscard]] Experiment tomography(int ranks = kMaxRanks);

/// The experiment "pattern": a plan of the user's own, called `file` in its one case. With an empty plan it
/// has no case and only analyzes.
[[nodiscard]] Experiment pattern(const std::string& file = {}, const Traffic& traffic = {});

}  // namespace plumb::dsm

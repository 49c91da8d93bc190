// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/experiment.h"

namespace plumb::topology {

/// All experiments on where things are on the chip, in the order in which they are listed.
[[nodiscard]] std::vector<Experiment> experiments();

[[nodiscard]] Experiment gpc();
[[nodiscard]] Experiment fit();
[[nodiscard]] Experiment l2();
[[nodiscard]] Experiment noc();

}  // namespace plumb::topology

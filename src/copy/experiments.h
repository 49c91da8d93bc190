// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/experiment.h"

namespace plumb::copy {

/// All experiments on the ways into an SM from memory, in the order in which they are listed.
[[nodiscard]] std::vector<Experiment> experiments();

[[nodiscard]] Experiment ldgsts();
[[nodiscard]] Experiment tma();
[[nodiscard]] Experiment compare();
[[nodiscard]] Experiment multicast();
[[nodiscard]] Experiment ceilings();
[[nodiscard]] Experiment ladder();

}  // namespace plumb::copy

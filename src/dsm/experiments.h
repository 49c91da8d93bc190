// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/experiment.h"

namespace plumb::dsm {

/// All experiments on distributed shared memory, in the order in which they are listed.
[[nodiscard]] std::vector<Experiment> experiments();

[[nodiscard]] Experiment pair();
[[nodiscard]] Experiment mixed();

}  // namespace plumb::dsm

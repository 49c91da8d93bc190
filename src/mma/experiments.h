// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/experiment.h"

namespace plumb::mma {

/// All experiments on the tensor cores, in the order in which they are listed.
[[nodiscard]] std::vector<Experiment> experiments();

[[nodiscard]] Experiment throughput();
[[nodiscard]] Experiment shape();
[[nodiscard]] Experiment latency();
[[nodiscard]] Experiment in_flight();
[[nodiscard]] Experiment data();
[[nodiscard]] Experiment whole_chip();

}  // namespace plumb::mma

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/case.h"

namespace plumb::topology {

/// TPCs, each by its lowest SM, in sets that one method says are CPCs.
struct CpcSets {
  std::string method;  ///< "load latencies in clusters"
  std::vector<std::vector<int>> sets;
};

/// From the experiments on distributed shared memory, where they were measured on the same card: load
/// latencies of every GPC that holds a cluster, and the tomography of one cluster. Either may be missing.
[[nodiscard]] std::vector<CpcSets> cpcs_from_dsm(std::span<const Measurement> measurements);

}  // namespace plumb::topology

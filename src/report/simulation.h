// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plumb/fabric/simulation.h"
#include "trace/flow_meter.h"

namespace plumb::report {

/// One simulated sample of a traffic plan, with all that is known about it.
struct SimulationView {
  std::string title;    ///< "ring: put, 64 KiB"
  std::string machine;  ///< "h200, 63 values: ..."
  Traffic traffic;
  fabric::Parameters parameters;
  fabric::Topology topology;
  fabric::SimulationResult result;
  std::vector<trace::FlowMotion> motion;   ///< by flow
  std::vector<fabric::Histogram> latency;  ///< by sending rank
};

/// First offer to last delivery of payload over all flows: the cycles that rates and shares are taken over.
[[nodiscard]] fabric::Cycle moving_cycles(const SimulationView& view);

/// Tables of the flows, the SMs, the ingress lanes and the planes.
[[nodiscard]] std::string simulation_text(const SimulationView& view, bool colours);
/// The same and all other statistics, with the parameters, for machines.
[[nodiscard]] nlohmann::ordered_json simulation_json(const SimulationView& view);

}  // namespace plumb::report

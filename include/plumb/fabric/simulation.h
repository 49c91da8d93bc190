// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/core/traffic.h"
#include "plumb/fabric/channel_graph.h"
#include "plumb/fabric/network.h"

namespace plumb::fabric {

/// What happened to one flow of a traffic plan.
struct FlowResult {
  Cycle start = 0;             ///< start stamp at the observer (see plumb::observer), cycles
  Cycle stop = 0;              ///< stop stamp at the observer, cycles
  std::int64_t bad_bytes = 0;  ///< payload bytes that did not arrive as often as the plan says

  bool operator==(const FlowResult&) const = default;
};

struct SimulationResult {
  std::vector<FlowResult> flows;
  Statistics statistics;
  std::uint64_t packets = 0;  ///< all kinds, delivered

  bool operator==(const SimulationResult&) const = default;
};

struct SimulationOptions {
  std::uint64_t seed = 0;        ///< start jitter and arbiter phases; 0: none of either
  Observer* observer = nullptr;  ///< not owned
  Cycle patience = 100'000;      ///< cycles without any movement after which the run is declared stuck
  Answers answers = Answers::own_channel;
  bool allow_cycles = false;  ///< run even where the channel graph has a cycle
};

/// Runs one sample of a traffic plan: the SMs' front ends issue it, the network carries it, the destinations'
/// shared memories answer.
/// Throws Error: caller for an illegal plan or impossible parameters, check where the run got stuck or broke
/// an invariant, with what every head flit waits for.
[[nodiscard]] SimulationResult simulate(const Traffic& traffic, const Parameters& parameters,
                                        const Topology& topology, const SimulationOptions& options = {});

}  // namespace plumb::fabric

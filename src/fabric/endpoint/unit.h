// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <vector>

#include "fabric/endpoint/flow_state.h"
#include "fabric/endpoint/tag.h"
#include "fabric/endpoint/throttle.h"
#include "fabric/engine.h"

namespace plumb::fabric {

/// What every part of an SM sees of the rest of the simulation.
struct World {
  const Parameters& p;
  Engine& engine;
  Channel answers;  ///< channel of responses and acknowledgments
  std::vector<FlowState>& flows;

  [[nodiscard]] int flits(std::int64_t bytes) const noexcept {
    // A power of two, and a division would be the slowest part of an offer.
    return static_cast<int>((bytes + p.flit_bytes - 1) >>
                            std::countr_zero(static_cast<std::uint32_t>(p.flit_bytes)));
  }
};

/// The answer of an issuing unit that is asked for its next packet.
struct Issue {
  enum class State : std::uint8_t {
    sent,   ///< one packet went out; ask again in the next cycle
    full,   ///< it has a packet and the injection queue has no room
    later,  ///< it has nothing before `wake`
  };
  State state = State::later;
  Cycle wake = kNever;
};

}  // namespace plumb::fabric

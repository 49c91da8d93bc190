// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/random.h"
#include "fabric/route/policy.h"

namespace plumb::fabric {

/// Two bits of a strong mix: no structure in the address survives, and an address keeps its route.
template <>
struct RoutePolicy<RouteHash::random> {
  static std::uint32_t route(std::uint64_t grain, std::uint32_t destination, const RouteState& s) {
    return static_cast<std::uint32_t>(
        mix64(grain + (static_cast<std::uint64_t>(destination) << 40U) + (s.salt << 48U) + 1) >> 62U);
  }
};

}  // namespace plumb::fabric

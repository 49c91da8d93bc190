// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "fabric/route/policy.h"

namespace plumb::fabric {

/// The plane by the parity of all address bits above the grain, its input by that of those above port_bytes:
/// planes alternate at short range, inputs stay for long.
template <>
struct RoutePolicy<RouteHash::split> {
  static std::uint32_t route(std::uint64_t grain, std::uint32_t destination, const RouteState& s) {
    const std::uint64_t both = s.salt ^ destination;
    const auto plane = static_cast<std::uint32_t>(std::popcount(grain ^ (both & 1U))) & 1U;
    const auto input = static_cast<std::uint32_t>(std::popcount((grain >> s.port_shift) ^ (both >> 1U))) & 1U;
    return plane * 2 + input;
  }
};

}  // namespace plumb::fabric

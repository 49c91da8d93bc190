// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/route/policy.h"

namespace plumb::fabric {

/// Neighbouring grains on neighbouring routes; the destination shifts the sequence.
template <>
struct RoutePolicy<RouteHash::interleave> {
  static std::uint32_t route(std::uint64_t grain, std::uint32_t destination, const RouteState& s) {
    return static_cast<std::uint32_t>((grain + destination + s.salt) & 3U);
  }
};

}  // namespace plumb::fabric

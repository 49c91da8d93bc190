// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/route/policy.h"

namespace plumb::fabric {

/// All bits of grain and destination folded onto two by exclusive or.
template <>
struct RoutePolicy<RouteHash::xor_fold> {
  static std::uint32_t route(std::uint64_t grain, std::uint32_t destination, const RouteState& s) {
    std::uint64_t x = grain ^ (static_cast<std::uint64_t>(destination) << 40U) ^ s.salt;
    for (const unsigned half : {32U, 16U, 8U, 4U, 2U}) x ^= x >> half;
    return static_cast<std::uint32_t>(x & 3U);
  }
};

}  // namespace plumb::fabric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/route/policy.h"

namespace plumb::fabric {

/// Everything on one route.
template <>
struct RoutePolicy<RouteHash::fixed> {
  static std::uint32_t route(std::uint64_t, std::uint32_t, const RouteState& s) { return s.fixed; }
};

}  // namespace plumb::fabric

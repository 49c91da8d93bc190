// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/shaper/policy.h"

namespace plumb::fabric {

/// A full lane for each SM.
template <>
struct ShaperPolicy<Shaper::none> {
  static bool allows(const ShaperState&, std::uint32_t, std::int64_t) { return true; }
  static void granted(ShaperState&, std::uint32_t, std::int64_t) {}
};

}  // namespace plumb::fabric

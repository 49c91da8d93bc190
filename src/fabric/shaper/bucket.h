// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/shaper/policy.h"

namespace plumb::fabric {

/// A token bucket: the rate, and up to `burst` flits more after a pause.
template <>
struct ShaperPolicy<Shaper::bucket> {
  static bool allows(const ShaperState& s, std::uint32_t rank, std::int64_t slot) {
    return VirtualSchedule::allows(s, rank, slot, s.rate, s.burst);
  }
  static std::uint32_t allowed(const ShaperState& s, std::int64_t slot) {
    return VirtualSchedule::allowed(s, slot, s.rate, s.burst);
  }
  static void granted(ShaperState& s, std::uint32_t rank, std::int64_t slot) {
    VirtualSchedule::granted(s, rank, slot, s.rate);
  }
};

}  // namespace plumb::fabric

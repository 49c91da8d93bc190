// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/shaper/policy.h"

namespace plumb::fabric {

/// The exact rate; time without traffic is lost.
template <>
struct ShaperPolicy<Shaper::hard> {
  static bool allows(const ShaperState& s, std::uint32_t rank, std::int64_t slot) {
    return VirtualSchedule::allows(s, rank, slot, s.rate, 0);
  }
  static std::uint32_t allowed(const ShaperState& s, std::int64_t slot) {
    return VirtualSchedule::allowed(s, slot, s.rate, 0);
  }
  static void granted(ShaperState& s, std::uint32_t rank, std::int64_t slot) {
    VirtualSchedule::granted(s, rank, slot, s.rate);
  }
};

}  // namespace plumb::fabric

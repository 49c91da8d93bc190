// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/bits.h"
#include "fabric/shaper/policy.h"

namespace plumb::fabric {

/// The exact rate; time without traffic is lost.
template <>
struct ShaperPolicy<Shaper::hard> {
  static void begin(ShaperState& s, std::int64_t slot) { VirtualSchedule::begin(s, slot, s.rate.numerator); }
  static bool allows(const ShaperState& s, std::uint32_t rank) {
    return s.late[rank] <= VirtualSchedule::limit(s.rate, 0);
  }
  static std::uint64_t allowed(const ShaperState& s) {
    return at_most(s.late, VirtualSchedule::limit(s.rate, 0));
  }
  static void granted(ShaperState& s, std::uint32_t rank) { VirtualSchedule::granted(s, rank, s.rate); }
};

}  // namespace plumb::fabric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/shaper/policy.h"

namespace plumb::fabric {

/// The two SMs of a TPC draw on one account of twice the rate: what one leaves, the other may use.
template <>
struct ShaperPolicy<Shaper::share> {
  static void begin(ShaperState& s, std::int64_t slot) {
    VirtualSchedule::begin(s, slot, twice(s).numerator);
  }
  static bool allows(const ShaperState& s, std::uint32_t rank) {
    // One whole slot early, because both SMs may be granted in the same slot.
    return s.late[s.account[rank]] <= VirtualSchedule::limit(twice(s), 0);
  }
  static void granted(ShaperState& s, std::uint32_t rank) {
    VirtualSchedule::granted(s, s.account[rank], twice(s));
  }

 private:
  static Ratio twice(const ShaperState& s) { return {2 * s.rate.numerator, s.rate.denominator}; }
};

}  // namespace plumb::fabric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/shaper/policy.h"

namespace plumb::fabric {

/// The two SMs of a TPC draw on one account of twice the rate: what one leaves, the other may use.
template <>
struct ShaperPolicy<Shaper::share> {
  static bool allows(const ShaperState& s, std::uint32_t rank, std::int64_t slot) {
    // One whole slot early, because both SMs may be granted in the same slot.
    return s.due[s.account[rank]] <= slot * twice(s).numerator + twice(s).numerator - 1;
  }
  static void granted(ShaperState& s, std::uint32_t rank, std::int64_t slot) {
    VirtualSchedule::granted(s, s.account[rank], slot, twice(s));
  }

 private:
  static Ratio twice(const ShaperState& s) { return {2 * s.rate.numerator, s.rate.denominator}; }
};

}  // namespace plumb::fabric

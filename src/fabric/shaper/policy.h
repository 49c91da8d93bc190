// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "plumb/fabric/parameters.h"

namespace plumb::fabric {

/// What shapers know. Time counts slots of the SM's lane: one per flit that the lane itself could carry.
struct ShaperState {
  Ratio rate;
  int burst = 0;
  std::array<std::int64_t, kMaxSms> due{};  ///< by account: when its next flit is due at the exact rate, in
                                            ///< slots times the rate's numerator
  std::array<std::uint8_t, kMaxSms> account{};  ///< by rank: itself, or its TPC where two SMs share
  std::array<std::int64_t, kMaxSms> phase{};    ///< by rank, slots
};

/// A variant is a specialisation with two functions: whether a rank may send in a slot, and what changes
/// once it did. Both are compiled into the injection stage.
template <Shaper>
struct ShaperPolicy;

/// The exact rate with `burst` flits saved up while idle, as virtual scheduling: a flit may be early by less
/// than one slot, which is what lets 2/3 come out as slots 1 1 0 and not as every second slot.
struct VirtualSchedule {
  static bool allows(const ShaperState& s, std::uint32_t account, std::int64_t slot, Ratio rate, int burst) {
    return s.due[account] <=
           slot * rate.numerator + rate.numerator - 1 + std::int64_t{burst} * rate.denominator;
  }
  static void granted(ShaperState& s, std::uint32_t account, std::int64_t slot, Ratio rate) {
    s.due[account] = std::max(s.due[account], slot * rate.numerator) + rate.denominator;
  }
};

}  // namespace plumb::fabric

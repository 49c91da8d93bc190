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
/// once it did. Both are compiled into the injection stage. A third that answers for all ranks at once is
/// used where there is one.
template <Shaper>
struct ShaperPolicy;

/// The exact rate with `burst` flits saved up while idle, as virtual scheduling: a flit may be early by less
/// than one slot, which is what lets 2/3 come out as slots 1 1 0 and not as every second slot.
struct VirtualSchedule {
  static constexpr std::array<std::uint64_t, kMaxSms> kBits = [] {
    std::array<std::uint64_t, kMaxSms> bits{};
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = std::uint64_t{1} << i;
    return bits;
  }();
  static bool allows(const ShaperState& s, std::uint32_t account, std::int64_t slot, Ratio rate, int burst) {
    return s.due[account] <=
           slot * rate.numerator + rate.numerator - 1 + std::int64_t{burst} * rate.denominator;
  }
  /// The same for all accounts at once, written so that it compiles to vector code.
  static std::uint32_t allowed(const ShaperState& s, std::int64_t slot, Ratio rate, int burst) {
    const std::int64_t limit =
        slot * rate.numerator + rate.numerator + std::int64_t{burst} * rate.denominator;
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < s.due.size(); ++i) {
      const auto early = static_cast<std::uint64_t>(s.due[i] - limit) >> 63U;  // 1 where due < limit
      mask |= (0 - early) & kBits[i];
    }
    return static_cast<std::uint32_t>(mask);
  }
  static void granted(ShaperState& s, std::uint32_t account, std::int64_t slot, Ratio rate) {
    s.due[account] = std::max(s.due[account], slot * rate.numerator) + rate.denominator;
  }
};

}  // namespace plumb::fabric

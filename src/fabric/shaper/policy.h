// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "plumb/fabric/parameters.h"

namespace plumb::fabric {

/// What shapers know. Time counts slots of the SM's lane: one per flit that the lane itself could carry.
struct ShaperState {
  /// By account: how far behind the present slot its next flit is due at the exact rate, in slots times the
  /// rate's numerator; 0 where it is overdue, since time without traffic is lost. 16 bits, so that all
  /// accounts are asked at once, and in one cache line.
  alignas(64) std::array<std::uint16_t, (std::size_t{kMaxSms} + 7) / 8 * 8> late{};
  Ratio rate;
  int burst = 0;
  std::int64_t slot = 0;                        ///< the present one
  std::array<std::uint8_t, kMaxSms> account{};  ///< by rank: itself, or its TPC where two SMs share
  std::array<std::int64_t, kMaxSms> phase{};    ///< by rank, slots
};

/// A variant is a specialisation with three functions: what changes when a slot begins, whether a rank may
/// send in it, and what changes once it did. All are compiled into the injection stage. A fourth that answers
/// for all ranks at once is used where there is one.
template <Shaper>
struct ShaperPolicy;

/// The exact rate with `burst` flits saved up while idle, as virtual scheduling: a flit may be early by less
/// than one slot, which is what lets 2/3 come out as slots 1 1 0 and not as every second slot.
struct VirtualSchedule {
  static void begin(ShaperState& s, std::int64_t slot, int numerator) {
    const auto most = std::int64_t{std::numeric_limits<std::uint16_t>::max()};
    const auto passed = static_cast<std::uint16_t>(std::min(most, (slot - s.slot) * numerator));
    s.slot = slot;
    for (std::uint16_t& late : s.late) late = static_cast<std::uint16_t>(late > passed ? late - passed : 0);
  }
  /// The latest that a flit may be and go.
  static std::uint32_t limit(Ratio rate, int burst) {
    return static_cast<std::uint32_t>(rate.numerator - 1 + burst * rate.denominator);
  }
  static void granted(ShaperState& s, std::uint32_t account, Ratio rate) {
    s.late[account] = static_cast<std::uint16_t>(s.late[account] + rate.denominator);
  }
};

}  // namespace plumb::fabric

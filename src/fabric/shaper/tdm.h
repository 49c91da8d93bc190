// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/shaper/policy.h"

namespace plumb::fabric {

/// Fixed slots: n of every d belong to an SM, shifted by its phase. A slot that it does not use is lost.
template <>
struct ShaperPolicy<Shaper::tdm> {
  static void begin(ShaperState& s, std::int64_t slot) { s.slot = slot; }
  static bool allows(const ShaperState& s, std::uint32_t rank) {
    return (s.slot + s.phase[rank]) % s.rate.denominator < s.rate.numerator;
  }
  static void granted(ShaperState&, std::uint32_t) {}
};

}  // namespace plumb::fabric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/shaper/policy.h"

namespace plumb::fabric {

/// A full lane for each SM.
template <>
struct ShaperPolicy<Shaper::none> {
  static void begin(ShaperState&, std::int64_t) {}
  static bool allows(const ShaperState&, std::uint32_t) { return true; }
  static std::uint64_t allowed(const ShaperState&) { return ~std::uint64_t{0}; }
  static void granted(ShaperState&, std::uint32_t) {}
};

}  // namespace plumb::fabric

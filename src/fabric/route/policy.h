// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "plumb/fabric/parameters.h"

namespace plumb::fabric {

/// What route hashes know.
struct RouteState {
  std::uint32_t grain_shift = 5;  ///< log2 of hash_bytes
  std::uint32_t flit_shift = 5;   ///< log2 of flit_bytes
  std::uint32_t flit_bytes = 32;
  std::uint32_t flits_per_grain = 1;  ///< 1 where flits are the larger
  std::uint32_t grains_per_flit = 1;  ///< 1 where grains are the larger
  bool destination = true;
  std::uint32_t port_shift = 0;  ///< log2 of port_bytes over hash_bytes
  std::uint64_t salt = 0;
  std::uint32_t fixed = 0;
};

/// A variant is a specialisation with one function that maps a grain of the address space to 0 to 3.
/// `destination` is the slot of the receiving SM, or 0 where destination bits do not take part.
template <RouteHash>
struct RoutePolicy;

}  // namespace plumb::fabric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fabric/route/policy.h"
#include "plumb/fabric/packet.h"

namespace plumb::fabric {

inline constexpr std::uint64_t kEveryFlit = 0x5555555555555555ULL;  ///< times a route: all flits on it

/// Routes of all flits of a packet, two bits each, the first flit's lowest. Resolved once per network, called
/// once per packet. A route is plane * 2 + input.
class Routes {
 public:
  explicit Routes(const Parameters& parameters);

  /// `destination_slot` is the receiving SM's (Topology::index).
  [[nodiscard]] std::uint64_t of(const Packet& packet, int destination_slot) const {
    return confine(packet.route >= 0 ? kEveryFlit * static_cast<std::uint64_t>(packet.route)
                                     : hash_(packet, destination_slot, state_));
  }

  [[nodiscard]] static int first(std::uint64_t routes) noexcept { return static_cast<int>(routes & 3U); }

 private:
  using Hash = std::uint64_t (*)(const Packet&, int, const RouteState&);

  /// Moves the routes of a plane that is off onto the other.
  [[nodiscard]] std::uint64_t confine(std::uint64_t routes) const noexcept { return (routes & keep_) | set_; }

  Hash hash_;
  RouteState state_;
  std::uint64_t keep_ = ~std::uint64_t{0};
  std::uint64_t set_ = 0;
};

}  // namespace plumb::fabric

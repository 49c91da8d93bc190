// SPDX-License-Identifier: Apache-2.0
#include "fabric/route/routes.h"

#include <algorithm>
#include <array>
#include <bit>

#include "fabric/route/fixed.h"
#include "fabric/route/interleave.h"
#include "fabric/route/random.h"
#include "fabric/route/split.h"
#include "fabric/route/xor_fold.h"

namespace plumb::fabric {
namespace {

template <RouteHash Kind>
std::uint64_t routes_of(const Packet& p, int slot, const RouteState& s) {
  const auto destination = static_cast<std::uint32_t>(s.destination ? slot + 1 : 0);
  const auto flits = static_cast<std::uint32_t>(p.flits);
  // Grain by grain: all flits to come get its route, and where the next grain begins they change to that
  // one's. Commands and headers travel with the first payload.
  std::uint64_t grain = p.address >> s.grain_shift;
  const std::uint64_t left = ((grain + 1) << s.grain_shift) - p.address;
  std::uint64_t route = RoutePolicy<Kind>::route(grain, destination, s);
  std::uint64_t routes = kEveryFlit * route;
  auto flit = static_cast<std::uint32_t>(p.leading_flits) +
              static_cast<std::uint32_t>((left + s.flit_bytes - 1) >> s.flit_shift);
  for (; flit < flits; flit += s.flits_per_grain) {
    grain += s.grains_per_flit;
    const std::uint64_t next = RoutePolicy<Kind>::route(grain, destination, s);
    routes ^= (kEveryFlit * (route ^ next)) << (2 * flit);
    route = next;
  }
  return routes;
}

}  // namespace

Routes::Routes(const Parameters& p)
    : state_{.destination = p.hash_destination,
             .salt = static_cast<std::uint64_t>(p.hash_salt),
             .fixed = static_cast<std::uint32_t>(p.fixed_route)} {
  const auto grain = static_cast<std::uint32_t>(p.hash_bytes);
  const auto flit = static_cast<std::uint32_t>(p.flit_bytes);
  state_.grain_shift = static_cast<std::uint32_t>(std::countr_zero(grain));
  state_.flit_shift = static_cast<std::uint32_t>(std::countr_zero(flit));
  state_.port_shift = static_cast<std::uint32_t>(std::countr_zero(static_cast<std::uint32_t>(p.port_bytes))) -
                      state_.grain_shift;
  state_.flit_bytes = flit;
  state_.flits_per_grain = std::max(1U, grain / flit);
  state_.grains_per_flit = std::max(1U, flit / grain);
#define PLUMB_FABRIC_ENTRY(name, text) &routes_of<RouteHash::name>,
  static constexpr std::array kHashes{PLUMB_FABRIC_ROUTE_HASHES(PLUMB_FABRIC_ENTRY)};
#undef PLUMB_FABRIC_ENTRY
  hash_ = kHashes[static_cast<std::size_t>(p.route_hash)];
  if (p.planes != Planes::both) keep_ = kEveryFlit;
  if (p.planes == Planes::second) set_ = kEveryFlit << 1U;
}

}  // namespace plumb::fabric

// SPDX-License-Identifier: Apache-2.0
#include "fabric/route/routes.h"

#include <array>
#include <bit>

#include "fabric/route/fixed.h"
#include "fabric/route/interleave.h"
#include "fabric/route/random.h"
#include "fabric/route/xor_fold.h"

namespace plumb::fabric {
namespace {

template <RouteHash Kind>
std::uint64_t routes_of(const Packet& p, int slot, const RouteState& s, std::uint64_t flit_bytes) {
  const auto destination = static_cast<std::uint32_t>(s.destination ? slot + 1 : 0);
  const auto hash = [&](std::uint64_t address) {
    return std::uint64_t{RoutePolicy<Kind>::route(address >> s.grain_shift, destination, s)};
  };
  std::uint64_t routes = 0;
  std::uint64_t address = p.address;
  // Commands and headers travel with the first payload.
  for (int i = 0; i<p.flits; ++i, address += i> p.leading_flits ? flit_bytes : 0)
    routes |= hash(address) << (2U * static_cast<unsigned>(i));
  return routes;
}

}  // namespace

Routes::Routes(const Parameters& p)
    : state_{.grain_shift = static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(p.hash_bytes))),
             .destination = p.hash_destination,
             .salt = static_cast<std::uint64_t>(p.hash_salt),
             .fixed = static_cast<std::uint32_t>(p.fixed_route)},
      flit_bytes_(static_cast<std::uint64_t>(p.flit_bytes)) {
#define PLUMB_FABRIC_ENTRY(name, text) &routes_of<RouteHash::name>,
  static constexpr std::array kHashes{PLUMB_FABRIC_ROUTE_HASHES(PLUMB_FABRIC_ENTRY)};
#undef PLUMB_FABRIC_ENTRY
  hash_ = kHashes[static_cast<std::size_t>(p.route_hash)];
  if (p.planes != Planes::both) keep_ = kEvery;
  if (p.planes == Planes::second) set_ = kEvery << 1U;
}

}  // namespace plumb::fabric

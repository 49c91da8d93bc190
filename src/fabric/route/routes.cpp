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
  std::uint64_t routes = 0;
  std::uint64_t address = p.address;
  std::uint64_t last_grain = address >> s.grain_shift;
  std::uint64_t route = RoutePolicy<Kind>::route(last_grain, destination, s);
  for (int i = 0; i < p.flits; ++i) {
    if (const std::uint64_t grain = address >> s.grain_shift; grain != last_grain) {
      route = RoutePolicy<Kind>::route(grain, destination, s);
      last_grain = grain;
    }
    routes |= route << (2U * static_cast<unsigned>(i));
    if (i >= p.leading_flits) address += flit_bytes;  // commands and headers travel with the first payload
  }
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

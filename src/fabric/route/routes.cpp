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
  // Grain by grain. Commands and headers travel with the first payload.
  const int flit_shift = std::countr_zero(flit_bytes);
  std::uint64_t routes = 0;
  std::uint64_t address = p.address;
  auto flit = static_cast<std::uint32_t>(p.leading_flits);
  for (std::uint32_t first = 0; first < static_cast<std::uint32_t>(p.flits); first = flit) {
    const std::uint64_t grain = address >> s.grain_shift;
    const std::uint64_t left = ((grain + 1) << s.grain_shift) - address;
    const std::uint64_t payloads = (left + flit_bytes - 1) >> flit_shift;
    const std::uint64_t route = RoutePolicy<Kind>::route(grain, destination, s);
    // All flits to come; those of the next grain are put right in its turn.
    routes = (routes & ~(~std::uint64_t{0} << (2 * first))) | (0x5555555555555555U * route) << (2 * first);
    address += payloads << flit_shift;
    flit += static_cast<std::uint32_t>(payloads);
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

// SPDX-License-Identifier: Apache-2.0
// Nothing is faster than its most loaded channel (Dally and Towles 2004, section 3.2): with the load of a
// channel as its share of all flits, the accepted rate is at most the channel's own rate over its load.
#include <algorithm>
#include <array>

#include "fabric/generators.h"

namespace plumb::fabric {
namespace {

/// What went in, from where to where, and how long flits moved.
class Offers final : public Observer {
 public:
  void on(std::span<const Event> events) override {
    for (const Event& e : events) {
      if (e.what == EventKind::offer) flits[e.source][e.destination] += e.flits;
      if (e.what == EventKind::inject) first = std::min(first, e.cycle);
      if (e.what == EventKind::eject) last = std::max(last, e.cycle);
    }
  }
  std::array<std::array<std::uint64_t, kMaxSms>, kMaxSms> flits{};
  Cycle first = kNever;
  Cycle last = 0;
};

/// Flits that each channel has to carry, from the offers and the map of the GPC alone. The lanes between the
/// SMs are known one by one where one route is for all, and otherwise for all routes together.
struct Loads {
  std::array<std::uint64_t, kMaxSms> sent{};      ///< by rank
  std::array<std::uint64_t, kMaxSms> received{};  ///< by rank
  std::array<std::uint64_t, kCpcs> cpcs{};        ///< out of GPCARB ingress
  std::array<std::uint64_t, kBlocks> blocks{};    ///< into GPCARB egress
};

Loads loads_of(const Offers& offers, const Topology& topology, bool bypass) {
  Loads loads;
  for (int s = 0; s < topology.ranks(); ++s) {
    for (int d = 0; d < topology.ranks(); ++d) {
      const auto from = static_cast<std::size_t>(s);
      const auto to = static_cast<std::size_t>(d);
      const std::uint64_t flits = offers.flits[from][to];
      loads.sent[from] += flits;
      loads.received[to] += flits;
      const Slot& a = topology.slot(s);
      const Slot& b = topology.slot(d);
      if (bypass && a.cpc == b.cpc && a.tpc == b.tpc) continue;
      loads.cpcs[static_cast<std::size_t>(a.cpc)] += flits;
      loads.blocks[static_cast<std::size_t>(topology.block(d))] += flits;
    }
  }
  return loads;
}

/// So much, and without pauses, that the flows are at their rate for most of the run.
Traffic lasting_traffic(int ranks) {
  Traffic t = any_traffic(ranks);
  for (Flow& f : t.flows) {
    f.window = footprint(f);
    f.bytes *= 100;
    f.burst = 0;
    f.delay = 0;
    f.warps = 3;
    f.in_flight = 8;
  }
  return t;
}

double value(Ratio r) { return static_cast<double>(r.numerator) / r.denominator; }

/// Flits that an SM's shaper may let go beyond its rate: what a bucket saves up, a block of slots of TDM, and
/// those that the rounding of an exact rate makes early.
double early(const Parameters& p) {
  switch (p.shaper) {
    case Shaper::bucket:
      return p.shaper_burst + 1;
    case Shaper::tdm:
      return p.shaper_rate.numerator;
    case Shaper::share:
      return 2;
    default:
      return 1;
  }
}

PLUMB_PROPERTY(ChannelLoad, NothingIsAcceptedFasterThanTheMostLoadedChannelCarries, [] {
  const Topology topology = any_topology();
  RC_PRE(topology.ranks() >= 2);
  Parameters p = any_parameters();
  p.lane_bytes = *rc::gen::element(32, 64);
  const bool one_route = *rc::gen::arbitrary<bool>();
  if (one_route) {
    p.route_hash = RouteHash::fixed;
    p.fixed_route = *rc::gen::inRange(0, kLanesPerCpc);
  }
  Offers offers;
  const SimulationResult r =
      simulate(lasting_traffic(topology.ranks()), p, topology,
               {.seed = *rc::gen::inRange<std::uint64_t>(0, 100), .observer = &offers});
  const Loads loads = loads_of(offers, topology, p.tpc_bypass);

  // A stage that does not run at the SM clock has a round more or less in a stretch of time.
  const auto cycles = static_cast<double>(offers.last - offers.first + 1);
  const double lane = value(p.clock_ratio) * p.lane_bytes / p.flit_bytes;
  double most = 0;  // load over rate, of the most loaded channel
  const auto channel = [&](std::uint64_t load, double rate, double spare) {
    most = std::max(most, (static_cast<double>(load) - spare) / rate);
  };
  const double shaped = p.shaper == Shaper::none ? 1.0 : value(p.shaper_rate);
  const double planes = p.planes == Planes::both ? kPlanes : 1;
  const double routes = one_route ? 1 : planes * kLanesPerCpc / kPlanes;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(topology.ranks()); ++rank) {
    // Two SMs that share an account may each be as fast as both.
    const double of_account = p.shaper == Shaper::share ? std::min(1.0, 2 * shaped) : shaped;
    channel(loads.sent[rank], lane * of_account, early(p) + 1);
    channel(loads.received[rank], lane * std::min(1.0, value(p.egress_speedup)), 1);
    if (p.port == Port::half_duplex) channel(loads.sent[rank] + loads.received[rank], lane, 1);
  }
  for (const std::uint64_t load : loads.cpcs)
    channel(load, lane * value(p.ingress_speedup) * routes, routes * value(p.ingress_speedup));
  for (const std::uint64_t load : loads.blocks) {
    const double lanes = one_route ? 1 : planes;
    channel(load, lane * value(p.plane_speedup) * lanes, lanes * value(p.plane_speedup));
  }
  RC_CLASSIFY(most > 0.8 * cycles, "within a fifth of the bound");
  RC_ASSERT(most <= cycles);  // that is, all flits / cycles <= all flits / most

  // The lanes carried just what the map says.
  const auto plane =
      static_cast<std::size_t>(p.planes == Planes::both ? p.fixed_route / 2 : p.planes == Planes::second);
  const std::size_t route = plane * 2 + static_cast<std::size_t>(p.fixed_route % 2);
  const Statistics& s = r.statistics;
  for (std::size_t rank = 0; rank < s.sms.size(); ++rank) {
    RC_ASSERT(s.sms[rank].sent[0] + s.sms[rank].sent[1] == loads.sent[rank]);
    RC_ASSERT(s.sm_lanes[rank].flits == loads.received[rank]);
  }
  for (std::size_t cpc = 0; cpc < loads.cpcs.size(); ++cpc) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kLanesPerCpc; ++i) {
      const std::uint64_t flits = s.ingress_lanes[cpc * kLanesPerCpc + i].flits;
      if (one_route) RC_ASSERT(flits == (i == route ? loads.cpcs[cpc] : 0));
      sum += flits;
    }
    RC_ASSERT(sum == loads.cpcs[cpc]);
  }
  for (std::size_t block = 0; block < loads.blocks.size(); ++block) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kPlanes; ++i) {
      const std::uint64_t flits = s.egress_lanes[block * kPlanes + i].flits;
      if (one_route) RC_ASSERT(flits == (i == plane ? loads.blocks[block] : 0));
      sum += flits;
    }
    RC_ASSERT(sum == loads.blocks[block]);
  }
});

}  // namespace
}  // namespace plumb::fabric

// SPDX-License-Identifier: Apache-2.0
#include "fabric/generators.h"

namespace plumb::fabric {
namespace {

PLUMB_PROPERTY(Fabric, EveryPayloadArrivesExactlyOnceWhateverTheVariant, [] {
  const Topology topology = any_topology();
  RC_PRE(topology.ranks() >= 2);
  const Parameters p = any_parameters();
  const Traffic t = any_traffic(topology.ranks());
  const SimulationOptions options{.seed = *rc::gen::inRange<std::uint64_t>(0, 100)};
  // simulate() audits the network at its end and throws where a flit, a credit or a packet is missing.
  const SimulationResult r = simulate(t, p, topology, options);
  for (std::size_t i = 0; i < t.flows.size(); ++i) {
    RC_ASSERT(r.flows[i].bad_bytes == 0);
    // No payload outruns the widest clock ratio on a full lane.
    const double most = 32.0 * 4 / 3;
    RC_ASSERT(static_cast<double>(t.flows[i].bytes) <=
              most * static_cast<double>(r.flows[i].stop - r.flows[i].start));
  }
  RC_ASSERT(simulate(t, p, topology, options) == r);
});

PLUMB_PROPERTY(Fabric, NoSmReceivesMoreThanItsLaneCarries, [] {
  const int sources = *rc::gen::inRange(1, 8);
  Traffic t{.ranks = 16, .flows = {}};
  for (int s = 1; s <= sources; ++s)
    t.flows.push_back(
        {.source = s, .destination = 0, .op = *rc::gen::element(Op::store, Op::put), .bytes = 16384});
  const Parameters p;
  const SimulationResult r =
      simulate(t, p, Topology::h200(), {.seed = *rc::gen::inRange<std::uint64_t>(0, 100)});
  Cycle last = 0;
  for (const FlowResult& f : r.flows) last = std::max(last, f.stop);
  RC_ASSERT(static_cast<double>(16384 * sources) <= 32.0 * static_cast<double>(last - p.start_cycles));
  RC_ASSERT(r.statistics.sm_lanes[0].utilisation <= 1.0);
});

}  // namespace
}  // namespace plumb::fabric

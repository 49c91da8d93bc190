// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/simulation.h"
#include "support.h"

namespace plumb::fabric {
namespace {

Topology any_topology() {
  std::vector<Slot> off;
  for (int cpc = 0; cpc < kCpcs; ++cpc) {
    for (int tpc = 0; tpc < kTpcsPerCpc; ++tpc) {
      for (int sm = 0; sm < kSmsPerTpc; ++sm) {
        if (cpc + tpc != 0 && *rc::gen::inRange(0, 4) == 0) off.push_back({cpc, tpc, sm});
      }
    }
  }
  return Topology(off);
}

/// Any value that a parameter allows, for those that change how flits move.
Parameters any_parameters() {
  Parameters p;
  for (const Parameter& entry : parameters()) {
    if (entry.group == "clock" || entry.group == "costs" || entry.group == "front" || entry.group == "lanes")
      continue;
    if (const auto* choice = std::get_if<Choice>(&entry.member))
      choice->set(p, *rc::gen::inRange<std::size_t>(0, choice->names.size()));
    if (const auto* toggle = std::get_if<bool Parameters::*>(&entry.member))
      p.** toggle = *rc::gen::arbitrary<bool>();
  }
  const auto speedup = [] {
    return *rc::gen::element(Ratio{1, 1}, Ratio{5, 4}, Ratio{4, 3}, Ratio{3, 2}, Ratio{2, 1});
  };
  p.ingress_speedup = speedup();
  p.plane_speedup = speedup();
  p.egress_speedup = speedup();
  p.clock_ratio = *rc::gen::element(Ratio{1, 1}, Ratio{4, 3}, Ratio{3, 4});
  p.flit_bytes = *rc::gen::element(32, 64);
  p.ingress_depth = *rc::gen::inRange(1, 10);
  p.plane_depth = *rc::gen::inRange(1, 10);
  p.egress_depth = *rc::gen::inRange(1, 20);
  p.injection_depth = *rc::gen::element(32, 64, 128);
  p.delivery_depth = *rc::gen::element(32, 64, 256);
  p.response_quantum = *rc::gen::element(64, 128, 256);
  p.write_quantum = *rc::gen::element(64, 128, 256, 512);
  p.response_header_flits = *rc::gen::inRange(0, 2);
  p.short_write_header_flits = *rc::gen::inRange(0, 2);
  p.long_write_command_flits = *rc::gen::inRange(0, 3);
  p.ack_bytes = *rc::gen::element(128, 640, 1024);
  p.hash_bytes = *rc::gen::element(32, 64, 1024);
  p.shaper_burst = *rc::gen::inRange(0, 8);
  return p;
}

Traffic any_traffic(int ranks) {
  Traffic t{.ranks = ranks, .flows = {}};
  for (int i = *rc::gen::inRange(1, 9); i > 0; --i) {
    Flow f{.source = *rc::gen::inRange(0, ranks), .op = *rc::gen::element(Op::load, Op::store, Op::put)};
    f.destination = (f.source + *rc::gen::inRange(1, ranks)) % ranks;
    const std::int64_t window = 16 * *rc::gen::inRange<std::int64_t>(1, 100);
    f.bytes = window * *rc::gen::inRange(1, 4);
    if (*rc::gen::arbitrary<bool>()) f.window = window;
    if (*rc::gen::arbitrary<bool>()) f.burst = window;
    f.gap = *rc::gen::inRange(0, 100);
    f.delay = *rc::gen::inRange(0, 100);
    f.command = 16 * *rc::gen::inRange<std::int64_t>(1, 40);
    f.source_skew = 16 * *rc::gen::inRange<std::int64_t>(0, 10);
    f.warps = *rc::gen::inRange(1, 4);
    f.in_flight = *rc::gen::element(1, 2, 4, 8);
    t.flows.push_back(f);
  }
  return t;
}

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

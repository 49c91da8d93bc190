// SPDX-License-Identifier: Apache-2.0
// What the properties of the fabric are checked over.
#pragma once

#include "plumb/fabric/simulation.h"
#include "support.h"

namespace plumb::fabric {

inline Topology any_topology() {
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
inline Parameters any_parameters() {
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

inline Traffic any_traffic(int ranks) {
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

}  // namespace plumb::fabric

// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/network.h"

#include <map>
#include <thread>

#include "fabric/random.h"
#include "support.h"

namespace plumb::fabric {
namespace {

using test::message_of;

Packet packet(int source, int destination, int flits = 1, std::uint64_t address = 0) {
  return {.source = source, .destination = destination, .flits = flits, .address = address};
}

/// Steps until a packet is delivered at a rank; its latency, or -1 after 2,000 cycles.
Cycle delivery(Network& n, const Packet& p) {
  const Cycle start = n.now();
  EXPECT_TRUE(n.offer(p));
  for (int i = 0; i < 2000; ++i) {
    n.step();
    if (Packet got; n.take(p.destination, p.channel, got)) return n.now() - start;
  }
  return -1;
}

TEST(Network, AFlitInAnEmptyNetworkTakesTheSumOfItsParts) {
  // 34 outward + 2 TPCARB + 6 GPCMMU + ingress, plane, egress and arrival at one cycle each + 34 inward.
  constexpr Cycle kOneFlit = 34 + 2 + 6 + 4 + 34;
  // The shaper lets four flits go in slots 0, 1, 3 and 4.
  constexpr Cycle kFourFlits = kOneFlit + 4;
  Network n(Parameters{}, Topology());
  for (int s = 0; s < 18; ++s) {
    for (int d = 0; d < 18; ++d) {
      if (s == d) continue;
      EXPECT_EQ(delivery(n, packet(s, d)), kOneFlit) << s << " to " << d;
      EXPECT_EQ(delivery(n, packet(s, d, 4, 4096)), kFourFlits) << s << " to " << d;
      EXPECT_EQ(n.zero_load_latency(packet(s, d)), kOneFlit);
      EXPECT_EQ(n.zero_load_latency(packet(s, d, 4)), kFourFlits);
    }
  }
}

TEST(Network, LegsOfAnSmLengthenItsPathsAlone) {
  Parameters p;
  p.sm_leg[0] = 7;  // rank 0
  Network n(p, Topology::h200());
  EXPECT_EQ(delivery(n, packet(0, 5)), 80 + 7);
  EXPECT_EQ(delivery(n, packet(5, 0)), 80 + 7);
  EXPECT_EQ(delivery(n, packet(5, 2)), 80);
}

TEST(Network, TheBypassOfATpcSkipsTwoStages) {
  Parameters p;
  p.tpc_bypass = true;
  Network n(p, Topology::h200());
  EXPECT_EQ(delivery(n, packet(0, 1)), 80 - 2);
  EXPECT_EQ(delivery(n, packet(0, 2)), 80);
  EXPECT_EQ(n.zero_load_latency(packet(0, 1)), 78);
}

TEST(Network, BypassesThatShareABufferDoNotOverfillIt) {
  // The first SMs of the three TPCs of a CPC all send into the block of its second SMs.
  Parameters p;
  p.tpc_bypass = true;
  p.shaper = Shaper::none;
  p.egress_depth = 1;
  const Topology topology =
      Topology::placed({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 2, 0}, {0, 2, 1}});
  Network n(p, topology);
  int arrived = 0;
  for (int i = 0; i < 1000; ++i) {
    for (int source = 0; source < 6; source += 2) {
      if (i < 50) n.offer(packet(source, source + 1, 4));
      for (Packet got; n.take(source + 1, Channel::request, got);) ++arrived;
    }
    n.step();
    n.audit();
  }
  EXPECT_EQ(arrived, 3 * 50);
}

TEST(Network, DeliversWhatWasOffered) {
  Network n(Parameters{}, Topology::h200());
  const Packet sent{.source = 3,
                    .destination = 9,
                    .channel = Channel::response,
                    .kind = PacketKind::read_response,
                    .flits = 5,
                    .leading_flits = 1,
                    .address = 0x1234,
                    .tag = 0xfeedfacecafebeef,
                    .route = 2};
  ASSERT_TRUE(n.offer(sent));
  ASSERT_TRUE(n.step_until(1000));
  EXPECT_EQ(n.deliverable(Channel::response), 1U << 9U);
  EXPECT_EQ(n.front(9, Channel::response), sent);
  Packet got;
  ASSERT_TRUE(n.take(9, Channel::response, got));
  EXPECT_EQ(got, sent);
  EXPECT_EQ(n.in_flight(), 0);
  EXPECT_FALSE(n.take(9, Channel::response, got));
}

TEST(Network, PacketsThatCouldNeverTravelAreRefused) {
  Network n(Parameters{}, Topology::h200(4));
  EXPECT_EQ(message_of([&] { n.offer(packet(0, 4)); }), "packet: destination = 4: ranks go from 0 to 3.");
  EXPECT_EQ(message_of([&] { n.offer(packet(-1, 0)); }), "packet: source = -1: ranks go from 0 to 3.");
  EXPECT_EQ(message_of([&] { n.offer(packet(2, 2)); }),
            "packet: destination = 2: it must differ from the source.");
  EXPECT_EQ(message_of([&] { n.offer(packet(0, 1, 33)); }), "packet: flits = 33: a packet has 1 to 32.");
}

TEST(Network, ImpossibleParametersAreRefused) {
  Parameters p;
  p.ingress_depth = 0;
  EXPECT_EQ(message_of([&] { Network(p, Topology::h200()); }), "ingress_depth = 0: allowed is 1 to 16.");
}

/// Flits that arrive at a destination in `cycles` while every source always has a packet for it.
std::uint64_t accepted(Network& n, const std::vector<std::pair<int, int>>& flows, Cycle cycles) {
  std::uint64_t address = 0;
  std::uint64_t flits = 0;
  constexpr Cycle kWarmUp = 1000;
  for (const Cycle end = n.now() + kWarmUp + cycles; n.now() < end;) {
    for (const auto& [s, d] : flows) {
      while (n.can_offer(s, Channel::request, 4)) n.offer(packet(s, d, 4, address += 128));
    }
    n.step();
    for (const auto& [s, d] : flows) {
      for (Packet p; n.take(d, Channel::request, p);) flits += n.now() > end - cycles ? 4U : 0U;
    }
  }
  return flits;
}

TEST(Network, AFlowAloneRunsAtTheShapersRate) {
  Network n(Parameters{}, Topology::h200());
  EXPECT_NEAR(static_cast<double>(accepted(n, {{0, 9}}, 6000)), 4000, 4);
}

TEST(Network, AFlowAloneRunsAtTheShapersRateWhateverTheFlitSize) {
  // Flits per cycle of a lane = lane_bytes / flit_bytes, of which the shaper lets 2/3 pass:
  // 32/64 * 2/3 = 1/3, 64/64 * 2/3 = 2/3, 64/32 * 2/3 = 4/3.
  const auto flits = [](int lane_bytes, int flit_bytes) {
    Parameters p;
    p.lane_bytes = lane_bytes;
    p.flit_bytes = flit_bytes;
    Network n(p, Topology::h200());
    return static_cast<double>(accepted(n, {{0, 9}}, 6000));
  };
  EXPECT_NEAR(flits(32, 64), 2000, 4);
  EXPECT_NEAR(flits(64, 64), 4000, 4);
  EXPECT_NEAR(flits(64, 32), 8000, 8);
}

TEST(Network, WithoutAShaperAFlowAloneFillsItsLane) {
  Parameters p;
  p.shaper = Shaper::none;
  p.planes = Planes::both;
  p.ingress_depth = 8;
  Network n(p, Topology::h200());
  EXPECT_NEAR(static_cast<double>(accepted(n, {{0, 9}}, 6000)), 6000, 60);
}

TEST(Network, ManySourcesIntoOneDestinationShareOneLane) {
  Network n(Parameters{}, Topology::h200());
  EXPECT_NEAR(static_cast<double>(accepted(n, {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}, 6000)), 6000, 60);
}

TEST(Network, ADestinationThatTakesNothingStopsItsSourcesAndNobodyElse) {
  Parameters p;
  p.plane_queueing = Queueing::separate;  // with a pool it would stop others of its CPC too
  p.plane_multi_read = true;
  Network n(p, Topology::h200());
  std::uint64_t other = 0;
  for (int i = 0; i < 5000; ++i) {
    while (n.can_offer(0, Channel::request, 4)) n.offer(packet(0, 1, 4));
    while (n.can_offer(0, Channel::response, 4))
      n.offer({.source = 0, .destination = 1, .channel = Channel::response, .flits = 4});
    while (n.can_offer(2, Channel::request, 4)) n.offer(packet(2, 4, 4));
    n.step();
    for (Packet k; n.take(4, Channel::request, k);) ++other;
    for (Packet k; n.take(1, Channel::response, k);) other += 1'000'000;
  }
  EXPECT_FALSE(n.can_offer(0, Channel::request, 4)) << "back-pressure reaches the source";
  EXPECT_GT(other % 1'000'000, 750U) << "a flow elsewhere runs on";
  EXPECT_GT(other / 1'000'000, 690U) << "responses pass blocked requests";
  EXPECT_NE(n.stuck().find("waits for rank 1 to take its requests"), std::string::npos) << n.stuck();
}

TEST(Network, ARefusedOfferIsAnnouncedOnceItFits) {
  Network n(Parameters{}, Topology::h200());
  while (n.offer(packet(0, 1, 4))) {
  }
  EXPECT_EQ(n.reopened(), 0U);
  for (int i = 0; i < 200 && !n.can_offer(0, Channel::request, 4); ++i) {
    n.step();
    EXPECT_EQ(n.reopened() != 0, n.can_offer(0, Channel::request, 4));
  }
  EXPECT_TRUE(n.offer(packet(0, 1, 4)));
}

TEST(Network, IdleStretchesAreJumpedOverWithTheSameOutcome) {
  const auto run = [](bool jump) {
    Network n(Parameters{}, Topology::h200(), 5);
    std::vector<Cycle> times;
    for (int k = 0; k < 20; ++k) {
      n.offer(packet(k % 16, (k + 3) % 16, 1 + k % 8, static_cast<std::uint64_t>(k) * 96));
      const Cycle until = n.now() + 150;
      while (n.now() < until) {
        if (jump) {
          n.step_until(until);
        } else {
          n.step();
        }
        if (Packet p; n.take((k + 3) % 16, Channel::request, p)) times.push_back(n.now());
      }
    }
    return times;
  };
  EXPECT_EQ(run(true).size(), 20U);
  EXPECT_EQ(run(true), run(false));
}

TEST(Network, NextEventIsExact) {
  Network n(Parameters{}, Topology::h200());
  EXPECT_EQ(n.next_event(), kNever);
  n.offer(packet(0, 1));
  EXPECT_EQ(n.next_event(), 42) << "the outward leg, TPCARB and GPCMMU";
  EXPECT_TRUE(n.step_until(1'000'000'000));
  EXPECT_EQ(n.now(), 80);
  EXPECT_EQ(n.statistics().skipped, 42 + 34);
  EXPECT_FALSE(n.step_until(1'000'000'000)) << "the packet is delivered and nothing else is on its way";
  EXPECT_EQ(n.now(), 1'000'000'000);
}

/// Records every event and checks what can be checked one by one.
class Recorder final : public Observer {
 public:
  void on(std::span<const Event> events) override {
    for (const Event& e : events) {
      ++counts[e.what];
      hash = mix64(hash ^ static_cast<std::uint64_t>(e.cycle)) ^
             mix64(e.packet * 8 + static_cast<unsigned>(e.what));
      if (e.what == EventKind::offer) offered[e.packet] = e.cycle;
      if (e.what == EventKind::deliver) latencies += e.cycle - offered.at(e.packet);
    }
  }
  std::map<EventKind, std::uint64_t> counts;
  std::map<std::uint64_t, Cycle> offered;
  std::uint64_t hash = 0;
  Cycle latencies = 0;
};

struct RandomRun {
  Statistics statistics;
  std::uint64_t hash = 0;
  Cycle in_system = 0;  ///< packets offered and not delivered, summed over the cycles
  Cycle latencies = 0;
  std::map<EventKind, std::uint64_t> counts;
};

RandomRun random_traffic(std::uint64_t seed) {
  Network n(Parameters{}, Topology(), seed);
  Recorder recorder;
  n.observe(&recorder);
  Random random(seed);
  RandomRun run;
  std::int64_t undelivered = 0;
  std::uint64_t delivered = 0;
  const auto drain = [&] {
    for (const Channel c : {Channel::request, Channel::response}) {
      for (int r = 0; r < 18; ++r) {
        for (Packet p; n.take(r, c, p);) {
          --undelivered;
          ++delivered;
        }
      }
    }
  };
  for (int i = 0; i < 3000 || undelivered != 0; ++i) {
    for (int k = 0; i < 3000 && k < 3; ++k) {
      const int source = static_cast<int>(random.below(18));
      const int destination = (source + 1 + static_cast<int>(random.below(17))) % 18;
      const int flits =
          1 + static_cast<int>(random.below(6));  // one draw a statement: arguments have no order
      Packet p = packet(source, destination, flits, std::uint64_t{random.below(1 << 18)} * 16);
      p.channel = random.below(2) == 0 ? Channel::request : Channel::response;
      if (n.offer(p)) ++undelivered;
    }
    run.in_system += undelivered;  // everything delivered is taken in the cycle in which it becomes ready
    n.step();
    drain();
    n.audit();
  }
  n.observe(nullptr);
  run.statistics = n.statistics();
  run.hash = recorder.hash;
  run.latencies = recorder.latencies;
  run.counts = recorder.counts;
  return run;
}

TEST(Network, EventsAndStatisticsAgree) {
  const RandomRun run = random_traffic(11);
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (const SmStatistics& sm : run.statistics.sms) {
    sent += sm.sent[0] + sm.sent[1];
    received += sm.received[0] + sm.received[1];
  }
  const auto count = [&](EventKind k) { return run.counts.at(k); };
  EXPECT_EQ(sent, received);
  EXPECT_EQ(count(EventKind::inject), sent);
  EXPECT_EQ(count(EventKind::ingress), sent);
  EXPECT_EQ(count(EventKind::cross), sent);
  EXPECT_EQ(count(EventKind::eject), sent);
  EXPECT_EQ(count(EventKind::offer), count(EventKind::deliver));
  EXPECT_EQ(count(EventKind::offer), count(EventKind::take));
  std::uint64_t lanes = 0;
  for (const LaneStatistics& l : run.statistics.ingress_lanes) lanes += l.flits;
  EXPECT_EQ(lanes, sent);
}

TEST(Network, LittlesLawHolds) {
  // Mean number in the system = arrival rate x mean time in it; over a drained run both sums are the same.
  const RandomRun run = random_traffic(12);
  EXPECT_EQ(run.in_system, run.latencies);
  const auto& latency = run.statistics.latency;
  EXPECT_NEAR(latency[0].mean() * static_cast<double>(latency[0].count()) +
                  latency[1].mean() * static_cast<double>(latency[1].count()),
              static_cast<double>(run.latencies), 1e-6 * static_cast<double>(run.latencies));
}

TEST(Network, TheSameSeedGivesTheSameEventsOnAnyThread) {
  const RandomRun alone = random_traffic(13);
  std::vector<RandomRun> runs(4);
  std::vector<std::thread> threads;
  threads.reserve(runs.size());
  for (RandomRun& r : runs) threads.emplace_back([&r] { r = random_traffic(13); });
  for (std::thread& t : threads) t.join();
  for (const RandomRun& r : runs) {
    EXPECT_EQ(r.hash, alone.hash);
    EXPECT_EQ(r.statistics, alone.statistics);
  }
  EXPECT_NE(random_traffic(14).hash, alone.hash);
}

TEST(Network, EveryCompilerAndOptimisationGivesTheSameEvents) {
  // Recorded once with one build; all others have to agree. Changes when the model or its parameters do.
  EXPECT_EQ(random_traffic(21).hash, 11986420831884881364U);
}

TEST(Network, QueueMetersMatchWhatIsSeenFromOutside) {
  // One packet of 4 flits waits 42 cycles for its leg and leaves in slots 0, 1, 3 and 4.
  Network n(Parameters{}, Topology::h200());
  n.offer(packet(0, 9, 4));
  n.step_until(100);
  const Statistics s = n.statistics();
  const double area = 42 + 43 + 45 + 46;
  EXPECT_NEAR(s.sms[0].injection[0].mean * static_cast<double>(s.cycles), area, 1e-9);
  EXPECT_EQ(s.sms[0].injection[0].peak, 4);
  EXPECT_EQ(s.sms[0].shaper_stalls, 1U);
  EXPECT_EQ(s.sms[0].sent[0], 4U);
  EXPECT_EQ(s.sms[9].received[0], 4U);
}

TEST(Network, ClearedStatisticsCountFromThen) {
  Network n(Parameters{}, Topology::h200());
  n.offer(packet(0, 9, 4));
  n.step_until(100);
  n.clear_statistics();
  const Statistics s = n.statistics();
  EXPECT_EQ(s.cycles, 0);
  EXPECT_EQ(s.sms[0].sent[0], 0U);
  EXPECT_EQ(s.latency[0].count(), 0U);
  EXPECT_NO_THROW(n.audit());
}

TEST(Network, AHalfDuplexPortSendsOrReceives) {
  Parameters p;
  p.port = Port::half_duplex;
  p.shaper = Shaper::none;
  p.ingress_depth = 8;
  Network half(p, Topology::h200());
  p.port = Port::full_duplex;
  Network full(p, Topology::h200());
  const std::vector<std::pair<int, int>> both{{0, 1}, {1, 0}};
  EXPECT_NEAR(static_cast<double>(accepted(full, both, 4000)), 8000, 80);
  EXPECT_LE(accepted(half, both, 4000), 4000U + 8U);
  EXPECT_GE(accepted(half, both, 4000), 3600U);
}

TEST(Histogram, QuantilesAreWithinTheBinWidth) {
  Histogram h;
  for (Cycle v = 1; v <= 1000; ++v) h.add(v);
  EXPECT_EQ(h.count(), 1000U);
  EXPECT_DOUBLE_EQ(h.mean(), 500.5);
  EXPECT_EQ(h.largest(), 1000);
  for (const double q : {0.1, 0.5, 0.9, 0.99}) {
    const double exact = 1000 * q;
    EXPECT_GE(static_cast<double>(h.quantile(q)), exact);
    EXPECT_LE(static_cast<double>(h.quantile(q)), exact * 1.0625 + 1);
  }
  EXPECT_EQ(h.quantile(1.0), 1000);
  EXPECT_EQ(Histogram().quantile(0.5), 0);
}

}  // namespace
}  // namespace plumb::fabric

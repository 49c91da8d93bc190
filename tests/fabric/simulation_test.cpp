// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/simulation.h"

#include <algorithm>
#include <array>
#include <vector>

#include "support.h"

namespace plumb::fabric {
namespace {

using test::message_of;

Traffic one(Op op, std::int64_t bytes) {
  return {.ranks = 2,
          .flows = {{.source = op == Op::load ? 1 : 0,
                     .destination = op == Op::load ? 0 : 1,
                     .op = op,
                     .bytes = bytes}}};
}

Cycle duration(const SimulationResult& r, std::size_t flow = 0) {
  return r.flows[flow].stop - r.flows[flow].start;
}

/// Bytes per cycle between two sizes: fixed costs cancel.
double slope(const Traffic& small, const Traffic& large, const Parameters& p, const Topology& t) {
  const Cycle cycles = duration(simulate(large, p, t)) - duration(simulate(small, p, t));
  return static_cast<double>(large.flows[0].bytes - small.flows[0].bytes) / static_cast<double>(cycles);
}

TEST(Simulation, ALoadOfOneAccessTakesThePublishedLatency) {
  // 180 cycles from SM to SM and back: Luo et al. 2024, arXiv:2402.13499. 16 bytes need one flit each way.
  Parameters p;
  const Cycle fixed = p.start_cycles + p.load_latency + p.load_turnaround;
  EXPECT_EQ(duration(simulate(one(Op::load, 16), p, Topology::h200(2))) - fixed, 180);
}

TEST(Simulation, AStoreIsDoneWhenItsAcknowledgmentIsBack) {
  // 80 cycles there, 32 without a further write, 80 back.
  Parameters p;
  const Cycle fixed = p.start_cycles + p.store_latency + p.fence_cycles;
  EXPECT_EQ(duration(simulate(one(Op::store, 16), p, Topology::h200(2))) - fixed, 80 + 32 + 80);
  p.acks = Acks::each;
  EXPECT_EQ(duration(simulate(one(Op::store, 16), p, Topology::h200(2))) - fixed, 80 + 80);
}

TEST(Simulation, APutIsDoneWhenTheDestinationsBarrierHasCounted) {
  // Set-up 5, command and data flits in slots 0 and 1, so 81 cycles there, 40 until the waiting thread
  // knows.
  Parameters p;
  EXPECT_EQ(duration(simulate(one(Op::put, 16), p, Topology::h200(2))) - p.start_cycles, 5 + 81 + 40);
}

TEST(Simulation, StoresAndPutsAloneRunAtTheShapersRate) {
  // Two flits of 32 bytes in three cycles. A put carries one command flit per 16 KiB.
  const Topology t = Topology::h200(2);
  // Both sizes are whole multiples of 768 bytes, so that neither ends in an acknowledgment for idleness.
  EXPECT_NEAR(slope(one(Op::store, 24576), one(Op::store, 98304), Parameters{}, t), 64.0 / 3, 0.02);
  EXPECT_NEAR(slope(one(Op::put, 1 << 15), one(Op::put, 3 << 15), Parameters{}, t), 64.0 / 3 * 512 / 513,
              0.05);
}

TEST(Simulation, FlitsOf64BytesCarryTheSamePayload) {
  // 16 KiB are 256 flits of 64 bytes; a put has one command flit more, and 128 read commands ask for as many
  // responses of 128 bytes.
  for (const int lane : {32, 64}) {
    Parameters p;
    p.lane_bytes = lane;
    p.flit_bytes = 64;
    for (const Op op : {Op::load, Op::store, Op::put}) {
      const SimulationResult r = simulate(one(op, 16384), p, Topology::h200(2));
      EXPECT_EQ(r.flows[0].bad_bytes, 0);
      const std::size_t source = op == Op::load ? 1 : 0;
      const std::size_t channel = op == Op::load ? 1 : 0;
      EXPECT_EQ(r.statistics.sms[source].sent[channel], op == Op::put ? 257U : 256U) << name_of(op);
      EXPECT_EQ(r.statistics.sms[1 - source].received[channel], op == Op::put ? 257U : 256U) << name_of(op);
      EXPECT_EQ(r.statistics.sms[0].sent[0], op == Op::load ? 128U : op == Op::store ? 256U : 257U);
    }
    // The shaper lets 2/3 of a lane pass: 21.3 of 32 bytes, 42.7 of 64. Of a put, one flit in 257 is its
    // command. Both sizes of stores are whole acknowledgments of 768 bytes, or one of them would wait for its
    // last.
    EXPECT_NEAR(slope(one(Op::store, 24576), one(Op::store, 98304), p, Topology::h200(2)), lane * 2.0 / 3,
                0.4);
    EXPECT_NEAR(slope(one(Op::put, 32768), one(Op::put, 98304), p, Topology::h200(2)),
                lane * 2.0 / 3 * 256 / 257, 0.4);
  }
}

TEST(Simulation, SmallCommandsAreLimitedByTheirSetup) {
  // 256 bytes take 9 flits = 13.5 cycles; with 32 cycles of set-up between commands: 8 B/cycle.
  Parameters p;
  p.put_setup = 32;
  Traffic small = one(Op::put, 1 << 15);
  Traffic large = one(Op::put, 3 << 15);
  for (Traffic* t : {&small, &large}) t->flows[0].command = 256;
  EXPECT_NEAR(slope(small, large, p, Topology::h200(2)), 8.0, 0.05);
}

TEST(Simulation, CommandsOfSeveralWarpsGoFromTheLastToTheFirst) {
  // Six warps put 8 KiB each, one command. Sub-partitions have turns in the order 1, 3, 2, 0; warps 1 and 5
  // are in the first of these, 3 and 2 are alone, 4 and 0 are in the last; the later warp goes first.
  Traffic t{.ranks = 7, .flows = {}};
  for (int k = 1; k <= 6; ++k)
    t.flows.push_back({.source = 0, .destination = k, .op = Op::put, .bytes = 8192});
  const SimulationResult r = simulate(t, Parameters{}, Topology::h200(7));
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
  std::ranges::sort(order, {}, [&](std::size_t i) { return r.flows[i].stop; });
  EXPECT_EQ(order, (std::vector<std::size_t>{5, 3, 2, 4, 1, 0}));
}

TEST(Simulation, StoresOfSeveralFlowsShareTheirSmAlike) {
  // 2 x 24 KiB at 64/3 bytes a cycle: both flows are done at the end, not one after two thirds of it.
  Traffic t{.ranks = 4, .flows = {}};
  for (const int to : {1, 2})
    t.flows.push_back({.source = 0, .destination = to, .op = Op::store, .bytes = 24576});
  const SimulationResult r = simulate(t, Parameters{}, Topology::h200(4));
  EXPECT_NEAR(static_cast<double>(duration(r, 0)), static_cast<double>(duration(r, 1)), 60);
  EXPECT_GT(duration(r, 0), 2 * 24576 * 3 / 64);
}

TEST(Simulation, PutsBeginLaterBesideOtherOperations) {
  // Two pairs that share no lane: the second one's operation is all that changes for the first.
  const auto first = [](Op op, Op other) {
    const Flow a{.source = 0, .destination = 1, .op = op, .bytes = 16};
    const Flow b{.source = 3, .destination = 2, .op = other, .bytes = 16};
    return duration(simulate({.ranks = 4, .flows = {a, b}}, Parameters{}, Topology::h200(4)));
  };
  EXPECT_EQ(first(Op::put, Op::load) - first(Op::put, Op::put), 150);
  EXPECT_EQ(first(Op::store, Op::load) - first(Op::store, Op::store), 0);
}

TEST(Simulation, LoadsInFlightBoundTheRate) {
  // One warp with one access of 512 bytes in flight: the first data after 180 cycles, the other three quanta
  // of four flits each at the shaper's rate 18 cycles later, and 37 until the warp asks again.
  Traffic small = one(Op::load, 1 << 14);
  Traffic large = one(Op::load, 3 << 14);
  for (Traffic* t : {&small, &large}) {
    t->flows[0].warps = 1;
    t->flows[0].in_flight = 1;
  }
  const double rate = slope(small, large, Parameters{}, Topology::h200(2));
  EXPECT_LE(rate, 512.0 / (180 + 18 + 37));
  EXPECT_GE(rate, 512.0 / (180 + 18 + 37 + 12));
}

TEST(Simulation, WarpsThatStartTogetherTakeTurnsAndLaterDoNot) {
  // Four warps with four accesses each, 24 cycles an access at 21.3 B/cycle. At the start the accesses of the
  // warps alternate, so that the first warp has all of its batch with the 13th of 16, and the first data of
  // its next batch comes 180 + 37 cycles later: the lane idles for 217 - 3 * 24 = 145 cycles. From then on
  // the warps are a batch apart and nothing is lost. With one access each nothing is lost at all.
  Traffic shallow = one(Op::load, 65536);
  shallow.flows[0].warps = 16;
  shallow.flows[0].in_flight = 1;
  Traffic deep = shallow;
  deep.flows[0].warps = 4;
  deep.flows[0].in_flight = 4;
  const auto cycles = [](const Traffic& t) { return duration(simulate(t, Parameters{}, Topology::h200(2))); };
  EXPECT_NEAR(static_cast<double>(cycles(deep) - cycles(shallow)), 145, 8);
  deep.flows[0].bytes *= 2;
  shallow.flows[0].bytes *= 2;
  EXPECT_NEAR(static_cast<double>(cycles(deep) - cycles(shallow)), 145, 8);
}

TEST(Simulation, AWindowIsWalkedUntilAllBytesArrived) {
  Traffic t = one(Op::put, 65536);
  t.flows[0].window = 4096;
  const auto r = simulate(t, Parameters{}, Topology::h200(2));
  EXPECT_EQ(r.flows[0].bad_bytes, 0);
}

TEST(Simulation, BurstsPause) {
  // 15 pauses of 1000 cycles between 16 bursts.
  for (const Op op : {Op::load, Op::store, Op::put}) {
    Traffic t = one(op, 16384);
    t.flows[0].burst = 1024;
    const Cycle without = duration(simulate(t, Parameters{}, Topology::h200(2)));
    t.flows[0].gap = 1000;
    const Cycle with = duration(simulate(t, Parameters{}, Topology::h200(2)));
    EXPECT_GE(with - without, op == Op::load ? 15'000 : 15'000 - 15 * 100) << name_of(op);
    // A bulk copy keeps its thread for 270 cycles first.
    EXPECT_LE(with - without, 15'000 + 15 * 280) << name_of(op);
  }
}

TEST(Simulation, ADelayShiftsBothClocksOfItsFlow) {
  for (const Op op : {Op::load, Op::store, Op::put}) {
    Traffic t = one(op, 4096);
    const FlowResult without = simulate(t, Parameters{}, Topology::h200(2)).flows[0];
    t.flows[0].delay = 777;
    const FlowResult with = simulate(t, Parameters{}, Topology::h200(2)).flows[0];
    EXPECT_EQ(with.start - without.start, 777) << name_of(op);
    EXPECT_EQ(with.stop - without.stop, 777) << name_of(op);
  }
}

TEST(Simulation, OnlyTheSeedMakesSamplesDiffer) {
  Traffic t{.ranks = 16, .flows = {}};
  for (int r = 0; r < 16; ++r)
    t.flows.push_back({.source = r, .destination = (r + 1) % 16, .op = Op::put, .bytes = 32768});
  const auto run = [&](std::uint64_t seed) {
    return simulate(t, Parameters{}, Topology::h200(), {.seed = seed});
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  EXPECT_EQ(run(0), run(0));
}

TEST(Simulation, SymmetricTrafficGivesSymmetricResults) {
  // On a full GPC the CPCs are alike, and traffic that stays inside each cannot tell them apart.
  Parameters p;
  p.hash_destination = false;
  const Topology gpc;
  Traffic t{.ranks = 18, .flows = {}};
  for (int r = 0; r < 18; ++r)
    t.flows.push_back({.source = r, .destination = (r + 6) % 18, .op = Op::put, .bytes = 65536});
  const auto result = simulate(t, p, gpc);
  for (int r = 0; r < 18; ++r) {
    const int first = r / 6 * 6 + r % 2;  // the rank of CPC 0 at the same place
    EXPECT_EQ(gpc.cpc(first), 0);
    EXPECT_EQ(duration(result, static_cast<std::size_t>(r)),
              duration(result, static_cast<std::size_t>(first)))
        << r;
  }
}

TEST(Simulation, BothDirectionsOfAPairAreAlike) {
  for (const Op op : {Op::load, Op::store, Op::put}) {
    Traffic t = one(op, 65536);
    t.flows.push_back(t.flows[0]);
    std::swap(t.flows[1].source, t.flows[1].destination);
    Parameters p;
    p.hash_destination = false;
    const auto r = simulate(t, p, Topology::h200(2));
    EXPECT_NEAR(static_cast<double>(duration(r, 0)), static_cast<double>(duration(r, 1)), 40) << name_of(op);
  }
}

TEST(Simulation, NoFlowBeatsTheMostLoadedLane) {
  // All traffic of six SMs of CPC 0 on one route: each of them gets at most a sixth of a lane.
  Parameters p;
  p.route_hash = RouteHash::fixed;
  Traffic t{.ranks = 16, .flows = {}};
  for (const auto& [s, d] :
       std::array<std::pair<int, int>, 6>{{{0, 2}, {1, 3}, {6, 4}, {7, 5}, {12, 8}, {13, 9}}})
    t.flows.push_back({.source = s, .destination = d, .op = Op::store, .bytes = 65536});
  const auto r = simulate(t, p, Topology::h200());
  Cycle last = 0;
  for (const FlowResult& f : r.flows) last = std::max(last, f.stop);
  const double total =
      6.0 * 65536 / static_cast<double>(last - p.start_cycles - Cycle{14} * p.start_cycles_per_sm);
  EXPECT_LE(total, 32.0);
  EXPECT_GE(total, 31.0);
  EXPECT_GE(r.statistics.ingress_lanes[0].utilisation, 0.5);
  EXPECT_EQ(r.statistics.ingress_lanes[1].flits, 0U);
}

TEST(Simulation, OnePlaneOffPutsAllTrafficOnTheOther) {
  Traffic t{.ranks = 16, .flows = {}};
  for (int r = 0; r < 16; ++r)
    t.flows.push_back({.source = r, .destination = (r + 1) % 16, .op = Op::load, .bytes = 16384});
  for (const Planes planes : {Planes::first, Planes::second}) {
    Parameters p;
    p.planes = planes;
    const Statistics s = simulate(t, p, Topology::h200()).statistics;
    std::array<std::uint64_t, 2> flits{};
    for (std::size_t lane = 0; lane < s.ingress_lanes.size(); ++lane)
      flits[lane / 2 % 2] += s.ingress_lanes[lane].flits;
    EXPECT_EQ(flits[planes == Planes::first ? 1 : 0], 0U);
    EXPECT_GT(flits[planes == Planes::first ? 0 : 1], 16U * 16384 / 32);
  }
}

TEST(Simulation, IllegalPlansAreRefused) {
  EXPECT_EQ(message_of([] { (void)simulate(one(Op::put, 100), Parameters{}, Topology::h200(2)); }),
            "flow 0 (put 0 -> 1): bytes = 100: it must be a multiple of 16 bytes and at least 16.");
  Traffic t = one(Op::put, 16);
  t.ranks = 16;
  EXPECT_EQ(message_of([&] { (void)simulate(t, Parameters{}, Topology::h200(8)); }),
            "ranks = 16: a cluster on this machine has 2 to 8 CTAs.");
}

}  // namespace
}  // namespace plumb::fabric

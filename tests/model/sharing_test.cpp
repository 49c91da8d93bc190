// SPDX-License-Identifier: Apache-2.0
#include "model/sharing.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "plumb/core/named_pattern.h"
#include "support.h"

namespace plumb::model {
namespace {

constexpr double kShare = 64.0 / 3.0;

/// Ranks 2t and 2t + 1 are TPC t, in CPC t mod 3; an egress block for each CPC and parity.
Places dealt(int ranks) {
  Places p;
  for (int r = 0; r < ranks; ++r) {
    p.cpc.push_back(r / 2 % 3);
    p.block.push_back(2 * (r / 2 % 3) + r % 2);
  }
  return p;
}

Shares of(const Traffic& traffic) { return share(traffic, dealt(traffic.ranks)); }

Traffic pattern(std::string_view name, Op op, int ranks, std::int64_t bytes = 65536) {
  return make_pattern(name, {.ranks = ranks}, {.op = op, .bytes = bytes});
}

TEST(Sharing, OneFlowHasTheShareOfItsSender) {
  const Shares s =
      of({.ranks = 2, .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = 65536}}});
  ASSERT_EQ(s.flows.size(), 1U);
  EXPECT_NEAR(s.flows[0].rate.value, kShare, 1e-9);
  EXPECT_NEAR(s.flows[0].cycles.value, 3072, 1e-6);
  EXPECT_EQ(s.flows[0].limit, Limit::shaper);
  EXPECT_EQ(s.flows[0].where, 0);
}

TEST(Sharing, ReadsBothWaysPayForTheirCommands) {
  for (const FlowRate& f : of(pattern("ring", Op::load, 2)).flows)
    EXPECT_NEAR(f.rate.value, kShare * 4 / 5, 1e-9);
}

TEST(Sharing, WritesBothWaysPayForAcknowledgments) {
  for (const FlowRate& f : of(pattern("ring", Op::put, 2)).flows)
    EXPECT_NEAR(f.rate.value, kShare * 22 / 23, 1e-9);
}

TEST(Sharing, TwoPayloadsInOneDirectionShareIt) {
  const Shares s = of({.ranks = 2,
                       .flows = {{.source = 1, .destination = 0, .op = Op::load, .bytes = 65536},
                                 {.source = 1, .destination = 0, .op = Op::put, .bytes = 65536}}});
  EXPECT_NEAR(s.flows[0].rate.value, kShare / 2, 1e-9);
  EXPECT_NEAR(s.flows[1].rate.value, kShare / 2, 1e-9);
}

TEST(Sharing, AnIncastFillsOneLane) {
  const Shares s = of(pattern("incast", Op::store, 4));
  for (const FlowRate& f : s.flows) {
    EXPECT_NEAR(f.rate.value, 32.0 / 3.0, 1e-9);
    EXPECT_EQ(f.limit, Limit::port);
    EXPECT_EQ(f.where, 0);
  }
}

TEST(Sharing, WhatACompleteFlowLeavesGoesToTheOthers) {
  // Half of the time at half of the share, then alone: 32 KiB and 96 KiB.
  const Shares s = of({.ranks = 3,
                       .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = 32768},
                                 {.source = 0, .destination = 2, .op = Op::put, .bytes = 98304}}});
  EXPECT_NEAR(s.flows[0].cycles.value, 32768 / (kShare / 2), 1e-6);
  EXPECT_NEAR(s.flows[1].cycles.value, 131072 / kShare, 1e-6);
  EXPECT_EQ(&s.slowest(), &s.flows[1]);
}

TEST(Sharing, ARingOfTwelveIsFasterThanTheSixOfACpcInARingOfSixteen) {
  const Shares twelve = of(pattern("ring", Op::put, 12));
  EXPECT_GT(twelve.slowest().rate.value, 20.0);
  const Shares sixteen = of(pattern("ring", Op::put, 16));
  EXPECT_EQ(sixteen.slowest().limit, Limit::ingress);
  EXPECT_NEAR(sixteen.slowest().rate.high, kShare * 24 / 25 * 1.005, 1e-6);
  EXPECT_LT(sixteen.slowest().rate.low, 16.0);
}

// In a ring of 14, CPC 0 has six SMs and the others four: they send into the slow CPC and are not slowed by
// it.
TEST(Sharing, AcknowledgmentsFromAFullCpcAreLetThrough) {
  const Shares s = of(pattern("ring", Op::put, 14));
  for (const int rank : {0, 1, 6, 7, 12, 13})
    EXPECT_LT(s.flows[static_cast<std::size_t>(rank)].rate.value, 18.5) << rank;
  for (const int rank : {5, 11}) EXPECT_GT(s.flows[static_cast<std::size_t>(rank)].rate.value, 20.0) << rank;
}

TEST(Sharing, OddPutsTakeAFifthFlit) {
  const Shares s =
      of({.ranks = 2,
          .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = 65536, .destination_skew = 32}}});
  EXPECT_NEAR(s.flows[0].rate.value, kShare * 4 / 5, 1e-9);
}

TEST(Sharing, FewLoadsInFlightAndSmallCommandsAreTheLimit) {
  const Shares loads =
      of({.ranks = 2,
          .flows = {
              {.source = 0, .destination = 1, .op = Op::load, .bytes = 65536, .warps = 1, .in_flight = 1}}});
  EXPECT_EQ(loads.flows[0].limit, Limit::in_flight);
  EXPECT_EQ(loads.flows[0].where, 1);
  const Shares puts =
      of({.ranks = 2,
          .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = 65536, .command = 1024}}});
  EXPECT_EQ(puts.flows[0].limit, Limit::command);
  EXPECT_NEAR(puts.flows[0].rate.value, 1024.0 / 93, 1e-9);
}

TEST(Sharing, SaysWhereItDoesNotApply) {
  Traffic t = pattern("ring", Op::load, 2);
  t.background.push_back({.rank = 0, .memory = Memory::dram});
  EXPECT_EQ(of(t).reason, "a stream from L2 or DRAM shares the SM's memory pipe");
  EXPECT_THROW(static_cast<void>(of(t).slowest()), std::out_of_range);
  t = pattern("ring", Op::put, 2);
  t.flows[0].burst = 4096;
  t.flows[0].gap = 100;
  EXPECT_EQ(of(t).reason, "flows that pause or start one after the other");
  t = {.ranks = 2,
       .flows = {{.source = 0, .destination = 1, .op = Op::load, .bytes = 65536, .window = 8192}}};
  EXPECT_EQ(of(t).reason, "windows of 8192 bytes are no multiple of batches of 8192: their ends drain");
}

TEST(Sharing, RefusesRanksWithoutAPlace) {
  EXPECT_EQ(test::message_of([] { static_cast<void>(share(pattern("ring", Op::put, 8), dealt(4))); }),
            "8 ranks, and places for 4 only.");
}

PLUMB_PROPERTY(Sharing, NoSmSendsMoreThanItsShareOrTakesMoreThanALane, [] {
  Traffic t{.ranks = *rc::gen::inRange(2, 17), .flows = {}};
  const int flows = *rc::gen::inRange(1, 12);
  for (int i = 0; i < flows; ++i) {
    const int from = *rc::gen::inRange(0, t.ranks);
    const int to = (from + *rc::gen::inRange(1, t.ranks)) % t.ranks;
    t.flows.push_back({.source = from, .destination = to, .op = Op::put, .bytes = 8192});
  }
  const Shares s = of(t);
  std::map<int, double> into;
  std::map<int, double> most;
  for (std::size_t i = 0; i < s.flows.size(); ++i) {
    const Expected& r = s.flows[i].rate;
    RC_ASSERT(r.low <= r.value && r.value <= r.high);
    RC_ASSERT(r.value <= kShare + 1e-9);
    into[t.flows[i].destination] += 8192;
    most[t.flows[i].destination] = std::max(most[t.flows[i].destination], s.flows[i].cycles.value);
  }
  for (const auto& [rank, bytes] : into) RC_ASSERT(bytes / most[rank] <= 32.0 + 1e-6);
});

}  // namespace
}  // namespace plumb::model

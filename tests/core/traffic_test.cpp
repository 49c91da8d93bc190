// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/traffic.h"

#include "support.h"

namespace plumb {
namespace {

using test::message_of;

Traffic one(Flow flow, int ranks = 2) { return Traffic{.ranks = ranks, .flows = {flow}}; }
Flow legal() { return Flow{.source = 0, .destination = 1, .op = Op::put, .bytes = 65536}; }

TEST(Traffic, LoadIsIssuedAndTimedWhereTheDataArrives) {
  const Flow f{.source = 3, .destination = 1, .op = Op::load, .bytes = 16};
  EXPECT_EQ(issuer(f), 1);
  EXPECT_EQ(observer(f), 1);
}

TEST(Traffic, StoreIsIssuedAndTimedAtTheSource) {
  const Flow f{.source = 3, .destination = 1, .op = Op::store, .bytes = 16};
  EXPECT_EQ(issuer(f), 3);
  EXPECT_EQ(observer(f), 3);
}

TEST(Traffic, PutIsIssuedAtTheSourceAndTimedAtTheDestination) {
  const Flow f{.source = 3, .destination = 1, .op = Op::put, .bytes = 16};
  EXPECT_EQ(issuer(f), 3);
  EXPECT_EQ(observer(f), 1);
}

TEST(Traffic, NamesGoThereAndBack) {
  for (const Op op : {Op::load, Op::store, Op::put}) EXPECT_EQ(op_from(name_of(op)), op);
  EXPECT_EQ(message_of([] { (void)op_from("get"); }),
            "unknown operation 'get'; allowed are load, store, put.");
}

TEST(Traffic, FlowsOutOfOneRankShareItsTile) {
  const Traffic t{.ranks = 3,
                  .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = 4096},
                            {.source = 0, .destination = 2, .op = Op::load, .bytes = 8192}}};
  const auto p = layout(t);
  EXPECT_EQ(p[0].source, 0);
  EXPECT_EQ(p[1].source, 0);
}

TEST(Traffic, EachStoreAndPutLandsInARegionOfItsOwnBehindTheTile) {
  const Traffic t{
      .ranks = 3,
      .flows = {{.source = 2, .destination = 1, .op = Op::load, .bytes = 16},
                {.source = 0, .destination = 2, .op = Op::put, .bytes = 1040},
                {.source = 1, .destination = 2, .op = Op::store, .bytes = 512, .destination_skew = 32}}};
  const auto p = layout(t);
  EXPECT_EQ(p[1].destination, 1024);              // behind rank 2's tile of 16 bytes, aligned to 1 KiB
  EXPECT_EQ(p[2].destination, 1024 + 2048 + 32);  // 1040 bytes take 2 KiB
}

TEST(Traffic, WarpsAreThoseThatIssueAndThoseThatWaitForPuts) {
  const Traffic t{.ranks = 2,
                  .flows = {{.source = 1, .destination = 0, .op = Op::load, .bytes = 16, .warps = 8},
                            {.source = 0, .destination = 1, .op = Op::put, .bytes = 16}}};
  EXPECT_EQ(warps_at(t, 0), 9);
  EXPECT_EQ(warps_at(t, 1), 1);
}

TEST(Traffic, LegalTrafficPasses) { EXPECT_NO_THROW(validate(one(legal()))); }

TEST(Traffic, EachMistakeIsNamedWithItsValueAndTheRule) {
  const auto fails = [](auto change) {
    Flow f = legal();
    change(f);
    return message_of([&] { validate(one(f)); });
  };
  EXPECT_EQ(fails([](Flow& f) { f.destination = 2; }),
            "flow 0 (put 0 -> 2): destination = 2: ranks go from 0 to 1.");
  EXPECT_EQ(fails([](Flow& f) { f.destination = 0; }),
            "flow 0 (put 0 -> 0): source = 0: the source and the destination must differ.");
  EXPECT_EQ(fails([](Flow& f) { f.bytes = 100; }),
            "flow 0 (put 0 -> 1): bytes = 100: it must be a multiple of 16 bytes and at least 16.");
  EXPECT_EQ(fails([](Flow& f) { f.bytes = 0; }),
            "flow 0 (put 0 -> 1): bytes = 0: it must be a multiple of 16 bytes and at least 16.");
  EXPECT_EQ(fails([](Flow& f) { f.command = 8; }),
            "flow 0 (put 0 -> 1): command = 8: it must be a multiple of 16 bytes and at least 16.");
  EXPECT_EQ(fails([](Flow& f) { f.window = 48; }),
            "flow 0 (put 0 -> 1): window = 48: it must divide bytes (65536 bytes) without a rest.");
  EXPECT_EQ(fails([](Flow& f) { f.burst = 48; }),
            "flow 0 (put 0 -> 1): burst = 48: it must divide the window (65536 bytes) without a rest.");
  EXPECT_EQ(fails([](Flow& f) { f.delay = -1; }),
            "flow 0 (put 0 -> 1): delay = -1: it counts SM cycles and cannot be negative.");
  EXPECT_EQ(fails([](Flow& f) {
              f.bytes = 1 << 20;
              f.window = 65536;
            }),
            "flow 0 (put 0 -> 1): bytes = 1048576: one mbarrier counts fewer than 1048576 bytes.");
  EXPECT_EQ(fails([](Flow& f) {
              f.op = Op::load;
              f.warps = 32;
            }),
            "flow 0 (load 0 -> 1): warps = 32: a CTA has 1 to 31 warps.");
  EXPECT_EQ(fails([](Flow& f) {
              f.op = Op::load;
              f.in_flight = 3;
            }),
            "flow 0 (load 0 -> 1): in_flight = 3: allowed are 1, 2, 4 and 8.");
}

TEST(Traffic, AClusterHasALargestSize) {
  EXPECT_EQ(message_of([] { validate(one(legal(), 17)); }),
            "ranks = 17: a cluster on this machine has 2 to 16 CTAs.");
  EXPECT_NO_THROW(validate(one(legal(), 18), 18));
  EXPECT_EQ(message_of([] { validate(Traffic{}); }), "the traffic has no flows; give at least one.");
}

TEST(Traffic, SharedMemoryAndWarpsOfARankAreLimits) {
  Traffic incast{.ranks = 4, .flows = {}};
  for (int s = 1; s < 4; ++s)
    incast.flows.push_back({.source = s, .destination = 0, .op = Op::put, .bytes = 98304});
  EXPECT_EQ(message_of([&] { validate(incast); }),
            "rank 0 needs 294912 bytes of shared memory for its tile and the regions where flows land, and "
            "has 204800; give the flows a smaller window.");
  for (Flow& f : incast.flows) f.window = 32768;
  EXPECT_NO_THROW(validate(incast));

  const Flow busy{.source = 0, .destination = 1, .op = Op::load, .bytes = 4096, .warps = 20};
  EXPECT_EQ(message_of([&] {
              validate(Traffic{.ranks = 2, .flows = {busy, busy}});
            }),
            "rank 1 needs 40 warps for its flows, and a CTA has 31; give the flows fewer warps.");
}

PLUMB_PROPERTY(Traffic, RegionsOfARankNeverOverlap, [] {
  Traffic t{.ranks = 4, .flows = {}};
  const int n = *rc::gen::inRange(1, 8);
  for (int i = 0; i < n; ++i) {
    Flow f{.source = *rc::gen::inRange(0, 4), .destination = 0, .op = *rc::gen::element(Op::store, Op::put)};
    f.destination = (f.source + *rc::gen::inRange(1, 4)) % 4;
    f.bytes = 16 * *rc::gen::inRange<std::int64_t>(1, 300);
    f.destination_skew = 16 * *rc::gen::inRange<std::int64_t>(0, 20);
    t.flows.push_back(f);
  }
  const auto p = layout(t);
  for (std::size_t a = 0; a < p.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (t.flows[a].destination != t.flows[b].destination) continue;
      const bool apart = p[a].destination + t.flows[a].bytes <= p[b].destination ||
                         p[b].destination + t.flows[b].bytes <= p[a].destination;
      RC_ASSERT(apart);
    }
  }
});

TEST(Background, ARankThatIsNotThereAndTooManyWarpsAreRefused) {
  Traffic t{.ranks = 2, .flows = {{.source = 1, .destination = 0, .op = Op::load, .bytes = 1024}}};
  t.background = {{.rank = 2, .memory = Memory::l2, .warps = 4}};
  EXPECT_EQ(test::message_of([&] { validate(t); }), "background (l2): rank = 2: ranks go from 0 to 1.");
  t.background = {{.rank = 0, .memory = Memory::dram, .warps = 32}};
  EXPECT_EQ(test::message_of([&] { validate(t); }),
            "background (dram): warps = 32: a CTA has 1 to 31 warps.");
  t.background = {{.rank = 0, .memory = Memory::shared, .warps = 24}};
  EXPECT_EQ(test::message_of([&] { validate(t); }),
            "rank 0 needs 32 warps for its flows, and a CTA has 31; give the flows fewer warps.");
  EXPECT_EQ(test::message_of([] { (void)memory_from("l3"); }),
            "unknown memory 'l3'; allowed are shared, shared-conflict, l2, dram.");
}

}  // namespace
}  // namespace plumb

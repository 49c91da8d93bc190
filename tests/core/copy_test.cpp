// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/copy.h"

#include "plumb/core/chase.h"
#include "plumb/core/stream.h"
#include "support.h"

namespace plumb {
namespace {

using test::message_of;

Copy ldgsts() { return {.bytes = 128 * 16 * 8}; }
Copy tma() { return {.path = CopyPath::tma, .threads = 32, .stages = 2, .box = {64, 16}, .bytes = 8192 * 4}; }

template <class Work, class Change>
std::string refusal(Work work, Change&& change) {
  change(work);
  return message_of([&] { validate(work); });
}

TEST(Copy, WhatIsOnItsWay) {
  const Copy two{.width = 8, .threads = 64, .stages = 4, .ctas = 3};
  EXPECT_EQ(tile_bytes(two), 512);        // 64 threads x 8 bytes
  EXPECT_EQ(flight_bytes(two), 2048);     // x 4 stages
  EXPECT_EQ(sm_flight_bytes(two), 6144);  // x 3 CTAs
  Copy box = tma();
  box.threads = 128;
  EXPECT_EQ(tile_bytes(box), 4096);            // 64 x 16 elements of 4 bytes
  EXPECT_EQ(flight_bytes(box), 4096 * 2 * 4);  // 2 stages of 4 warps
  EXPECT_EQ(box_text(box), "64x16");
}

TEST(Copy, SeveralCtasShareWhatOneMayHave) {
  // 228 KiB an SM, a KiB of each CTA's the system's and two the kernels'.
  EXPECT_EQ(shared_for(1), 225 * 1024);
  EXPECT_EQ(shared_for(2), 111 * 1024);
  EXPECT_EQ(shared_for(3), 73 * 1024);
  EXPECT_EQ(shared_for(4), 54 * 1024);
}

TEST(Copy, NamesGoThereAndBack) {
  for (const CopyPath p : {CopyPath::ldgsts, CopyPath::bulk, CopyPath::tma})
    EXPECT_EQ(copy_path_from(name_of(p)), p);
  for (const Swizzle s : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128})
    EXPECT_EQ(swizzle_from(name_of(s)), s);
  for (const Promotion p : {Promotion::none, Promotion::b64, Promotion::b128, Promotion::b256})
    EXPECT_EQ(promotion_from(name_of(p)), p);
  for (const Sharing s : {Sharing::none, Sharing::implicit, Sharing::multicast, Sharing::across})
    EXPECT_EQ(sharing_from(name_of(s)), s);
  for (const Layout l : {Layout::dense, Layout::paged}) EXPECT_EQ(layout_from(name_of(l)), l);
  EXPECT_EQ(message_of([] { (void)sharing_from("all"); }),
            "unknown sharing 'all'; allowed are none, implicit, multicast, across.");
}

TEST(Copy, EachRefusalNamesTheFieldItsValueAndWhatIsAllowed) {
  validate(ldgsts());
  validate(tma());
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.width = 12; }),
            "width = 12: cp.async moves 4, 8 or 16 bytes a thread.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.threads = 100; }),
            "threads = 100: give a multiple of 32, 1024 at most.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.stages = 3; }),
            "stages = 3: the ldgsts kernels have 1, 2, 4, 8, 12, 16.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.in_step = true, c.stages = 4; }),
            "in_step: the ldgsts kernels that meet copy 16 bytes with 8 stages or more, not 16 with 4.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.in_step = true; }),
            "in_step: only ldgsts has it; tma waits at mbarriers.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.box = {32}; }),
            "box = 32: ldgsts has none; its tile is threads x width.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.swizzle = Swizzle::b64; }),
            "swizzle, promotion: only a tensor map has them; both are none.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.from = Memory::shared; }),
            "from = shared: a copy reads l2 or dram.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.ctas = 5; }), "ctas = 5: allowed is 1 to 4 on an SM.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.bytes = 1000; }),
            "bytes = 1000: give a positive multiple of what is on its way to one CTA, 2048.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.bytes = std::int64_t{1} << 31; }),
            "bytes = 2147483648: allowed is less than 2 GiB.");
}

TEST(Copy, BoxesThatNoTensorMapTakesAreRefused) {
  EXPECT_EQ(refusal(tma(),
                    [](Copy& c) {
                      c.box = {32, 512};
                    }),
            "box = 32x512: a tensor map allows at most 256 elements along each side; make the box smaller or "
            "more of "
            "them.");
  EXPECT_EQ(refusal(tma(),
                    [](Copy& c) {
                      c.box = {30, 8};
                    }),
            "box = 30x8: its rows are 120 bytes; they must be a multiple of 16 to be aligned.");
  EXPECT_EQ(refusal(tma(),
                    [](Copy& c) {
                      c.box = {100, 7};
                    }),
            "box = 100x7: it has 2800 bytes; give a multiple of 128, so that the next one in shared memory "
            "is aligned.");
  EXPECT_EQ(refusal(tma(),
                    [](Copy& c) {
                      c.box = {32, 36}, c.swizzle = Swizzle::b128;
                    }),
            "box = 32x36: it has 4608 bytes; give a multiple of 1024, so that the next one in shared memory "
            "is aligned.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.box = {32, 0}; }), "box = 32x0: every extent is at least 1.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.box = {}; }), "box = none: tma has two or three extents.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.path = CopyPath::bulk; }), "box = 64x16: bulk has one extent.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.path = CopyPath::bulk, c.box = {262144}; }),
            "box = 262144: it has 1048576 bytes, and an mbarrier counts fewer than 1048576.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.swizzle = Swizzle::b128; }),
            "swizzle = 128B: it takes rows of at most 128 bytes; those of a box of 64x16 are 256.");
  EXPECT_EQ(
      refusal(tma(), [](Copy& c) { c.path = CopyPath::bulk, c.box = {64}, c.promotion = Promotion::b64; }),
      "promotion = 64B: only a tensor map has one; it is none.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.path = CopyPath::bulk, c.box = {64}, c.swizzle = Swizzle::b32; }),
            "swizzle = 32B: only a tensor map has one; it is none.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.width = 8; }), "width = 8: only ldgsts has one; leave it at 16.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.threads = 1024; }),
            "threads = 1024: one thread of each warp issues; give 1 to 16 warps of 32.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.stages = 17; }), "stages = 17: allowed is 1 to 16.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.threads = 512, c.stages = 8; }),
            "warps x stages = 128: a CTA has mbarriers for 64.");
}

TEST(Copy, MoreSharedMemoryThanTheCardHasIsRefused) {
  EXPECT_EQ(refusal(tma(),
                    [](Copy& c) {
                      c.box = {128, 256};
                    }),
            "2 x 131072 bytes are on their way to one CTA at once; with 1 on an SM, this card has 230400 "
            "bytes of shared "
            "memory for each. Give fewer stages or a smaller tile.");
  Copy small = ldgsts();
  EXPECT_EQ(message_of([&] { validate(small, 1024); }),
            "1 x 2048 bytes are on their way to one CTA at once; with 1 on an SM, this card has 1024 bytes "
            "of shared "
            "memory for each. Give fewer stages or a smaller tile.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.threads = 1024, c.stages = 4, c.ctas = 4; }),
            "4 x 16384 bytes are on their way to one CTA at once; with 4 on an SM, this card has 55296 bytes "
            "of shared "
            "memory for each. Give fewer stages or a smaller tile.");
}

TEST(Copy, SharingNeedsSomebodyToShareWith) {
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.sharing = Sharing::multicast; }),
            "sharing = multicast: a cluster of one CTA has nobody to share with; give 2, 4, 8 or 16.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.cluster = 3; }), "cluster = 3: allowed are 1, 2, 4, 8, 16.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.cluster = 2, c.ctas = 2; }),
            "cluster = 2: it goes with one CTA on an SM, not 2.");
  EXPECT_EQ(refusal(ldgsts(), [](Copy& c) { c.cluster = 2, c.sharing = Sharing::multicast; }),
            "sharing = multicast: cp.async has none; bulk and tma do.");
  EXPECT_EQ(refusal(tma(),
                    [](Copy& c) {
                      c.cluster = 2, c.sharing = Sharing::multicast, c.box = {8, 8, 8};
                    }),
            "sharing = multicast: Plumb measures it with bulk copies and with 2D boxes without a swizzle.");
  EXPECT_EQ(refusal(tma(), [](Copy& c) { c.cluster = 2, c.sharing = Sharing::multicast, c.threads = 64; }),
            "threads = 64: with multicast one warp issues; give 32.");
}

TEST(Stream, EachRefusalNamesTheFieldItsValueAndWhatIsAllowed) {
  validate(Stream{.bytes = kStreamStep});
  EXPECT_EQ(refusal(Stream{}, [](Stream& s) { s.bytes = 1000; }),
            "bytes = 1000: give a positive multiple of what the threads touch at once, 131072.");
  EXPECT_EQ(refusal(Stream{}, [](Stream& s) { s.op = StreamOp::copy, s.bytes = kStreamStep; }),
            "bytes = 131072: give a positive multiple of what the threads touch at once, 262144.");
  EXPECT_EQ(refusal(Stream{.bytes = kStreamStep}, [](Stream& s) { s.footprint = 1000; }),
            "footprint = 1000: give a multiple of 16384, or 0.");
  EXPECT_EQ(refusal(Stream{.bytes = kStreamStep},
                    [](Stream& s) { s.memory = Memory::shared, s.footprint = 16384; }),
            "footprint = 16384: shared memory has its own; it is 0.");
  EXPECT_EQ(refusal(Stream{}, [](Stream& s) { s.bytes = std::int64_t{1} << 31; }),
            "bytes = 2147483648: allowed is less than 2 GiB.");
  for (const StreamOp op : {StreamOp::read, StreamOp::write, StreamOp::copy})
    EXPECT_EQ(stream_op_from(name_of(op)), op);
}

TEST(Chase, EachRefusalNamesTheFieldItsValueAndWhatIsAllowed) {
  validate(Chase{});
  EXPECT_EQ(refusal(Chase{}, [](Chase& c) { c.links = 6; }),
            "links = 6: give a multiple of 4, 65536 at most.");
  EXPECT_EQ(refusal(Chase{}, [](Chase& c) { c.nodes = 0; }), "nodes = 0: allowed is 1 to 2^31 - 1.");
  EXPECT_EQ(refusal(Chase{}, [](Chase& c) { c.stride = 24; }),
            "stride = 24: give a positive multiple of 16.");
  EXPECT_EQ(refusal(Chase{}, [](Chase& c) { c.cold = true; }),
            "cold: a chain in global memory of more nodes (1) than links (64) can be.");
  EXPECT_EQ(refusal(Chase{}, [](Chase& c) { c.way = ChaseWay::shared, c.nodes = 2000; }),
            "nodes x stride = 256000: shared memory has 131072 bytes for a chain.");
  for (const ChaseWay w :
       {ChaseWay::add, ChaseWay::shared, ChaseWay::load, ChaseWay::load_l2, ChaseWay::ldgsts, ChaseWay::bulk})
    EXPECT_EQ(chase_way_from(name_of(w)), w);
}

}  // namespace
}  // namespace plumb

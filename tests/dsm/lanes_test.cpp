// SPDX-License-Identifier: Apache-2.0
#include "dsm/lanes.h"

#include <algorithm>

#include "support.h"

namespace plumb::dsm {
namespace {

/// Offsets of the lanes of one warp instruction, in accesses.
std::vector<std::uint32_t> lanes_at(const Access& a, std::size_t instruction) {
  const auto all = lane_offsets(a);
  std::vector<std::uint32_t> out(all.begin() + static_cast<std::ptrdiff_t>(instruction * kLanes),
                                 all.begin() + static_cast<std::ptrdiff_t>((instruction + 1) * kLanes));
  for (std::uint32_t& o : out) o /= static_cast<std::uint32_t>(a.width);
  return out;
}

Access words(Lanes lanes, int stride = 1, int run = 1) {
  return {.lanes = lanes, .stride = stride, .run = run, .width = 4, .bytes = 16384};
}

TEST(Lanes, StridedInstructionsFillEachOthersGaps) {
  const Access a = words(Lanes::strided, 2);
  EXPECT_EQ(lanes_at(a, 0)[1], 2U);
  EXPECT_EQ(lanes_at(a, 1)[0], 1U);
  EXPECT_EQ(lanes_at(a, 2)[0], 64U);
}

TEST(Lanes, RunsAreSideBySideAndOneStrideApart) {
  const auto lanes = lanes_at(words(Lanes::strided, 32, 8), 1);
  EXPECT_EQ(lanes[0], 8U);
  EXPECT_EQ(lanes[7], 15U);
  EXPECT_EQ(lanes[8], 40U);
}

TEST(Lanes, SwizzledLanesAreInRowsAndBanksOfTheirOwn) {
  const auto lanes = lanes_at(words(Lanes::swizzled), 5);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(lanes[lane] / 32, lane);
    EXPECT_EQ(lanes[lane] % 32, lane ^ 5U);
  }
}

TEST(Lanes, AShuffleKeepsToItsBlock) {
  auto lanes = lanes_at(words(Lanes::shuffled), 3);
  EXPECT_FALSE(std::is_sorted(lanes.begin(), lanes.end()));
  std::sort(lanes.begin(), lanes.end());
  EXPECT_EQ(lanes.front(), 96U);
  EXPECT_EQ(lanes.back(), 127U);
}

PLUMB_PROPERTY(Lanes, EveryAccessOfTheWindowIsTouchedOnceAWalk, [] {
  Access a = words(*rc::gen::element(Lanes::coalesced, Lanes::strided, Lanes::swizzled, Lanes::shuffled,
                                     Lanes::shuffled_4k));
  a.width = *rc::gen::element(4, 8, 16);
  a.bytes = window(a);
  if (a.lanes == Lanes::strided) {
    a.stride = 1 << *rc::gen::inRange(1, 6);
    a.run = std::min(a.stride / 2, 1 << *rc::gen::inRange(0, 5));
  }
  auto all = lane_offsets(a);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i)
    RC_ASSERT(all[i] == static_cast<std::uint32_t>(i) * static_cast<std::uint32_t>(a.width));
  RC_ASSERT(static_cast<std::int64_t>(all.size()) * a.width == window(a));
});

TEST(Lanes, BlocksTouchedAreCountedByHand) {
  EXPECT_EQ(blocks_touched(words(Lanes::coalesced), 128), 1.0);
  EXPECT_EQ(blocks_touched(words(Lanes::coalesced), 32), 4.0);
  EXPECT_EQ(blocks_touched(words(Lanes::strided, 4), 32), 16.0);
  EXPECT_EQ(blocks_touched(words(Lanes::strided, 32), 128), 32.0);
  EXPECT_EQ(blocks_touched(words(Lanes::strided, 32, 4), 32), 8.0);
  EXPECT_EQ(blocks_touched(words(Lanes::broadcast), 32), 1.0);
  EXPECT_EQ(blocks_touched(words(Lanes::swizzled), 32), 32.0);
}

TEST(Lanes, AnIllegalAccessIsRefused) {
  Access a = words(Lanes::strided, 2);
  a.stride = 5;
  EXPECT_EQ(test::message_of([&] { (void)lane_offsets(a); }), "stride = 5: allowed are 2, 4, 8, 16, 32.");
}

}  // namespace
}  // namespace plumb::dsm

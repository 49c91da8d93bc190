// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/topology.h"

#include "support.h"

namespace plumb::fabric {
namespace {

using test::message_of;

TEST(Topology, H200PlacesRanksTpcByTpcAcrossTheCpcs) {
  const Topology t = Topology::h200();
  ASSERT_EQ(t.ranks(), 16);
  for (int r = 0; r < 16; ++r) {
    EXPECT_EQ(t.cpc(r), r / 2 % 3) << r;
    EXPECT_EQ(t.block(r), r / 2 % 3 * 2 + r % 2) << r;
  }
}

TEST(Topology, H200EgressBlocksAreTheMeasuredOnes) {
  const Topology t = Topology::h200();
  for (const auto& block :
       std::vector<std::vector<int>>{{0, 6, 12}, {1, 7, 13}, {2, 8, 14}, {3, 9, 15}, {4, 10}, {5, 11}}) {
    for (const int r : block) EXPECT_EQ(t.block(r), t.block(block[0])) << r;
  }
  EXPECT_NE(t.block(0), t.block(1));
  EXPECT_NE(t.block(4), t.block(5));
}

TEST(Topology, H200CpcsHaveSixSixAndFourSms) {
  const Topology t = Topology::h200();
  std::array<int, 3> sms{};
  for (int r = 0; r < 16; ++r) ++sms.at(static_cast<std::size_t>(t.cpc(r)));
  EXPECT_EQ(sms, (std::array{6, 6, 4}));
}

TEST(Topology, AFullGpcHasEighteenSmsOnDifferentSlots) {
  const Topology t;
  ASSERT_EQ(t.ranks(), 18);
  std::vector<int> seen;
  for (int r = 0; r < 18; ++r) seen.push_back(t.index(r));
  std::sort(seen.begin(), seen.end());
  for (int i = 0; i < 18; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(Topology, AnotherFloorsweepingMovesTheLaterRanks) {
  // Without the first TPC of CPC 0 that CPC's second TPC takes its turn, and CPC 0 runs out first.
  const Topology t({{0, 0, 0}, {0, 0, 1}});
  ASSERT_EQ(t.ranks(), 16);
  EXPECT_EQ(t.slot(0), (Slot{0, 1, 0}));
  EXPECT_EQ(t.slot(12), (Slot{1, 2, 0}));
  EXPECT_EQ(t.slot(14), (Slot{2, 2, 0}));
}

TEST(Topology, ImpossibleGpcsAreRefusedWithTheReason) {
  EXPECT_EQ(
      message_of([] {
        Topology({{3, 0, 0}});
      }),
      "impossible GPC: there is no CPC 3 TPC 0 SM 0; a GPC has 3 CPCs of 3 TPCs of 2 SMs, counted from 0.");
  EXPECT_EQ(message_of([] { Topology({}, 19); }), "impossible GPC: 19 ranks do not fit on its 18 SMs.");
  EXPECT_EQ(message_of([] { (void)Topology::h200(17); }),
            "impossible GPC: 17 ranks do not fit on its 16 SMs.");
  EXPECT_EQ(message_of([] { Topology({}, -1); }),
            "impossible GPC: -1 ranks; at least one takes part (0 stands for all SMs).");
  EXPECT_EQ(message_of([] { (void)Topology::placed({}); }),
            "impossible GPC: every SM is fused off; at least one must be left.");
  EXPECT_EQ(message_of([] {
              (void)Topology::placed({{0, 0, 0}, {0, 0, 0}});
            }),
            "impossible GPC: ranks 0 and 1 are both on CPC 0 TPC 0 SM 0; one SM runs one rank.");
}

}  // namespace
}  // namespace plumb::fabric

// SPDX-License-Identifier: Apache-2.0
#include "model/cluster_fit.h"

#include <array>
#include <numeric>

#include "support.h"

namespace plumb::model {
namespace {

using test::message_of;

// The groups of an H200: 8 SMs, five of 16, two of 18, and four lone TPCs.
constexpr std::array kH200{8, 16, 16, 16, 16, 16, 18, 18, 2, 2, 2, 2};

// What launches on an H200 showed, one CTA an SM, for sizes 1 to 16 (docs/experiments/topology/fit.md).
TEST(ClusterFit, EverySizeAsOnAnH200) {
  constexpr std::array kClusters{132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7};
  for (int ranks = 1; ranks <= 16; ++ranks) {
    const ClusterFit fit = fit_clusters(kH200, 1, ranks);
    EXPECT_EQ(fit.clusters, kClusters[static_cast<std::size_t>(ranks) - 1]) << ranks;
    EXPECT_EQ(fit.idle_sms, 132 - ranks * fit.clusters) << ranks;
  }
}

// A cluster is never larger than the SMs of its group, though two CTAs an SM would give it places: nine CTAs
// have 16 places in the group of 8 and do not go there. 5 * 3 + 2 * 4 = 23.
TEST(ClusterFit, PlacesDoNotReplaceSms) {
  EXPECT_EQ(fit_clusters(kH200, 2, 9),
            (ClusterFit{.clusters = 23, .preferred = 0, .ctas = 207, .idle_sms = 16}));
  EXPECT_EQ(fit_clusters(kH200, 8, 4),
            (ClusterFit{.clusters = 248, .preferred = 0, .ctas = 992, .idle_sms = 8}));
}

// Eights first: 1 + 5 * 2 + 2 * 2 = 15; then twos: one in each group of 18 and each lone TPC.
TEST(ClusterFit, PreferredFirstThenWhatIsLeft) {
  EXPECT_EQ(fit_clusters(kH200, 1, 2, 8),
            (ClusterFit{.clusters = 6, .preferred = 15, .ctas = 132, .idle_sms = 0}));
}

TEST(ClusterPlan, EightsTakeASecondWaveFor132Ctas) {
  const ClusterPlan plan = plan_clusters(kH200, 1, 8, 0, 132);
  EXPECT_EQ(plan.ctas, 136);  // 17 whole clusters
  EXPECT_EQ(plan.waves, 2);
  EXPECT_EQ(plan.last_ctas, 16);
  EXPECT_DOUBLE_EQ(plan.busy, 136.0 / 264.0);
  EXPECT_EQ(plan_clusters(kH200, 1, 2, 0, 132).waves, 1);
  EXPECT_EQ(plan_clusters(kH200, 1, 8, 0, 120).waves, 1);
}

TEST(ClusterPlan, ACardWithoutRoomHasNoWaves) {
  constexpr std::array kSmall{4, 4};
  EXPECT_EQ(plan_clusters(kSmall, 2, 8, 0, 8).waves, 0);
}

TEST(ClusterFit, BadSizesAreNamed) {
  EXPECT_EQ(message_of([] { (void)fit_clusters(kH200, 0, 2); }), "0 CTAs an SM: give 1 or more.");
  EXPECT_EQ(message_of([] { (void)fit_clusters(kH200, 1, 0); }), "a cluster of 0 CTAs: give 1 or more.");
  EXPECT_EQ(message_of([] { (void)fit_clusters(kH200, 1, 4, 6); }),
            "a preferred size of 6: it must be a multiple of the fallback size, 4.");
  EXPECT_EQ(message_of([] { (void)plan_clusters(kH200, 1, 4, 0, 0); }), "a grid of 0 CTAs: give 1 or more.");
}

PLUMB_PROPERTY(ClusterFit, NothingIsPlacedTwiceAndAFallbackNeverHurts, [] {
  const auto groups = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 20)));
  const int per_sm = *rc::gen::inRange(1, 9);
  const int ranks = *rc::gen::inRange(1, 17);
  const int times = *rc::gen::inRange(1, 4);
  const ClusterFit plain = fit_clusters(groups, per_sm, ranks * times);
  const ClusterFit both = fit_clusters(groups, per_sm, ranks, ranks * times);
  const int sms = std::accumulate(groups.begin(), groups.end(), 0);
  RC_ASSERT(both.ctas == both.clusters * ranks + both.preferred * ranks * times);
  RC_ASSERT(both.ctas <= sms * per_sm);
  RC_ASSERT(both.ctas >= plain.ctas);
  RC_ASSERT(both.idle_sms <= plain.idle_sms && both.idle_sms >= 0 && plain.idle_sms <= sms);
})

}  // namespace
}  // namespace plumb::model

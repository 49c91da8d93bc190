// SPDX-License-Identifier: Apache-2.0
#include "topology/map.h"

#include <algorithm>
#include <map>
#include <set>

#include "support.h"
#include "topology/contention.h"
#include "topology/experiments.h"
#include "topology/kinship.h"
#include "topology/reach.h"
#include "topology/synthetic.h"

namespace plumb::topology {
namespace {

using test::Chip;
using test::chip_of;
using test::measure_all;

std::vector<Measurement> together(const Chip& chip, const std::vector<Experiment>& experiments) {
  std::vector<Measurement> all;
  for (const Experiment& e : experiments) {
    auto more = measure_all(chip, e);
    all.insert(all.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
  return all;
}

/// TPCs that share a GPC and a CPC in the map and in truth, or in neither.
void expect_truth(const Map& map, const Chip& chip) {
  ASSERT_EQ(map.tpcs.size(), chip.tpcs.size());
  for (std::size_t t = 0; t < map.tpcs.size(); ++t) {
    EXPECT_EQ(map.tpcs[t].sms, (std::vector<int>{static_cast<int>(2 * t), static_cast<int>(2 * t + 1)}));
    EXPECT_EQ(map.tpcs[t].lone, chip.tpcs[t].lone) << t;
    for (std::size_t u = 0; u < t; ++u) {
      EXPECT_EQ(map.tpcs[t].gpc == map.tpcs[u].gpc, chip.tpcs[t].gpc == chip.tpcs[u].gpc) << t << ' ' << u;
      if (chip.tpcs[t].gpc != chip.tpcs[u].gpc) continue;
      EXPECT_EQ(map.tpcs[t].cpc == map.tpcs[u].cpc, chip.tpcs[t].cpc == chip.tpcs[u].cpc) << t << ' ' << u;
    }
  }
}

TEST(Map, AnH200ComesBack) {
  Chip chip = chip_of({8, 8, 8, 8, 8, 8, 9, 9}, 0, 4);
  chip.die = {0, 0, 1, 0, 1, 1, 1, 0};
  chip.die_cycles = 29;
  const auto map = map_of(together(chip, experiments()));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->sms, 132);
  EXPECT_EQ(map->gpcs, 8);
  expect_truth(*map, chip);
  EXPECT_NEAR(map->partition_difference, 29, 2);
  for (std::size_t t = 0; t < map->tpcs.size(); ++t) {
    const Seat& s = map->tpcs[t];
    EXPECT_EQ(s.partition == map->tpcs[0].partition,
              chip.die[static_cast<std::size_t>(chip.tpcs[t].gpc)] == chip.die[0]);
    EXPECT_EQ(s.probability.has_value(), s.lone);
    if (!s.lone) continue;
    EXPECT_GT(*s.probability, 0.999);
    EXPECT_EQ(s.evidence.size(), 2U);
  }
  for (const Agreement& a : map->agreements) EXPECT_EQ(a.agree, a.judged) << a.what;
}

// Published for a B200: dies of 10, 10, 10, 9 and 9, 9, 9, 5 + 3 TPCs, over 300 cycles from one to the other.
TEST(Map, AB200ComesBack) {
  Chip chip = chip_of({10, 10, 10, 9, 9, 9, 9, 8}, 7, 3);
  chip.die = {0, 0, 0, 0, 1, 1, 1, 1};
  chip.die_cycles = 310;
  const auto map = map_of(together(chip, experiments()));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->sms, 148);
  expect_truth(*map, chip);
  EXPECT_NEAR(map->partition_difference, 310, 5);
}

TEST(Map, WithoutLatencyAndContentionLoneTpcsAreUndetermined) {
  const auto map = map_of(together(chip_of({4, 4}, 1, 2), {gpc()}));
  ASSERT_TRUE(map);
  int lone = 0;
  for (const Seat& s : map->tpcs) {
    EXPECT_EQ(s.cpc, -1);
    EXPECT_EQ(s.partition, -1);
    EXPECT_EQ(s.gpc < 0, s.lone);
    lone += s.lone ? 1 : 0;
  }
  EXPECT_EQ(lone, 2);
  EXPECT_TRUE(map->agreements.empty());
}

TEST(Map, MethodsThatContradictEachOtherLeaveItUndeterminedAndAreBothShown) {
  Chip chip = chip_of({6, 6, 6}, 0, 1);
  chip.moved_tpc = static_cast<int>(chip.tpcs.size()) - 1;
  chip.moved_to_gpc = 2;
  const auto map = map_of(together(chip, experiments()));
  ASSERT_TRUE(map);
  const Seat& lone = map->tpcs.back();
  ASSERT_TRUE(lone.lone);
  EXPECT_EQ(lone.gpc, -1);
  EXPECT_FALSE(lone.probability);
  ASSERT_EQ(lone.evidence.size(), 2U);
  EXPECT_EQ(lone.evidence[0].find("contention: GPC 2, "), 0U) << lone.evidence[0];
  EXPECT_EQ(lone.evidence[1].find("latency: GPC 0, "), 0U) << lone.evidence[1];
  const auto a = std::find_if(map->agreements.begin(), map->agreements.end(), [](const Agreement& x) {
    return x.what == "lone TPCs by contention and by latency";
  });
  ASSERT_NE(a, map->agreements.end());
  EXPECT_EQ(a->agree, 0);
  EXPECT_EQ(a->judged, 1);
  EXPECT_EQ(a->differences, std::vector<std::string>{"SMs 34, 35: GPC 2 by contention, GPC 0 by latency"});
}

TEST(Map, NoCensusIsNoMap) { EXPECT_FALSE(map_of({})); }

// GPCs that L2 sees alike cannot be told apart: the odds say so instead of a name.
TEST(Kinship, GpcsThatLookAlikeShareTheOdds) {
  Chip chip = chip_of({6, 6}, 0, 1);
  chip.gpc_cycles = 0.0;
  chip.cpc_cycles = 0.0;
  const auto measured = together(chip, {gpc(), l2()});
  std::optional<Reach> reach;
  for (const Measurement& m : measured)
    if (axis(m.point, "addresses") == "random") reach = reach_of(m);
  ASSERT_TRUE(reach);
  const Shapes shapes = shapes_of(*reach, groups_of(measured));
  ASSERT_EQ(shapes.lone.size(), 1U);
  for (const double p : shapes.lone[0].probability) EXPECT_LT(p, 0.99);
}

// Nor is a TPC that is like none of the known GPCs given to the one that is least unlike it.
TEST(Kinship, AGpcWithoutClustersIsLikeNone) {
  Chip chip = chip_of({6, 6, 1}, 2, 1);
  const auto measured = together(chip, {gpc(), l2()});
  const auto map = map_of(measured);
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->tpcs.back().lone);
  EXPECT_EQ(map->tpcs.back().gpc, -1);
}

TEST(Reach, OneDieHasNoSplit) {
  const Chip chip = chip_of({5, 5, 4});
  const auto measured = measure_all(chip, l2());
  for (const Measurement& m : measured) {
    const auto reach = reach_of(m);
    ASSERT_TRUE(reach);
    EXPECT_FALSE(split_of(*reach));
  }
}

TEST(Reach, ASplitSaysWhoIsNearWhat) {
  Chip chip = chip_of({5, 5});
  chip.die = {0, 1};
  chip.die_cycles = 50;
  const auto reach = reach_of(test::measure(
      chip, {.experiment = "topology/l2", .axes = {}, .work = Lookup{.addresses = 64}, .samples = 9}));
  ASSERT_TRUE(reach);
  const auto split = split_of(*reach);
  ASSERT_TRUE(split);
  for (std::size_t a = 0; a < split->near.size(); ++a) EXPECT_EQ(split->near[a], static_cast<int>(a % 2));
  EXPECT_NEAR(split->difference.value, 50, 3);
  EXPECT_LE(split->difference.low, split->difference.value);
  EXPECT_GE(split->difference.high, split->difference.value);
}

TEST(Contention, RatesThatAreAllAlikeSayNothing) {
  Chip chip = chip_of({3, 3});
  for (std::size_t t = 0; t < chip.tpcs.size(); ++t) chip.tpcs[t].cpc = static_cast<int>(t / 2);
  const Contention c = contention_of(measure_all(chip, noc()));
  EXPECT_FALSE(c.rates.empty());
  EXPECT_TRUE(c.contend.empty());
  EXPECT_EQ(c.slowed, 0.0);
  EXPECT_NEAR(c.free, 120, 1);
}

PLUMB_PROPERTY(Map, AnyChipComesBack, [] {
  const auto gpcs = *rc::gen::inRange<std::size_t>(2, 6);
  std::vector<int> sizes;
  for (std::size_t g = 0; g < gpcs; ++g) sizes.push_back(*rc::gen::inRange(3, 10));
  // A GPC with lone TPCs keeps two others at least, or it has no group that they could be found in.
  const int lone_gpc = static_cast<int>(*rc::gen::inRange<std::size_t>(0, gpcs));
  const int lone = *rc::gen::inRange(0, sizes[static_cast<std::size_t>(lone_gpc)] - 2);
  Chip chip = chip_of(sizes, lone_gpc, lone);
  chip.seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const auto map = map_of(together(chip, {gpc(), noc()}));
  RC_ASSERT(map.has_value());
  // A lone TPC without another of its CPC in a cluster slows nobody who is known: it stays undetermined.
  for (std::size_t t = 0; t < chip.tpcs.size(); ++t) {
    const bool has_known = std::any_of(chip.tpcs.begin(), chip.tpcs.end(), [&](const Chip::Tpc& other) {
      return !other.lone && other.gpc == chip.tpcs[t].gpc && other.cpc == chip.tpcs[t].cpc;
    });
    RC_ASSERT((map->tpcs[t].gpc >= 0) == has_known);
    for (std::size_t u = 0; u < t; ++u)
      if (map->tpcs[t].gpc >= 0 && map->tpcs[u].gpc >= 0)
        RC_ASSERT((map->tpcs[t].gpc == map->tpcs[u].gpc) == (chip.tpcs[t].gpc == chip.tpcs[u].gpc));
  }
})

}  // namespace
}  // namespace plumb::topology

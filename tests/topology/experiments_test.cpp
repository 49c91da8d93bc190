// SPDX-License-Identifier: Apache-2.0
#include "topology/experiments.h"

#include <algorithm>
#include <cmath>

#include "support.h"
#include "topology/synthetic.h"

namespace plumb::topology {
namespace {

using test::Chip;
using test::chip_of;
using test::measure_all;

const Finding& finding(const std::vector<Finding>& all, const std::string& name) {
  static const Finding kNone = [] {
    Finding none;
    none.value = std::nan("");
    return none;
  }();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.name == name; });
  EXPECT_NE(it, all.end()) << name;
  return it == all.end() ? kNone : *it;
}

TEST(Gpc, GroupsAndLoneTpcsAreCounted) {
  const auto found = gpc().analyze(measure_all(chip_of({4, 4, 9}, 1, 1), gpc()));
  EXPECT_EQ(finding(found, "topology/gpc/gpcs").value, 3);
  EXPECT_EQ(finding(found, "topology/gpc/tpcs").value, 17);
  EXPECT_EQ(finding(found, "topology/gpc/sms").value, 34);
  EXPECT_EQ(finding(found, "topology/gpc/lone-tpcs").value, 1);
  EXPECT_EQ(finding(found, "topology/gpc/gpc-1/sms").value, 6);
  EXPECT_EQ(finding(found, "topology/gpc/gpc-2/sms").value, 18);
  // The last TPC of all is the lone one.
  EXPECT_EQ(finding(found, "topology/gpc/lone-32/sms").notes, std::vector<std::string>{"32 33"});
}

TEST(Fit, TheSyntheticChipKeepsTheRuleAndTheFindingsSaySo) {
  const auto found = fit().analyze(measure_all(chip_of({4, 4, 9}, 1, 1), fit()));
  // Groups of 8, 6, 18 and 2 SMs: clusters of 6 are 1 + 1 + 3; clusters of 16 are 1, and 16 of 34 SMs busy.
  EXPECT_EQ(finding(found, "topology/fit/1-an-sm/6/clusters").value, 5);
  EXPECT_EQ(finding(found, "topology/fit/1-an-sm/16/clusters").value, 1);
  EXPECT_EQ(finding(found, "topology/fit/1-an-sm/16/idle").value, 18);
  EXPECT_EQ(finding(found, "topology/fit/as-the-map-says").value, 32);
  EXPECT_EQ(finding(found, "topology/fit/as-the-map-says").unit, "of 32 cases");
}

TEST(Fit, ACardThatHoldsFewerThanTheRuleIsPointedOut) {
  auto measured = measure_all(chip_of({4, 4}), fit());
  for (Measurement& m : measured) {
    if (axis(m.point, "ranks") != "4" || axis(m.point, "per_sm") != "1") continue;
    // The last cluster comes late.
    auto& arrived = m.samples["arrived_ns"];
    for (std::size_t c = arrived.size() - 4; c < arrived.size(); ++c)
      std::fill(arrived[c].begin(), arrived[c].end(), 40'000);
  }
  const auto found = fit().analyze(measured);
  const Finding& f = finding(found, "topology/fit/1-an-sm/4/clusters");
  EXPECT_EQ(f.value, 3);
  EXPECT_EQ(f.notes, (std::vector<std::string>{"the map says 4", "the driver says 4"}));
  EXPECT_EQ(finding(found, "topology/fit/as-the-driver-says").value, 31);
}

TEST(L2, LatenciesAndPartitionsAreFound) {
  Chip chip = chip_of({5, 5});
  chip.die = {0, 1};
  chip.die_cycles = 40;
  const auto found = l2().analyze(measure_all(chip, l2()));
  EXPECT_EQ(finding(found, "topology/l2/partitions").value, 2);
  EXPECT_NEAR(finding(found, "topology/l2/partition/difference").value, 40, 3);
  EXPECT_EQ(finding(found, "topology/l2/partition-0/sms").value, 10);
  EXPECT_EQ(finding(found, "topology/l2/partition-0/near").value, 50);
  EXPECT_GT(finding(found, "topology/l2/hit/min").value, 200);
}

TEST(L2, TheInterleaveIsWhereLatenciesChange) {
  Chip chip = chip_of({3, 3});
  Measurement m = test::measure(chip, {.experiment = "topology/l2",
                                       .axes = {{"addresses", std::string("stride-64")}},
                                       .work = Lookup{.addresses = 32, .stride = 64},
                                       .samples = 3});
  for (std::size_t row = 0; row < m.samples["cycles"].size(); ++row)
    for (auto& cycles : m.samples["cycles"][row]) cycles = 1000 + (row % 32 / 4 % 2 == 0 ? 0 : 80);
  const std::vector<Measurement> all{m};
  EXPECT_EQ(finding(l2().analyze(all), "topology/l2/interleave").value, 256);
}

TEST(Noc, SpeedUpsAreOverOneSm) {
  const auto found = noc().analyze(measure_all(chip_of({6, 6}), noc()));
  EXPECT_NEAR(finding(found, "topology/noc/read/tpc-of-2/speed-up").value, 2, 0.02);
  EXPECT_NEAR(finding(found, "topology/noc/write/cpc-of-6/speed-up").value, 6, 0.05);
  EXPECT_NEAR(finding(found, "topology/noc/read/group-of-12/speed-up").value, 12, 0.1);
  EXPECT_NEAR(finding(found, "topology/noc/read/all/speed-up").value, 24, 0.2);
  EXPECT_NEAR(finding(found, "topology/noc/pairs/slowed").value, 4 * 26, 0.1);
  EXPECT_EQ(finding(found, "topology/noc/pairs/sets").value, 4);
}

TEST(Experiments, NothingMeasuredIsNothingFound) {
  for (const Experiment& e : experiments()) EXPECT_TRUE(e.analyze({}).empty()) << e.name;
}

}  // namespace
}  // namespace plumb::topology

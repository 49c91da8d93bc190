// SPDX-License-Identifier: Apache-2.0
#include "infer/observed.h"

#include "support.h"

namespace plumb::infer {
namespace {

Measurement measured(const Case& point, std::vector<std::int64_t> durations,
                     std::vector<std::int64_t> smids) {
  Measurement m{.point = point, .samples = {}, .conditions = {}};
  const std::vector<std::int64_t> zeros(durations.size(), 0);
  for (const auto column : {column::start_cycles, column::start_ns}) m.samples[std::string(column)] = {zeros};
  for (const auto column : {column::stop_cycles, column::stop_ns})
    m.samples[std::string(column)] = {durations};
  m.samples[std::string(column::bad_bytes)] = {zeros};
  for (const std::int64_t smid : smids)
    m.samples[std::string(column::smid)].push_back(std::vector<std::int64_t>(durations.size(), smid));
  return m;
}

Case put_case() {
  return {
      .experiment = "dsm/pair",
      .axes = {},
      .work = Traffic{.ranks = 2, .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = 1024}}}};
}

TEST(Observed, IsTheMidmeanWithItsErrorAndSpread) {
  const auto seen = observe(std::vector{measured(put_case(), {100, 100, 101, 102, 200}, {4, 5})}, {});
  ASSERT_EQ(seen.size(), 1U);
  ASSERT_EQ(seen[0].rows.size(), 1U);
  // The middle half of five values: 100 by 0.75, 101, 102 by 0.75.
  EXPECT_NEAR(seen[0].rows[0].cycles, (0.75 * 100 + 101 + 0.75 * 102) / 2.5, 1e-9);
  // Quantiles 0.975 and 0.025 lie a tenth of a step from the ends: 190.2 and 100.
  EXPECT_NEAR(seen[0].rows[0].spread, (190.2 - 100.0) / 2, 1e-9);
  EXPECT_EQ(seen[0].family, "dsm/pair put");
  EXPECT_TRUE(seen[0].places.empty());
}

TEST(Observed, RanksSitWhereTheirSmsAreKnownToBe) {
  const Places places{{4, {.cpc = 1, .tpc = 2, .sm = 0}}, {5, {.cpc = 0, .tpc = 0, .sm = 1}}};
  const auto seen = observe(std::vector{measured(put_case(), {100}, {4, 5})}, places);
  EXPECT_EQ(seen[0].places,
            (std::vector<fabric::Slot>{{.cpc = 1, .tpc = 2, .sm = 0}, {.cpc = 0, .tpc = 0, .sm = 1}}));
  EXPECT_TRUE(observe(std::vector{measured(put_case(), {100}, {4, 6})}, places)[0].places.empty())
      << "one SM is not known";
}

TEST(Observed, WhatTheFabricDoesNotModelIsLeftOutAndNamed) {
  Case c = put_case();
  c.site.clusters = 0;
  EXPECT_EQ(not_modelled(c), "several clusters at once");
  c = put_case();
  traffic_of(c).background.push_back({.rank = 0});
  EXPECT_EQ(not_modelled(c), "traffic beside a background");
  c.work = Access{};
  EXPECT_EQ(not_modelled(c), "single forms of access");
  c.work = Probe{.op = ProbeOp::store};
  EXPECT_EQ(not_modelled(c), "hand-offs and barriers, which contain what threads do");
  EXPECT_TRUE(observe(std::vector{measured(c, {100}, {4, 5})}, {}).empty());
  c.work = Probe{.op = ProbeOp::load};
  EXPECT_EQ(not_modelled(c), "");
}

TEST(Observed, AFamilyIsTheExperimentAndTheOperationsThatItMixes) {
  Case c = put_case();
  traffic_of(c).flows.push_back({.source = 1, .destination = 0, .op = Op::load, .bytes = 1024});
  EXPECT_EQ(family_of(c), "dsm/pair load+put");
  c.work = Probe{};
  EXPECT_EQ(family_of(c), "dsm/pair");
}

TEST(Places, AreEmptyWithoutATomography) { EXPECT_TRUE(places_in({}).empty()); }

}  // namespace
}  // namespace plumb::infer

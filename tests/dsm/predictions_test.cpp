// SPDX-License-Identifier: Apache-2.0
#include "dsm/predictions.h"

#include <gtest/gtest.h>

#include "plumb/core/named_pattern.h"

namespace plumb::dsm {
namespace {

Measurement measurement(const Traffic& traffic, const Site& site = {}) {
  return {.point = {.experiment = "dsm/pair",
                    .axes = {{"op", "put"}},
                    .work = traffic,
                    .samples = 1,
                    .site = site},
          .samples = {},
          .conditions = {}};
}

Finding finding(const Measurement& m, const std::string& name, double value,
                const std::string& unit = "B/cycle") {
  return {.name = name,
          .value = value,
          .low = value,
          .high = value,
          .unit = unit,
          .estimator = "steady",
          .cases = {id_of(m.point)},
          .notes = {}};
}

Prediction one(const Measurement& m, const Finding& f) {
  const auto all = predictions(std::vector{f}, std::vector{m}, places_of({}));
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? Prediction{} : all.front();
}

const Traffic kTwoWay = make_pattern("ring", {.ranks = 2}, {.op = Op::load, .bytes = 65536});

TEST(Predictions, TheRateOfASeriesIsThatOfItsSlowestFlow) {
  const Measurement m = measurement(kTwoWay);
  const Prediction p = one(m, finding(m, "dsm/pair/load/two-way/8x2/rate", 17.0));
  ASSERT_TRUE(p.expected);
  EXPECT_NEAR(p.expected->value, 64.0 / 3 * 4 / 5, 1e-9);
  EXPECT_NEAR(p.deviation().value(), 64.0 / 3 * 4 / 5 / 17.0 - 1, 1e-9);
  EXPECT_EQ(p.text, "shaper");
}

TEST(Predictions, FlowsAndTotalsAreFoundByName) {
  const Measurement m = measurement(kTwoWay);
  EXPECT_NEAR(one(m, finding(m, "dsm/pair/load/two-way/8x2/1-load-1to0/rate", 17)).expected->value, 17.0667,
              1e-3);
  EXPECT_NEAR(one(m, finding(m, "dsm/pair/load/two-way/8x2/total", 34)).expected->value, 34.1333, 1e-3);
  EXPECT_EQ(one(m, finding(m, "dsm/pair/load/two-way/8x2/2-load-1to0/rate", 17)).text,
            "its flow is not in the plan");
}

// 16 KiB at 21.333 B/cycle are 768 cycles.
TEST(Predictions, TimesHoldTheStartAsWell) {
  const Measurement m =
      measurement({.ranks = 2, .flows = {{.source = 1, .destination = 0, .op = Op::put, .bytes = 16384}}});
  const Prediction p = one(m, finding(m, "dsm/burst/single/put/16384/time", 1055, "cycles"));
  ASSERT_TRUE(p.expected);
  EXPECT_NEAR(p.expected->value, 768 + 295 + 12, 1e-6);
  EXPECT_TRUE(p.agrees());
}

TEST(Predictions, IntervalsThatAreApartDoNotAgree) {
  const Measurement m = measurement(kTwoWay);
  EXPECT_FALSE(one(m, finding(m, "dsm/pair/load/two-way/8x2/rate", 15.37)).agrees());
}

TEST(Predictions, WhereNoFormAppliesTheReasonIsThere) {
  const Measurement several = measurement(kTwoWay, {.clusters = 0});
  EXPECT_EQ(one(several, finding(several, "a/b/rate", 1)).text,
            "which ranks of the other clusters share a CPC is not known");
  const Measurement incast =
      measurement(make_pattern("incast", {.ranks = 4}, {.op = Op::put, .bytes = 65536}));
  EXPECT_TRUE(one(incast, finding(incast, "dsm/incast/put/3/rate", 10.69)).expected);
  EXPECT_EQ(one(incast, finding(incast, "dsm/incast/put/3/total", 37.36)).text,
            "flows on one way are served unequally; only the time of the last is predicted");
  Measurement probe = measurement(kTwoWay);
  probe.point.work = Probe{};
  EXPECT_EQ(one(probe, finding(probe, "a/b/rate", 1)).text, "the work is no plan of flows");
}

TEST(Predictions, OfClustersTheRateIsTheMedianFlow) {
  const Measurement m = measurement(make_pattern("ring", {.ranks = 16}, {.op = Op::put, .bytes = 65536}));
  const std::vector<Finding> findings{finding(m, "dsm/whole-chip/put/16/alone/rate", 19),
                                      finding(m, "dsm/whole-chip/put/16/alone/slowest-flow", 17.7),
                                      finding(m, "dsm/whole-chip/put/16/alone/fastest-flow", 20.4)};
  const auto all = predictions(findings, std::vector{m}, places_of({}));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_LE(all[1].expected->value, all[0].expected->value);
  EXPECT_LT(all[1].expected->value, all[2].expected->value);
}

TEST(Predictions, OtherFindingsAreLeftOut) {
  const Measurement m = measurement(kTwoWay);
  EXPECT_TRUE(predictions(std::vector{finding(m, "a/b/rmse", 1, "%"), finding(m, "a/b/rate-ns", 1, "GB/s"),
                                      finding(m, "a/b/intercept", 1, "cycles")},
                          std::vector{m}, places_of({}))
                  .empty());
}

// TPCs are dealt across the CPCs in turn; the one of ranks 0, 1, 6, 7 lacks a TPC.
TEST(Predictions, PlacesAreDealtWhereNothingWasFound) {
  const model::Places p = places_of({});
  ASSERT_EQ(p.cpc.size(), 16U);
  EXPECT_EQ(p.cpc[0], p.cpc[7]);
  EXPECT_NE(p.cpc[0], p.cpc[2]);
  EXPECT_EQ(p.cpc[2], p.cpc[9]);
  EXPECT_EQ(p.block[2], p.block[8]);
  EXPECT_NE(p.block[2], p.block[3]);
}

TEST(Predictions, PlacesAreThoseOfTheTomography) {
  std::vector<Finding> found;
  for (const char* name : {"cpc/0-1-6-7-12-13", "cpc/2-3-8-9-14-15", "cpc/4-5-10-11", "block/0-6-12",
                           "block/1-7-13", "block/2-8-14", "block/3-9-15", "block/4-10", "block/5-11"})
    found.push_back({.name = std::string("dsm/tomography/") + name + "/confidence",
                     .value = 100,
                     .low = 100,
                     .high = 100,
                     .unit = "%",
                     .estimator = "posterior",
                     .cases = {},
                     .notes = {}});
  const model::Places p = places_of(found);
  EXPECT_EQ(p.cpc[0], p.cpc[12]);
  EXPECT_EQ(p.cpc[4], p.cpc[11]);
  EXPECT_EQ(p.block[0], p.block[12]);
  EXPECT_NE(p.block[0], p.block[1]);
  found.pop_back();
  EXPECT_EQ(places_of(found).cpc, places_of({}).cpc) << "an answer that leaves ranks out is none";
}

}  // namespace
}  // namespace plumb::dsm

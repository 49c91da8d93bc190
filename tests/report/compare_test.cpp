// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include "support.h"

namespace plumb::report {
namespace {

using test::message_of;

constexpr double kTolerance = 0.01;

Finding finding(const std::string& name, double low, double value, double high,
                const std::string& unit = "B/cycle", std::vector<std::string> cases = {"case"}) {
  return {.name = name,
          .value = value,
          .low = low,
          .high = high,
          .unit = unit,
          .estimator = "steady",
          .cases = std::move(cases),
          .notes = {}};
}

const Provenance kCard{.backend = "cuda",
                       .tool_version = "1",
                       .tool_commit = "a",
                       .command_line = {},
                       .date = {},
                       .gpu_name = "GPU",
                       .gpu_uuid_hash = "1",
                       .compute_capability = "9.0",
                       .driver_version = "580",
                       .cuda_version = "13.0",
                       .clocks_mhz = {},
                       .ecc = "on"};

Provenance other_card() {
  Provenance p = kCard;
  p.gpu_uuid_hash = "2";
  return p;
}

Compared one(const std::vector<Finding>& a, const std::vector<Finding>& b) {
  const Comparison c = compare(a, kCard, b, other_card(), kTolerance);
  EXPECT_EQ(c.rows.size(), 1U);
  return c.rows.front();
}

TEST(Compare, MoreBytesACycleIsFasterAndMoreCyclesSlower) {
  EXPECT_EQ(one({finding("a/rate", 19.9, 20, 20.1)}, {finding("a/rate", 20.9, 21, 21.1)}).verdict,
            Verdict::faster);
  EXPECT_EQ(
      one({finding("a/time", 99, 100, 101, "cycles")}, {finding("a/time", 109, 110, 111, "cycles")}).verdict,
      Verdict::slower);
  EXPECT_EQ(one({finding("topology/fit/1-an-sm/8/idle", 4, 4, 4, "SMs")},
                {finding("topology/fit/1-an-sm/8/idle", 12, 12, 12, "SMs")})
                .verdict,
            Verdict::slower);
}

// 100 against 110 cycles: the second needs a tenth more time, so its speed is 100 / 110 of the first's: -9.1
// %.
TEST(Compare, GainIsOfSpeed) {
  EXPECT_NEAR(
      one({finding("a/time", 99, 100, 101, "cycles")}, {finding("a/time", 109, 110, 111, "cycles")}).gain(),
      100.0 / 110 - 1, 1e-12);
  EXPECT_NEAR(one({finding("a/rate", 20, 20, 20)}, {finding("a/rate", 22, 22, 22)}).gain(), 0.1, 1e-12);
}

TEST(Compare, WithinTheToleranceIsTheSameEvenWhereIntervalsAreApart) {
  EXPECT_EQ(one({finding("a/rate", 20.00, 20.00, 20.00)}, {finding("a/rate", 20.19, 20.19, 20.19)}).verdict,
            Verdict::same);
}

TEST(Compare, OverlappingIntervalsAreTheSameWhereNarrowAndAmbiguousWhereWide) {
  EXPECT_EQ(one({finding("a/rate", 19, 20, 22)}, {finding("a/rate", 20, 21, 23)}).verdict,
            Verdict::ambiguous);
  EXPECT_EQ(one({finding("a/rate", 20.00, 20.00, 20.19)}, {finding("a/rate", 20.19, 20.21, 20.22)}).verdict,
            Verdict::same);
}

TEST(Compare, TimeMustConfirmWhatCyclesSay) {
  const std::vector<Finding> a{finding("a/rate", 20, 20, 20), finding("a/rate-ns", 40, 40, 40, "GB/s")};
  const Compared both = one(a, {finding("a/rate", 22, 22, 22), finding("a/rate-ns", 44, 44, 44, "GB/s")});
  EXPECT_EQ(both.verdict, Verdict::faster);
  EXPECT_EQ(both.why, "in cycles and in time");
  // A tenth more bytes in a cycle, at a clock that is a tenth slower.
  const Compared clock = one(a, {finding("a/rate", 22, 22, 22), finding("a/rate-ns", 40, 40, 40, "GB/s")});
  EXPECT_EQ(clock.verdict, Verdict::ambiguous);
  EXPECT_EQ(clock.why, "faster in cycles, +0.0 % in time");
  const Compared slow_clock =
      one(a, {finding("a/rate", 20, 20, 20), finding("a/rate-ns", 36, 36, 36, "GB/s")});
  EXPECT_EQ(slow_clock.verdict, Verdict::ambiguous);
  EXPECT_EQ(slow_clock.why, "the same in cycles, -10.0 % in time: the clock differs");
}

TEST(Compare, LossesComeFirstThenWinsThenTheRest) {
  const auto c = compare(std::vector{finding("a/rate", 10, 10, 10), finding("b/rate", 10, 10, 10),
                                     finding("c/rate", 10, 10, 10), finding("d/rate", 10, 10, 10)},
                         kCard,
                         std::vector{finding("a/rate", 10, 10, 10), finding("b/rate", 12, 12, 12),
                                     finding("c/rate", 9, 9, 9), finding("d/rate", 7, 7, 7)},
                         other_card(), kTolerance);
  std::string order;
  for (const Compared& r : c.rows) order += r.name[0];
  EXPECT_EQ(order, "dcba");
}

TEST(Compare, WhatHasNoBetterIsNotJudged) {
  for (const char* name : {"dsm/latency/load/leg/7", "a/intercept", "a/asymmetry", "a/residual-rms",
                           "topology/l2/partition/difference"})
    EXPECT_EQ(better_of(finding(name, 1, 1, 1, "cycles")), Better::neither) << name;
  EXPECT_EQ(better_of(finding("a/rmse", 1, 1, 1, "%")), Better::neither);
  EXPECT_EQ(better_of(finding("topology/noc/lone-126/own-port", -8, -7, -6)), Better::neither);
}

TEST(Compare, RefusesWithAReason) {
  Provenance sim = kCard;
  sim.backend = "sim";
  const std::vector a{finding("a/rate", 1, 1, 1)};
  EXPECT_NE(message_of([&] {
              (void)compare(a, kCard, a, sim, kTolerance);
            }).find("a model is not a card. `plumb analyze FILE --beside OTHER`"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)compare(a, kCard, std::vector{finding("b/rate", 1, 1, 1)}, kCard, kTolerance);
            }).find("no finding in common"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)compare(a, kCard, std::vector{finding("a/rate", 1, 1, 1, "B/cycle", {"another"})}, kCard,
                            kTolerance);
            }).find("was one a --quick run?"),
            std::string::npos);
}

TEST(Compare, ToldWhatElseDiffers) {
  const std::vector a{finding("a/rate", 1, 1, 1)};
  Provenance p = other_card();
  p.driver_version = "570";
  p.gpu_name = "Other";
  const Comparison c = compare(a, kCard, a, p, kTolerance);
  EXPECT_EQ(c.notes, (std::vector<std::string>{"GPU: GPU and Other", "driver: 580 and 570"}));
  EXPECT_EQ(compare(a, kCard, a, kCard, kTolerance).notes,
            std::vector<std::string>{"both are of the same card"});
}

TEST(Compare, FloorPlansThatDifferAreTold) {
  const auto map = [](std::vector<topology::Seat> seats, int gpcs, int sms) {
    return topology::Map{.tpcs = std::move(seats), .gpcs = gpcs, .sms = sms, .methods = {}, .agreements = {}};
  };
  const auto seat = [](int first, int gpc, bool lone = false) {
    topology::Seat s;
    s.sms = {first, first + 1};
    s.gpc = gpc;
    s.partition = 0;
    s.lone = lone;
    return s;
  };
  const auto a = map({seat(0, 0), seat(2, 0), seat(4, 1)}, 2, 6);
  EXPECT_TRUE(differences(a, a).empty());
  const auto b = map({seat(0, 0), seat(2, 1, true), seat(4, 1)}, 2, 6);
  EXPECT_EQ(differences(a, b), (std::vector<std::string>{"0 lone TPCs and 1", "2 SMs are in another GPC"}));
}

TEST(Compare, TheTableSumsUp) {
  const auto c = compare(std::vector{finding("a/rate", 10, 10, 10), finding("b/rate", 10, 10, 10)}, kCard,
                         std::vector{finding("a/rate", 9, 9, 9), finding("b/rate", 10, 10, 10)}, other_card(),
                         kTolerance);
  EXPECT_EQ(compare_table(c, false, false),
            "finding     unit  first  second  better by %  verdict\n"
            "a/rate   B/cycle     10       9       -10.00  slower: in cycles alone\n"
            "2 findings: 1 same, 0 faster, 1 slower, 0 ambiguous\n");
}

PLUMB_PROPERTY(Compare, ARecordingIsTheSameAsItself, [] {
  const double value = *rc::gen::inRange(1, 10000) / 10.0;
  const double width = *rc::gen::inRange(0, 1000) / 100.0;
  const std::vector a{finding("a/rate", value - width, value, value + width)};
  RC_ASSERT(compare(a, kCard, a, kCard, kTolerance).rows.front().verdict == Verdict::same);
});

PLUMB_PROPERTY(Compare, TheOtherWayRoundIsTheOpposite, [] {
  const auto any = [] {
    const double value = *rc::gen::inRange(10, 100);
    const double width = *rc::gen::inRange(0, 10);
    return std::vector{finding("a/rate", value - width, value, value + width)};
  };
  const auto a = any();
  const auto b = any();
  const Verdict there = compare(a, kCard, b, kCard, 0.0).rows.front().verdict;
  const Verdict back = compare(b, kCard, a, kCard, 0.0).rows.front().verdict;
  const Verdict opposite = there == Verdict::faster   ? Verdict::slower
                           : there == Verdict::slower ? Verdict::faster
                                                      : there;
  RC_ASSERT(back == opposite);
});

}  // namespace
}  // namespace plumb::report

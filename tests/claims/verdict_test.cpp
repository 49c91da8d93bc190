// SPDX-License-Identifier: Apache-2.0
#include "claims/verdict.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support.h"

namespace plumb::claims {
namespace {

Finding finding(const std::string& name, double value, double half = 0.1,
                const std::string& estimator = "steady") {
  return {.name = name,
          .value = value,
          .low = value - half,
          .high = value + half,
          .unit = "B/cycle",
          .estimator = estimator,
          .cases = {},
          .notes = {}};
}

Claim claim(double low, double high) {
  Claim c;
  c.id = "x";
  c.hardware = "NVIDIA H200";
  c.value = (low + high) / 2;
  c.low = low;
  c.high = high;
  c.findings = {"dsm/pair/put/one-way/rate"};
  return c;
}

std::vector<Measured> h200(std::vector<Finding> findings) {
  return {{.gpu = "NVIDIA H200", .findings = std::move(findings)}};
}

TEST(Verdict, IntervalsThatTouchReproduceAClaim) {
  EXPECT_EQ(judge(claim(21, 22), h200({finding("dsm/pair/put/one-way/rate", 21.3)})).verdict,
            Verdict::reproduced);
  EXPECT_EQ(judge(claim(21, 22), h200({finding("dsm/pair/put/one-way/rate", 22.05)})).verdict,
            Verdict::reproduced);
}

TEST(Verdict, ADifferenceSaysHowMuch) {
  const Judged j = judge(claim(20, 20), h200({finding("dsm/pair/put/one-way/rate", 25)}));
  EXPECT_EQ(j.verdict, Verdict::differs);
  EXPECT_DOUBLE_EQ(j.off_percent, 25.0);
  Claim range = claim(10, 20);
  range.shown = "10..20";
  EXPECT_DOUBLE_EQ(judge(range, h200({finding("dsm/pair/put/one-way/rate", 25)})).off_percent, 25.0);
}

TEST(Verdict, AnotherCardIsNotComparedButShown) {
  std::vector<Measured> measured = h200({finding("dsm/pair/put/one-way/rate", 21.3)});
  Claim c = claim(30, 40);
  c.hardware = "NVIDIA B200";
  const Judged j = judge(c, measured);
  EXPECT_EQ(j.verdict, Verdict::other_hardware);
  ASSERT_TRUE(j.number);
  EXPECT_EQ(j.number->gpu, "NVIDIA H200");
}

TEST(Verdict, WithoutAFindingNothingIsMeasured) {
  EXPECT_EQ(judge(claim(1, 2), h200({finding("dsm/pair/load/rate", 1.5)})).verdict, Verdict::not_measured);
  Claim c = claim(1, 2);
  c.findings.clear();
  EXPECT_EQ(judge(c, h200({finding("dsm/pair/put/one-way/rate", 1.5)})).verdict, Verdict::not_measured);
}

TEST(Verdict, ASourceWithTwoNumbersContradictsItselfWhateverIsMeasured) {
  Claim c = claim(21, 22);
  c.other = 3;
  EXPECT_EQ(judge(c, h200({finding("dsm/pair/put/one-way/rate", 21.3)})).verdict,
            Verdict::contradicts_itself);
}

TEST(Verdict, OfSeveralRecordingsTheFirstOfTheRightHardwareCounts) {
  const std::vector<Measured> measured{
      {.gpu = "NVIDIA H100", .findings = {finding("dsm/pair/put/one-way/rate", 1)}},
      {.gpu = "NVIDIA H200", .findings = {finding("dsm/pair/put/one-way/rate", 2)}},
      {.gpu = "NVIDIA H200", .findings = {finding("dsm/pair/put/one-way/rate", 3)}}};
  EXPECT_DOUBLE_EQ(judge(claim(2, 2), measured).number->value, 2);
}

TEST(Verdict, TheBetterEstimatorCountsUnlessTheClaimNamesOne) {
  const auto measured = h200({finding("dsm/pair/put/one-way/rate", 10, 0.1, "published"),
                              finding("dsm/pair/put/one-way/rate", 20, 0.1, "steady")});
  Claim c = claim(20, 20);
  EXPECT_DOUBLE_EQ(judge(c, measured).number->value, 20);
  c.estimator = "published";
  EXPECT_DOUBLE_EQ(judge(c, measured).number->value, 10);
}

TEST(Verdict, SeveralFindingsBecomeOneNumber) {
  const auto measured = h200({finding("a/b/1", 10, 1), finding("a/b/2", 12, 1), finding("a/b/4", 20, 1)});
  Claim c = claim(0, 0);
  c.findings = {"a/b/*"};
  const auto value = [&](Take take) {
    c.take = take;
    return judge(c, measured).number->value;
  };
  EXPECT_DOUBLE_EQ(value(Take::median), 12);
  EXPECT_DOUBLE_EQ(value(Take::min), 10);
  EXPECT_DOUBLE_EQ(value(Take::max), 20);
  EXPECT_DOUBLE_EQ(value(Take::sum), 42);
  EXPECT_DOUBLE_EQ(value(Take::spread), 100);
  c.scale = 0.5;
  EXPECT_DOUBLE_EQ(value(Take::max), 10);
  c.scale = 1;
  c.findings = {"a/b/1", "a/b/4"};
  EXPECT_DOUBLE_EQ(value(Take::ratio), 0.5);
  EXPECT_DOUBLE_EQ(value(Take::loss), 50);
  // 10 % and 5 % in quadrature.
  c.take = Take::ratio;
  EXPECT_NEAR(judge(c, measured).number->high, 0.5 * (1 + std::hypot(0.1, 0.05)), 1e-12);
}

TEST(Verdict, HardwareIsToldByItsWords) {
  EXPECT_TRUE(is_of("NVIDIA H200", "NVIDIA H200"));
  EXPECT_TRUE(is_of("NVIDIA H200 NVL", "NVIDIA H200"));
  EXPECT_TRUE(is_of("h200", "NVIDIA H200"));
  EXPECT_TRUE(is_of("NVIDIA H200", ""));
  EXPECT_FALSE(is_of("NVIDIA H200", "NVIDIA B200"));
  EXPECT_FALSE(is_of("NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe"));
  EXPECT_FALSE(is_of("", "NVIDIA H200"));
}

TEST(Verdict, TheExperimentsAreThoseOfTheFindings) {
  Claim a = claim(1, 2);
  Claim b = claim(1, 2);
  b.findings = {"topology/l2/hit/median", "dsm/pair/*"};
  EXPECT_EQ(experiments_of(std::vector{a, b}), (std::vector<std::string>{"dsm/pair", "topology/l2"}));
}

PLUMB_PROPERTY(Verdict, DiffersOnlyWhereTheIntervalsAreApart, [] {
  const double value = *rc::gen::inRange(1, 1000) / 10.0;
  const double half = *rc::gen::inRange(0, 50) / 10.0;
  const double low = *rc::gen::inRange(1, 1000) / 10.0;
  const double high = low + *rc::gen::inRange(0, 100) / 10.0;
  const Judged j = judge(claim(low, high), h200({finding("dsm/pair/put/one-way/rate", value, half)}));
  RC_ASSERT((j.verdict == Verdict::differs) == (value + half < low || value - half > high));
});

}  // namespace
}  // namespace plumb::claims

// SPDX-License-Identifier: Apache-2.0
#include "stats/line.h"

#include <random>
#include <stdexcept>

#include "support.h"

namespace plumb::stats {
namespace {

/// Samples of a + b x at the sizes of the DSM experiments, with normal noise.
Series planted(double intercept, double slope, double sigma, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 1);
  Series s;
  for (int kib = 16; kib <= 96; kib += 8) {
    s.x.push_back(kib * 1024.0);
    s.samples.emplace_back();
    for (int i = 0; i < 30; ++i)
      s.samples.back().push_back(intercept + slope * s.x.back() + sigma * noise(random));
  }
  return s;
}

TEST(Line, ThroughThreePointsByHand) {
  // Least squares of (0,1) (1,2) (2,6): slope 5/2, intercept 1/2; residuals 1/2 -1 1/2, rise 5.
  const Line line = fit_line(std::vector<double>{0, 1, 2}, std::vector<double>{1, 2, 6});
  EXPECT_DOUBLE_EQ(line.slope, 2.5);
  EXPECT_DOUBLE_EQ(line.intercept, 0.5);
  EXPECT_NEAR(line.rmse_percent, 100 * std::sqrt(1.5 / 3) / 5, 1e-12);
}

TEST(Line, NeedsTwoDistinctPlaces) {
  EXPECT_THROW((void)fit_line(std::vector<double>{1}, std::vector<double>{1}), std::invalid_argument);
  EXPECT_THROW((void)fit_line(std::vector<double>{1, 1}, std::vector<double>{1, 2}), std::invalid_argument);
}

TEST(Line, AStraightSeriesIsSteadyFromTheStart) {
  const Region region = linear_region(planted(600, 3.0 / 64, 2.0, 1), Center::midmean, 1);
  EXPECT_TRUE(region.linear);
  EXPECT_EQ(region.first, 0U);
}

TEST(Line, HiddenTransferAtSmallSizesIsLeftOut) {
  Series s = planted(600, 3.0 / 64, 2.0, 2);
  for (double& v : s.samples[0]) v += 100;  // fixed costs hide the transfer: 24.5 B/cycle below 32 KiB
  for (double& v : s.samples[1]) v += 50;
  const Region region = linear_region(s, Center::midmean, 1);
  EXPECT_TRUE(region.linear);
  EXPECT_EQ(region.first, 2U);
  EXPECT_NEAR(estimate_line(s, region.first, Center::midmean, 1).rate.value, 64.0 / 3, 0.03);
  EXPECT_GT(estimate_line(s, 0, Center::median, 1).rate.value, 21.5) << "the published fit reads high";
}

TEST(Line, ASawtoothIsNotSteadyAnywhere) {
  Series s = planted(600, 3.0 / 64, 1.0, 3);
  for (std::size_t i = 0; i < s.samples.size(); i += 2)
    for (double& v : s.samples[i]) v += 100;
  const Region region = linear_region(s, Center::midmean, 1);
  EXPECT_FALSE(region.linear);
  EXPECT_EQ(region.first, s.x.size() - 6);
}

TEST(Line, ExactRepeatsAreAcceptedAndGiveAnIntervalOfNoWidth) {
  const Series s = planted(600, 3.0 / 64, 0.0, 4);
  EXPECT_TRUE(linear_region(s, Center::midmean, 1).linear);
  const LineEstimate e = estimate_line(s, 0, Center::median, 1);
  EXPECT_NEAR(e.rate.value, 64.0 / 3, 1e-9);
  EXPECT_NEAR(e.rate.high - e.rate.low, 0, 1e-9);
  EXPECT_NEAR(e.intercept.value, 600, 1e-6);
}

TEST(Line, TheIntervalHoldsTheTruthAboutNineteenTimesInTwenty) {
  int held = 0;
  constexpr int kTrials = 200;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const LineEstimate e = estimate_line(planted(600, 3.0 / 64, 8.0, 100 + trial), 0, Center::median, trial);
    held += e.rate.low <= 64.0 / 3 && 64.0 / 3 <= e.rate.high ? 1 : 0;
  }
  EXPECT_GE(held, 180);  // 95 % of 200 is 190; six standard deviations are 18
}

TEST(Line, MedianIntervalOfAlternatingValues) {
  const Estimate e = estimate_median(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1);
  EXPECT_EQ(e.value, 5);
  EXPECT_LE(e.low, 4);
  EXPECT_GE(e.high, 6);
}

PLUMB_PROPERTY(Line, RecoversAPlantedLine, [] {
  const double intercept = *rc::gen::inRange(0, 5000);
  const double rate = *rc::gen::inRange(50, 400) / 10.0;
  const Series s = planted(intercept, 1 / rate, 1.0, *rc::gen::arbitrary<std::uint64_t>());
  const LineEstimate e = estimate_line(s, 0, Center::median, 1);
  RC_ASSERT(std::abs(e.rate.value / rate - 1) < 0.005);
  RC_ASSERT(e.rate.low <= e.rate.value && e.rate.value <= e.rate.high);
});

}  // namespace
}  // namespace plumb::stats

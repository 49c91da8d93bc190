// SPDX-License-Identifier: Apache-2.0
#include "stats/describe.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "support.h"

namespace plumb::stats {
namespace {

using Values = std::vector<double>;

TEST(Describe, NothingHasNoMedian) {
  EXPECT_THROW((void)median(Values{}), std::invalid_argument);
  EXPECT_THROW((void)quantile(Values{1.0}, 1.5), std::invalid_argument);
  EXPECT_THROW((void)quantile(Values{1.0}, std::nan("")), std::invalid_argument);
}

TEST(Describe, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(Values{7}), 7);
  EXPECT_EQ(median(Values{9, 1, 4}), 4);
  EXPECT_EQ(median(Values{4, 1, 9, 2}), 3);
}

TEST(Describe, QuantileInterpolatesBetweenOrderStatistics) {
  const Values v{10, 20, 30, 40, 50};
  EXPECT_EQ(quantile(v, 0.0), 10);
  EXPECT_EQ(quantile(v, 1.0), 50);
  EXPECT_DOUBLE_EQ(quantile(v, 0.1), 14);  // position 0.4 of 4
}

TEST(Describe, MidmeanOfTheMiddleHalfWithPartsAtTheEdges) {
  EXPECT_EQ(midmean(Values{7}), 7);
  EXPECT_EQ(midmean(Values{1, 2, 4, 1000}), 3);  // the middle two of four
  // Of six, half of the 2nd and the 5th are inside: (1 + 3 + 5 + 3.5) / 3.
  EXPECT_DOUBLE_EQ(midmean(Values{0, 2, 3, 5, 7, 99}), 12.5 / 3);
  EXPECT_THROW((void)midmean(Values{}), std::invalid_argument);
}

TEST(Describe, RobustSigmaOfKnownDeviations) {
  EXPECT_DOUBLE_EQ(robust_sigma(Values{1, 2, 3, 4, 100}), 1.4826);  // deviations 2 1 0 1 97
  EXPECT_EQ(robust_sigma(Values{5, 5, 5}), 0);
}

TEST(Describe, OneOddTickIsAnOutlierOnlyAboveTheLeastSigma) {
  const Values v{100, 100, 100, 100, 103};
  EXPECT_EQ(count_outliers(v, 5, 1.0), 0U);
  EXPECT_EQ(count_outliers(v, 5, 0.5), 1U);
}

TEST(Describe, TwoTightClustersAreTwoModes) {
  Values v;
  for (int i = 0; i < 20; ++i) v.push_back(100 + i % 3);
  for (int i = 0; i < 10; ++i) v.push_back(200 + i % 3);
  const Modes m = modes(v, 1.0);
  EXPECT_TRUE(m.bimodal);
  EXPECT_NEAR(m.low, 100.95, 0.01);  // seven 0s, seven 1s, six 2s: 19/20
  EXPECT_NEAR(m.high, 200.9, 0.01);  // four 0s, three 1s, three 2s: 9/10
  EXPECT_NEAR(m.share, 1.0 / 3, 1e-9);
  EXPECT_FALSE(modes(v, 150.0).bimodal) << "a gap that does not matter is not reported";
}

TEST(Describe, EqualValuesAndTwoOutliersAreOneMode) {
  EXPECT_FALSE(modes(Values(30, 5.0), 0.0).bimodal);
  Values v(30, 5.0);
  v[0] = v[1] = 50;
  EXPECT_FALSE(modes(v, 1.0).bimodal) << "less than a tenth is an outlier, not a mode";
}

PLUMB_PROPERTY(Describe, NormalAndUniformSamplesAreOneMode, [] {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::normal_distribution<double> normal(1000, 10);
  std::uniform_real_distribution<double> uniform(900, 1100);
  Values a;
  Values b;
  for (int i = 0; i < 60; ++i) {
    a.push_back(normal(random));
    b.push_back(uniform(random));
  }
  RC_ASSERT(!modes(a, 1.0).bimodal);
  RC_ASSERT(!modes(b, 1.0).bimodal);
});

PLUMB_PROPERTY(Describe, QuantilesAreOrderedAndInside, [] {
  const auto v = *rc::gen::nonEmpty(rc::gen::container<Values>(
      rc::gen::map(rc::gen::inRange(-100000, 100000), [](int i) { return static_cast<double>(i) / 8; })));
  const double low = quantile(v, 0.25);
  const double high = quantile(v, 0.75);
  RC_ASSERT(low <= median(v) && median(v) <= high);
  RC_ASSERT(*std::min_element(v.begin(), v.end()) <= low && high <= *std::max_element(v.begin(), v.end()));
});

}  // namespace
}  // namespace plumb::stats

// SPDX-License-Identifier: Apache-2.0
#include "stats/resample.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "stats/describe.h"
#include "support.h"

namespace plumb::stats {
namespace {

TEST(Resample, NothingHasNoResamples) {
  EXPECT_THROW((void)Resamples::of(0, Center::median), std::invalid_argument);
  EXPECT_THROW((void)Resamples::of(2, Center::median).centers(std::vector<double>{1.0}, 0),
               std::invalid_argument);
}

// Three draws from {0, 1, 2}: the median is 1 in 13 of 27, 0 and 2 in 7 of 27 each (counted by hand).
TEST(Resample, MediansOfThreeValuesComeAsOftenAsCounted) {
  const auto medians = Resamples::of(3, Center::median).centers(std::vector<double>{2, 0, 1}, 0);
  std::map<double, double> share;
  for (const double m : medians) share[m] += 1.0 / kResamples;
  // Four standard deviations of a share of one half in 1,000 draws are 0.063.
  EXPECT_NEAR(share[0], 7.0 / 27, 0.063);
  EXPECT_NEAR(share[1], 13.0 / 27, 0.063);
  EXPECT_NEAR(share[2], 7.0 / 27, 0.063);
  EXPECT_EQ(share.size(), 3U);
}

// Of two values, the median of a draw is the one (1/4), the other (1/4) or between them (1/2).
TEST(Resample, MediansOfAnEvenCountLieBetweenTheMiddleTwo) {
  const auto medians = Resamples::of(2, Center::median).centers(std::vector<double>{10, 20}, 0);
  EXPECT_NEAR(static_cast<double>(std::count(medians.begin(), medians.end(), 15.0)) / kResamples, 0.5, 0.063);
}

TEST(Resample, TheSpreadOfMidmeansIsThatOfTheory) {
  constexpr std::size_t kValues = 400;
  std::vector<double> values;
  for (std::size_t i = 0; i < kValues; ++i) {  // a logistic distribution, by its quantiles
    const double p = (static_cast<double>(i) + 0.5) / kValues;
    values.push_back(std::log(p / (1 - p)));
  }
  const auto midmeans = Resamples::of(kValues, Center::midmean).centers(values, 0);
  double squares = 0;
  for (const double m : midmeans) squares += m * m / kResamples;
  // Variance of a trimmed mean: (integral of the winsorised square) / (1/2)^2 / n; for the logistic
  // distribution, with q = ln 3: 4 * (2 * integral_{1/2}^{3/4} logit^2 + q^2 / 2).
  double inner = 0;
  constexpr int kSteps = 100'000;
  for (int i = 0; i < kSteps; ++i) {
    const double p = 0.5 + 0.25 * (i + 0.5) / kSteps;
    inner += std::pow(std::log(p / (1 - p)), 2) * 0.25 / kSteps;
  }
  const double theory = 4 * (2 * inner + std::pow(std::log(3.0), 2) / 2) / kValues;
  EXPECT_NEAR(squares / theory, 1.0, 0.18);  // four standard deviations of a variance of 1,000 draws
}

TEST(Resample, EqualValuesGiveThemselvesToTheLastBit) {
  for (const double m : Resamples::of(30, Center::midmean).centers(std::vector<double>(30, 0.1), 7))
    EXPECT_EQ(m, 0.1);
}

TEST(Resample, AShiftGivesTheSameDrawsElsewhere) {
  const std::vector<double> values{5, 1, 9, 2, 7};
  const auto here = Resamples::of(5, Center::median).centers(values, 0);
  const auto there = Resamples::of(5, Center::median).centers(values, 3);
  for (std::size_t r = 0; r < kResamples; ++r) EXPECT_EQ(here[r], there[(r + 3) % kResamples]);
}

PLUMB_PROPERTY(Resample, CentersLieWithinTheValues, [] {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000, 1000)));
  const std::vector<double> v(values.begin(), values.end());
  const auto [low, high] = std::minmax_element(v.begin(), v.end());
  for (const Center center : {Center::median, Center::midmean})
    for (const double c : Resamples::of(v.size(), center).centers(v, 0))
      RC_ASSERT(c >= *low - 1e-9 && c <= *high + 1e-9);
});

}  // namespace
}  // namespace plumb::stats

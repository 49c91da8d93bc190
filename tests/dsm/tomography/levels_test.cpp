// SPDX-License-Identifier: Apache-2.0
#include "dsm/tomography/levels.h"

#include <cmath>

#include "support.h"

namespace plumb::dsm::tomo {
namespace {

std::vector<Reading> readings(std::initializer_list<double> rates) {
  std::vector<Reading> out;
  for (const double r : rates) out.push_back({.log_rate = std::log(r), .error = 0.003});
  return out;
}

TEST(Levels, AreFoundInTheReadingsThemselves) {
  const auto levels = separate(readings({17.4, 7.3, 17.2, 17.6, 7.4, 17.4, 17.5, 7.2, 17.3}));
  ASSERT_TRUE(levels);
  EXPECT_NEAR(std::exp(levels->collide.center), 7.3, 1e-9);
  EXPECT_NEAR(std::exp(levels->free.center), 17.4, 1e-9);
  EXPECT_NEAR(levels->free.spread, 0.02, 1e-9) << "never less than what the model leaves out";
}

TEST(Levels, AreNotFoundWhereThereIsOne) {
  EXPECT_FALSE(separate(readings({17.4, 17.2, 17.6, 17.4, 17.5, 17.3, 17.4})));
  std::vector<Reading> even(200);
  for (std::size_t i = 0; i < even.size(); ++i) even[i].log_rate = static_cast<double>(i) / 200;
  EXPECT_FALSE(separate(even));
  std::vector<Reading> normal(200);
  for (std::size_t i = 0; i < normal.size(); ++i) {
    const auto x = static_cast<double>(i);
    normal[i].log_rate = std::sqrt(-2.0 * std::log((x + 0.5) / 200)) * std::cos(2.4 * x);
  }
  EXPECT_FALSE(separate(normal));
}

TEST(Levels, NeedThreeReadingsEach) {
  EXPECT_FALSE(separate(readings({7.3, 7.3, 17.4, 17.4})));
  EXPECT_TRUE(separate(readings({7.3, 7.3, 7.3, 17.4, 17.4, 17.4})));
}

TEST(Levels, NoReadingDecidesAlone) {
  const auto levels = separate(readings({7.3, 7.3, 7.3, 17.4, 17.4, 17.4}));
  ASSERT_TRUE(levels);
  // On the level: density 1 / (0.0202 sqrt(2 pi)) = 19.7, and 99 % of that is 19.5; against it half a per
  // cent of 19.7 and of an even spread over 0.869 + 2, 0.100: ln(19.5 / 0.100) = 5.3.
  EXPECT_NEAR(log_odds_of_collision(*levels, readings({7.3})[0]), 5.3, 0.05);
  EXPECT_NEAR(log_odds_of_collision(*levels, readings({17.4})[0]), -5.3, 0.05);
  EXPECT_NEAR(log_odds_of_collision(*levels, readings({11.3})[0]), 0.0, 0.05) << "between: something else";
  EXPECT_NEAR(log_odds_of_collision(*levels, readings({2.0})[0]), 0.0, 0.05) << "below: something else";
}

TEST(Levels, AReadingThatScattersSaysLess) {
  const auto levels = separate(readings({13.8, 13.8, 13.8, 17.4, 17.4, 17.4}));
  ASSERT_TRUE(levels);
  const Reading sharp{.log_rate = std::log(13.8), .error = 0.001};
  const Reading blurred{.log_rate = std::log(13.8), .error = 0.3};
  EXPECT_GT(log_odds_of_collision(*levels, sharp), 4.0);
  EXPECT_LT(log_odds_of_collision(*levels, blurred), 1.0);
}

}  // namespace
}  // namespace plumb::dsm::tomo

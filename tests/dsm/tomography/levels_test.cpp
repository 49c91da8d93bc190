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
  EXPECT_NEAR(levels->free.spread, 0.03, 1e-9) << "never less than what the model leaves out";
}

TEST(Levels, AreNotFoundWhereThereIsOne) {
  EXPECT_FALSE(separate(readings({17.4, 17.2, 17.6, 17.4, 17.5, 17.3, 17.4})));
  std::vector<Reading> even;
  for (int i = 0; i < 200; ++i) even.push_back({.log_rate = i / 200.0, .error = 0.0});
  EXPECT_FALSE(separate(even));
  std::vector<Reading> normal;
  for (int i = 0; i < 200; ++i)
    normal.push_back({.log_rate = std::sqrt(-2.0 * std::log((i + 0.5) / 200)) * std::cos(2.4 * i)});
  EXPECT_FALSE(separate(normal));
}

TEST(Levels, NeedThreeReadingsEach) {
  EXPECT_FALSE(separate(readings({7.3, 7.3, 17.4, 17.4})));
  EXPECT_TRUE(separate(readings({7.3, 7.3, 7.3, 17.4, 17.4, 17.4})));
}

TEST(Levels, NoReadingDecidesAlone) {
  const auto levels = separate(readings({7.3, 7.3, 7.3, 17.4, 17.4, 17.4}));
  ASSERT_TRUE(levels);
  // On the level: density 1 / (0.0301 sqrt(2 pi)) = 13.2, and 99 % of that is 13.1; against it half a per
  // cent of 13.2 and of an even spread over 0.869 + 2, 0.068: ln(13.1 / 0.068) = 5.3.
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

// SPDX-License-Identifier: Apache-2.0
#include "infer/likelihood.h"

#include <cmath>

#include "support.h"

namespace plumb::infer {
namespace {

Scored row(std::size_t of, double cycles, double error, double simulated) {
  return {.of = of,
          .measured = {.row = 0, .cycles = cycles, .error = error, .spread = 0.0},
          .simulated = simulated};
}

TEST(Likelihood, IsStudentsWithFourDegreesOfFreedom) {
  // Error 30 and model 4 % of 1000 make a scale of 50: a deviation of 100 is two of them.
  const std::vector<Scored> rows{row(0, 1000, 30, 1100)};
  const Likelihood l = likelihood(rows, 1, 0.04);
  EXPECT_NEAR(l.losses[0], 2.5 * std::log(1 + 4.0 / 4.0) + std::log(0.05), 1e-12);
}

TEST(Likelihood, ACaseCountsOnceHoweverManyRowsItHas) {
  const std::vector<Scored> rows{row(0, 1000, 10, 1010), row(1, 1000, 10, 1010), row(1, 1000, 10, 1010)};
  const Likelihood l = likelihood(rows, 2, 0.0);
  EXPECT_DOUBLE_EQ(l.losses[0], l.losses[1]);
  EXPECT_DOUBLE_EQ(l.total(), 2 * l.losses[0]);
}

TEST(Likelihood, FindsTheErrorOfTheModel) {
  std::vector<Scored> rows;
  for (std::size_t i = 0; i < 400; ++i) rows.push_back(row(i, 1000, 0.1, i % 2 == 0 ? 1020 : 980));
  // All deviations are 2 %, and for equal sizes z the best scale has z squared (nu + 1) / (nu + z squared) =
  // 1, z = 1.
  EXPECT_NEAR(likelihood(rows, rows.size()).model, 0.02, 2e-4);
}

PLUMB_PROPERTY(Likelihood, WhatIsFurtherOffIsLessLikely, [] {
  const auto near = *rc::gen::inRange(0, 1000);
  const auto further = near + *rc::gen::inRange(1, 1000);
  const auto loss = [](int off) {
    return likelihood(std::vector<Scored>{row(0, 5000, 20, 5000.0 + off)}, 1, 0.01).total();
  };
  RC_ASSERT(loss(near) < loss(further));
  RC_ASSERT(std::abs(loss(near) - loss(-near)) < 1e-12);
});

TEST(Deviations, AreOrderStatisticsOfTheSizes) {
  std::vector<double> sizes;
  for (int i = 0; i <= 100; ++i) sizes.push_back(i);
  const Deviations d = deviations(sizes);
  EXPECT_EQ(d.count, 101U);
  EXPECT_DOUBLE_EQ(d.median, 50);
  EXPECT_DOUBLE_EQ(d.p95, 95);
  EXPECT_DOUBLE_EQ(d.worst, 100);
  EXPECT_EQ(deviations({}).count, 0U);
}

TEST(Scored, BeyondTheSpreadIsWhatTheCardItselfDoesNotDo) {
  Scored s = row(0, 1000, 1, 1050);
  s.measured.spread = 30;
  EXPECT_DOUBLE_EQ(s.beyond_spread(), 0.02);
  s.measured.spread = 60;
  EXPECT_DOUBLE_EQ(s.beyond_spread(), 0.0);
}

}  // namespace
}  // namespace plumb::infer

// SPDX-License-Identifier: Apache-2.0
#include "report/beside.h"

#include "support.h"

namespace plumb::report {
namespace {

Finding finding(const std::string& name, double value, const std::string& estimator = "steady",
                const std::string& unit = "B/cycle") {
  return {.name = name,
          .value = value,
          .low = value,
          .high = value,
          .unit = unit,
          .estimator = estimator,
          .cases = {},
          .notes = {}};
}

const std::vector<std::string> kLabels{"measured", "simulated"};

TEST(Beside, DeviationIsTheSecondOverTheFirst) {
  const auto rows = beside(std::vector{finding("a", 20.0)}, std::vector{finding("a", 21.0)});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].deviation().value(), 0.05, 1e-12);
}

TEST(Beside, WithoutAPairOrAtZeroThereIsNone) {
  EXPECT_FALSE(beside(std::vector{finding("a", 1)}, {})[0].deviation());
  EXPECT_FALSE(beside({}, std::vector{finding("a", 1)})[0].deviation());
  EXPECT_FALSE(beside(std::vector{finding("a", 0)}, std::vector{finding("a", 1)})[0].deviation());
}

TEST(Beside, PairsByNameAndEstimatorAndLeavesResidualsOut) {
  const auto rows =
      beside(std::vector{finding("a", 1), finding("a", 2, "published"), finding("r", 3, "steady", "%")},
             std::vector{finding("a", 4, "published"), finding("b", 5)});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[0].second);
  EXPECT_EQ(rows[1].second->value, 4);
  EXPECT_EQ(rows[2].name, "b");
}

// Deviations of -10 %, +5 % and +20 %: the median of their sizes is 10 %.
TEST(Beside, TheTableShowsWhatBothHaveAndSumsUp) {
  const auto rows = beside(std::vector{finding("a", 10), finding("b", 20), finding("c", 5), finding("d", 1)},
                           std::vector{finding("a", 9), finding("b", 21), finding("c", 6), finding("e", 1)});
  EXPECT_EQ(beside_table(rows, kLabels, false),
            "finding        unit  measured  simulated  deviation %\n"
            "a (steady)  B/cycle     10.00       9.00        -10.0\n"
            "b (steady)  B/cycle     20.00      21.00         +5.0\n"
            "c (steady)  B/cycle      5.00       6.00        +20.0\n"
            "B/cycle: 3 numbers, deviation median 10.0 %, worst 20.0 %\n"
            "1 findings are in the first alone\n"
            "1 findings are in the second alone\n");
}

TEST(Beside, TheTableSaysEachThingOnce) {
  const std::vector<Finding> all{finding("a", 10), finding("a", 10, "published"),
                                 finding("a-ns", 10, "steady", "GB/s"), finding("b", 10, "published")};
  EXPECT_EQ(beside_table(beside(all, all), kLabels, false),
            "finding           unit  measured  simulated  deviation %\n"
            "a (steady)     B/cycle     10.00      10.00         +0.0\n"
            "b (published)  B/cycle     10.00      10.00         +0.0\n"
            "B/cycle: 2 numbers, deviation median 0.0 %, worst 0.0 %\n");
}

}  // namespace
}  // namespace plumb::report

// SPDX-License-Identifier: Apache-2.0
#include "report/findings.h"

#include <fmt/format.h>

#include "support.h"

namespace plumb::report {
namespace {

Finding finding(const std::string& name, double value, const std::string& estimator = "published") {
  return {.name = "dsm/x/" + name,
          .value = value,
          .low = value,
          .high = value,
          .unit = "B/cycle",
          .estimator = estimator,
          .cases = {},
          .notes = {}};
}

std::string table(const std::vector<Finding>& findings) {
  return findings_table("dsm/x", "How?", findings, false);
}

TEST(FindingsTable, WhatIsOnNoLineHasARowOfItsOwnByNumber) {
  const std::string text =
      table({finding("put/16/time", 30.0, "median"), finding("put/2/time", 20.0, "median"),
             finding("put/rate", 21.3), finding("put/rmse", 0.1)});
  EXPECT_EQ(
      text,
      "dsm/x  How?\n"
      "       steady B/cycle  95 % interval  published fit  steady GB/s  intercept cycles  RMSE %  cycle/ns\n"
      "put *               -              -          21.30            -                 -       -         -\n"
      "  * put: not on a line from any size up, so it has no steady rate\n"
      "             value  95 % interval  unit     notes\n"
      "put/2/time   20.00   20.00..20.00  B/cycle\n"
      "put/16/time  30.00   30.00..30.00  B/cycle\n");
}

TEST(FindingsTable, ClustersSideBySideHaveARowASeriesAndSingleOnesNone) {
  const std::string text =
      table({finding("put/rate", 20.0), finding("put/slowest-flow", 17.0), finding("put/fastest-flow", 20.5),
             finding("put/total", 640.0), finding("put/active-sms", 32.0), finding("put/sm-2/rate", 20.0),
             finding("put/background", 30.0, "median")});
  EXPECT_EQ(text,
            "dsm/x  How?\n"
            "clusters side by side  middle flow B/cycle  slowest  fastest  all flows B/cycle  SMs\n"
            "put                                  20.00    17.00    20.50              640.0   32\n"
            "  cluster by cluster: `plumb analyze --json`\n"
            "                value  95 % interval  unit     notes\n"
            "put/background  30.00   30.00..30.00  B/cycle\n");
}

TEST(FindingsTable, ManyOfAKindAreSummedUp) {
  std::vector<Finding> many;
  for (int i = 0; i < 65; ++i) many.push_back(finding(fmt::format("{}/time", i), i, "median"));
  EXPECT_EQ(
      table(many),
      "dsm/x  How?\n  time: 65 values, 0.00 (0) to 64.00 (64), median 32.00 B/cycle; --json lists them\n");
}

TEST(FindingsTable, NothingIsSaid) { EXPECT_EQ(table({}), "dsm/x  How?\n  no usable case\n"); }

}  // namespace
}  // namespace plumb::report

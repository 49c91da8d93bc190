// SPDX-License-Identifier: Apache-2.0
#include "report/predicted.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace plumb::report {
namespace {

dsm::Prediction prediction(const std::string& name, double measured, double expected,
                           const std::string& estimator = "steady") {
  return {.measured = {.name = name,
                       .value = measured,
                       .low = measured - 0.01,
                       .high = measured + 0.01,
                       .unit = "B/cycle",
                       .estimator = estimator,
                       .cases = {},
                       .notes = {}},
          .expected = model::Expected{expected, expected - 0.1, expected + 0.1},
          .text = "shaper"};
}

TEST(PredictedTable, MarksWhatIsOutsideAndSumsUp) {
  std::vector<dsm::Prediction> all{
      prediction("dsm/pair/a/rate", 20, 20), prediction("dsm/pair/b/rate", 20, 22),
      prediction("dsm/pair/b/rate", 19, 22, "published"), prediction("dsm/pair/b/0-put-0to1/rate", 20, 21)};
  all.push_back(prediction("dsm/pair/c/rate", 1, 1));
  all.back().expected.reset();
  all.back().text = "flows that pause";
  EXPECT_EQ(predicted_table("dsm/pair", all, false),
            "dsm/pair\n"
            "           unit  measured  95 % interval  predicted      expected  off by %  limited by\n"
            "a/rate  B/cycle     20.00   19.99..20.01      20.00  19.90..20.10     +0.0   shaper\n"
            "b/rate  B/cycle     20.00   19.99..20.01      22.00  21.90..22.10    +10.0!  shaper\n"
            "  series, 2: deviation median 0.0 %, worst +10.0 % (b/rate); 1 where expected\n"
            "  single flows, 1: deviation median 5.0 %, worst +5.0 % (b/0-put-0to1/rate); 0 where expected\n"
            "  no closed form for 1 findings: flows that pause\n");
}

TEST(PredictedTable, JsonSaysWhereNothingApplies) {
  dsm::Prediction p = prediction("dsm/pair/a/rate", 20, 22);
  EXPECT_EQ(to_json(p)["agrees"], false);
  EXPECT_DOUBLE_EQ(to_json(p)["deviation"].get<double>(), 22.0 / 20 - 1);
  EXPECT_EQ(to_json(p)["predicted"]["value"], 22.0);
  p.expected.reset();
  p.text = "why";
  EXPECT_EQ(to_json(p)["does_not_apply"], "why");
  EXPECT_FALSE(to_json(p).contains("predicted"));
}

}  // namespace
}  // namespace plumb::report

// SPDX-License-Identifier: Apache-2.0
#include "infer/quantities.h"

#include "support.h"

namespace plumb::infer {
namespace {

/// A pattern of two flows at one size, and what both took on the card and in the fabric.
struct Builder {
  std::vector<ObservedCase> cases;
  std::vector<Scored> scored;

  void add(const std::string& pattern, std::int64_t bytes, std::vector<std::pair<double, double>> cycles) {
    Traffic t{.ranks = 3, .flows = {}};
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      t.flows.push_back({.source = 0, .destination = static_cast<int>(i) + 1, .op = Op::put, .bytes = bytes});
      scored.push_back({.of = cases.size(),
                        .measured = {.row = i, .cycles = cycles[i].first},
                        .simulated = cycles[i].second});
    }
    cases.push_back({.point = {.experiment = "x", .axes = {{"name", pattern}, {"bytes", bytes}}, .work = t},
                     .family = "x put",
                     .places = {},
                     .rows = {}});
  }
};

TEST(Quantities, RatesAndInterceptsAreThoseOfALineOverTheSizesOfAPattern) {
  Builder b;
  // The card: 500 cycles and 20 bytes a cycle; 300 cycles and 10. The fabric: 450 and 16; 300 and 10.
  b.add("a", 16000, {{1300, 1450}, {1900, 1900}});
  b.add("a", 32000, {{2100, 2450}, {3500, 3500}});
  b.add("a", 48000, {{2900, 3450}, {5100, 5100}});
  b.add("one size", 16000, {{1000, 1100}});
  const std::vector<Quantity> q = quantities(b.cases, b.scored);
  ASSERT_EQ(q.size(), 4U);
  EXPECT_EQ(q[0].name, "completion times");
  EXPECT_EQ(q[0].values.size(), 7U);
  EXPECT_NEAR(q[0].values[0].deviation(), 1450.0 / 1300 - 1, 1e-12);
  EXPECT_EQ(q[1].name, "rates");
  ASSERT_EQ(q[1].values.size(), 2U) << "one size makes no line";
  EXPECT_NEAR(q[1].values[0].measured, 20, 1e-9);
  EXPECT_NEAR(q[1].values[0].simulated, 16, 1e-9);
  EXPECT_NEAR(q[1].values[1].deviation(), 0, 1e-9);
  EXPECT_EQ(q[2].name, "intercepts");
  ASSERT_EQ(q[2].values.size(), 2U);
  EXPECT_NEAR(q[2].values[0].measured, 500, 1e-9);
  EXPECT_NEAR(q[2].values[0].simulated, 450, 1e-9);
  EXPECT_NEAR(q[2].values[1].measured, 300, 1e-9);
  EXPECT_TRUE(q[3].values.empty());
}

TEST(Quantities, ADurationThatDoesNotRiseHasNoRate) {
  Builder b;
  b.add("a", 16000, {{1000, 1000}});
  b.add("a", 32000, {{1000, 1500}});
  EXPECT_TRUE(quantities(b.cases, b.scored)[1].values.empty());
}

TEST(Quantities, RowsOfAProbeAreLatencies) {
  const std::vector<ObservedCase> cases{
      {.point = {.experiment = "dsm/latency", .axes = {}, .work = Probe{.links = 4}},
       .family = "dsm/latency",
       .places = {},
       .rows = {}}};
  const std::vector<Scored> scored{{.of = 0, .measured = {.row = 1, .cycles = 800}, .simulated = 840}};
  const std::vector<Quantity> q = quantities(cases, scored);
  EXPECT_TRUE(q[0].values.empty());
  ASSERT_EQ(q[3].values.size(), 1U);
  EXPECT_NEAR(q[3].values[0].measured, 200, 1e-12);
  EXPECT_NEAR(q[3].values[0].simulated, 210, 1e-12);
}

}  // namespace
}  // namespace plumb::infer

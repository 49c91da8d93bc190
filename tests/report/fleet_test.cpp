// SPDX-License-Identifier: Apache-2.0
#include "report/fleet.h"

#include "support.h"

namespace plumb::report {
namespace {

using test::message_of;

html::Card card(const std::string& label, double rate, double cycles, const std::string& driver = "580") {
  html::Card c;
  c.label = label;
  c.parts.push_back({});
  Provenance& p = c.parts.front().provenance;
  p.backend = "cuda";
  p.gpu_name = "GPU";
  p.driver_version = driver;
  const auto add = [&](const char* name, double value, const char* unit) {
    c.findings.push_back({.name = name,
                          .value = value,
                          .low = value,
                          .high = value,
                          .unit = unit,
                          .estimator = "steady",
                          .cases = {"case"},
                          .notes = {}});
  };
  add("a/rate", rate, "B/cycle");
  add("a/time", cycles, "cycles");
  return c;
}

// Median 100, deviations 0 1 2 2 20: their median is 2, and 0.6745 * 20 / 2 = 6.745.
TEST(Fleet, ZScoresByHand) {
  const std::vector cards{card("a", 100, 50), card("b", 101, 50), card("c", 102, 50), card("d", 98, 50),
                          card("e", 80, 50)};
  const Fleet f = fleet_of(cards, 0.0);
  ASSERT_EQ(f.outliers.size(), 1U);
  EXPECT_EQ(f.outliers[0].card, 4U);
  EXPECT_NEAR(f.outliers[0].z, -6.745, 1e-9);
  EXPECT_EQ(f.outliers[0].median, 100);
}

TEST(Fleet, MoreTimeIsWorse) {
  const std::vector cards{card("a", 9, 100), card("b", 9, 100), card("c", 9, 120)};
  const Fleet f = fleet_of(cards, 0.01);  // spread 1: 0.6745 * 20
  ASSERT_EQ(f.outliers.size(), 1U);
  EXPECT_NEAR(f.outliers[0].z, -13.49, 1e-9);
}

TEST(Fleet, OneCycleOfManyIsNoOutlier) {
  const std::vector cards{card("a", 9, 1000), card("b", 9, 1000), card("c", 9, 1001)};
  EXPECT_TRUE(fleet_of(cards, 0.01).outliers.empty());
}

TEST(Fleet, SaysWhatIsNotAsWithMost) {
  const std::vector cards{card("a", 9, 100), card("b", 9, 100), card("c", 9, 120, "550")};
  const Fleet f = fleet_of(cards, 0.01);
  EXPECT_TRUE(f.differs[0].empty());
  EXPECT_EQ(f.differs[2], std::vector<std::string>{"driver: 550"});
  EXPECT_NE(fleet_table(f, false).find("c       1 of 2  driver: 550"), std::string::npos)
      << fleet_table(f, false);
}

TEST(Fleet, RefusesWithAReason) {
  std::vector cards{card("a", 9, 100), card("b", 9, 100)};
  EXPECT_NE(message_of([&] { (void)fleet_of(cards, 0.01); }).find("three cards or more; 2 are given"),
            std::string::npos);
  cards.push_back(card("c", 9, 100));
  cards[2].parts[0].provenance.gpu_name = "Other";
  EXPECT_NE(message_of([&] { (void)fleet_of(cards, 0.01); }).find("different kinds of card"),
            std::string::npos);
  cards[2] = card("c", 9, 100);
  cards[2].parts[0].provenance.backend = "sim";
  EXPECT_NE(message_of([&] { (void)fleet_of(cards, 0.01); }).find("a model is no sibling of a card"),
            std::string::npos);
  cards[2] = card("c", 9, 100);
  for (Finding& f : cards[2].findings) f.name += "x";
  EXPECT_NE(message_of([&] { (void)fleet_of(cards, 0.01); }).find("no finding is in three"),
            std::string::npos);
}

}  // namespace
}  // namespace plumb::report

// SPDX-License-Identifier: Apache-2.0
#include "dsm/legs.h"

#include <cmath>
#include <random>

#include "support.h"

namespace plumb::dsm {
namespace {

constexpr std::uint64_t kSeed = 7;

std::vector<PairTimes> complete(const std::vector<double>& legs) {
  std::vector<PairTimes> pairs;
  for (std::size_t i = 0; i < legs.size(); ++i)
    for (std::size_t j = 0; j < legs.size(); ++j)
      if (i != j) pairs.push_back({.from = i, .to = j, .cycles = {legs[i] + legs[j]}});
  return pairs;
}

std::vector<double> any_legs(std::size_t least) {
  std::vector<double> legs;
  const auto n = *rc::gen::inRange<std::size_t>(least, 19);
  for (std::size_t i = 0; i < n; ++i) legs.push_back(*rc::gen::inRange(800, 1200) / 10.0);
  return legs;
}

PLUMB_PROPERTY(Legs, PlantedLegsComeBackExactlyWithoutNoise, [] {
  const std::vector<double> planted = any_legs(3);
  const Legs found = fit_legs(complete(planted), planted.size(), kSeed);
  RC_ASSERT(found.why_none.empty());
  for (std::size_t i = 0; i < planted.size(); ++i) {
    RC_ASSERT(std::abs(found.legs[i].value - planted[i]) < 1e-9);
    RC_ASSERT(std::abs(found.legs[i].high - found.legs[i].low) < 1e-9);
  }
  RC_ASSERT(found.rms < 1e-9);
  RC_ASSERT(found.worst < 1e-9);
});

PLUMB_PROPERTY(Legs, MissingPairsDoNotMatterWhileATriangleReachesAll, [] {
  const std::vector<double> planted = any_legs(3);
  std::vector<PairTimes> kept;
  for (const PairTimes& p : complete(planted)) {
    // A triangle of the first three, and every other SM by one pair to the SM before it.
    const bool triangle = p.from < 3 && p.to < 3 && p.from < p.to;
    if (triangle || p.from == p.to + 1 || *rc::gen::inRange(0, 3) == 0) kept.push_back(p);
  }
  const Legs found = fit_legs(kept, planted.size(), kSeed);
  RC_ASSERT(found.why_none.empty());
  for (std::size_t i = 0; i < planted.size(); ++i)
    RC_ASSERT(std::abs(found.legs[i].value - planted[i]) < 1e-6);
});

// The fit of n legs from n(n - 1) pairs with noise of standard deviation s: a leg's own is below
// s / sqrt(2 (n - 2)), since the least eigenvalue of the normal equations is 2 (n - 2).
PLUMB_PROPERTY(Legs, NoiseMovesALegByNoMoreThanItMust, [] {
  const std::vector<double> planted = any_legs(4);
  std::vector<PairTimes> pairs = complete(planted);
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  constexpr double kSigma = 2.0;
  std::normal_distribution<double> noise(0.0, kSigma);
  for (PairTimes& p : pairs) p.cycles[0] += noise(random);
  const Legs found = fit_legs(pairs, planted.size(), kSeed);
  const auto n = static_cast<double>(planted.size());
  constexpr double kFarOut = 6.0;
  for (std::size_t i = 0; i < planted.size(); ++i)
    RC_ASSERT(std::abs(found.legs[i].value - planted[i]) < kFarOut * kSigma / std::sqrt(2 * (n - 2)));
  RC_ASSERT(found.rms < 2 * kSigma);
  RC_ASSERT(found.rms > 0.0);
});

TEST(Legs, WhatIsNoSumOfLegsStaysAsAResidualThatNamesThePair) {
  std::vector<PairTimes> pairs = complete({100, 90, 95, 105});
  for (PairTimes& p : pairs)
    if (p.from == 1 && p.to == 3) p.cycles[0] += 12;
  const Legs found = fit_legs(pairs, 4, kSeed);
  // The back direction pulls the fit by half; legs take a part of the rest.
  EXPECT_GT(found.worst, 5.0);
  EXPECT_EQ(found.worst_from, 1U);
  EXPECT_EQ(found.worst_to, 3U);
}

TEST(Legs, TheMedianOfAPairCountsAndItsSpreadMakesTheInterval) {
  std::vector<PairTimes> pairs = complete({100, 90, 95});
  for (PairTimes& p : pairs)
    p.cycles = {p.cycles[0] - 1, p.cycles[0], p.cycles[0], p.cycles[0] + 1, p.cycles[0] + 1000};
  const Legs found = fit_legs(pairs, 3, kSeed);
  EXPECT_NEAR(found.legs[0].value, 100, 1e-9);
  EXPECT_LT(found.legs[0].low, 100);
  EXPECT_GT(found.legs[0].high, 100);
}

TEST(Legs, TwoSmsGiveOneSumAndSayThat) {
  const Legs found = fit_legs(complete({100, 90}), 2, kSeed);
  EXPECT_TRUE(found.legs.empty());
  EXPECT_EQ(
      found.why_none,
      "2 pairs of 2 SMs do not determine a leg for each: that takes three SMs that all reach each other");
}

TEST(Legs, TwoHalvesThatOnlyReachEachOtherDoNotDetermineThem) {
  std::vector<PairTimes> pairs;
  for (const PairTimes& p : complete({100, 90, 95, 105}))
    if ((p.from < 2) != (p.to < 2)) pairs.push_back(p);
  EXPECT_FALSE(fit_legs(pairs, 4, kSeed).why_none.empty());
  EXPECT_FALSE(fit_legs({}, 3, kSeed).why_none.empty());
}

TEST(Legs, AnSmWithItselfIsPassedOver) {
  std::vector<PairTimes> pairs = complete({100, 90, 95});
  pairs.push_back({.from = 1, .to = 1, .cycles = {35}});
  pairs.push_back({.from = 0, .to = 1, .cycles = {}});
  EXPECT_NEAR(fit_legs(pairs, 3, kSeed).legs[1].value, 90, 1e-9);
}

}  // namespace
}  // namespace plumb::dsm

// SPDX-License-Identifier: Apache-2.0
#include "model/flight.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support.h"

namespace plumb::model {
namespace {

Path ideal() {
  return {.latency_ns = 500.0,
          .ceiling = 32.0,
          .sharpness = 2.0,
          .stage_ns = 1e-9,
          .command_ns = 1e-9,
          .issue_ns = 1e-9,
          .unit_ns = 1e-9,
          .port = 1e9};
}

TEST(Flight, LittlesLawFarBelowTheCeiling) {
  // 500 bytes over 500 ns are 1 GB/s; a ceiling of 32 takes a half of (1/32)^2 of it.
  EXPECT_NEAR(rate(ideal(), {.bytes = 500, .issuers = 4, .command = 512}), 1.0 / std::sqrt(1.0 + 1.0 / 1024),
              1e-6);
}

TEST(Flight, AtTheCornerASharpnessOfTwoIsSevenTenths) {
  EXPECT_NEAR(rate(ideal(), {.bytes = 16000, .issuers = 4, .command = 512}), 32.0 / std::sqrt(2.0), 1e-6);
}

TEST(Flight, StagesAndCommandsAddLatency) {
  Path p = ideal();
  p.ceiling = 1e9;
  p.stage_ns = 10.0;
  p.command_ns = 20.0;
  // 500 + 3 x 10 + 20 x 2^0.8 ns
  EXPECT_NEAR(rate(p, {.bytes = 1000, .stages = 4, .issuers = 4, .command = 2048}),
              1000.0 / (530.0 + 20.0 * std::pow(2.0, 0.8)), 1e-6);
}

TEST(Flight, AnIssuerLimits) {
  Path p = ideal();
  p.ceiling = 1e9;
  p.issue_ns = 100.0;
  EXPECT_NEAR(rate(p, {.bytes = 1e7, .issuers = 2, .command = 500}), 10.0, 1e-3);
}

TEST(Flight, TheUnitLimitsSmallCommands) {
  Path p = ideal();
  p.ceiling = 1e9;
  p.unit_ns = 3.0;
  p.port = 128.0;
  EXPECT_NEAR(rate(p, {.bytes = 1e7, .issuers = 2, .command = 128}), 128.0 / 4.0, 1e-3);
}

TEST(Flight, TheKneeIsWhereTheRateIsThatPartOfTheCeiling) {
  const Path p = ideal();
  const double bytes = knee(p, 0.9, 512);
  // Sharpness 2: x / sqrt(1 + x^2) = 0.9 at x = 0.9 / sqrt(0.19), of 16000 bytes.
  EXPECT_NEAR(bytes, 16000 * 0.9 / std::sqrt(0.19), 1e-3);
  EXPECT_NEAR(rate(p, {.bytes = bytes, .issuers = 4, .command = 512}), 0.9 * 32.0, 1e-6);
}

std::vector<Rated> planted(const Path& p) {
  std::vector<Rated> out;
  for (const double threads : {64.0, 128.0, 256.0, 512.0})
    for (const double stages : {1.0, 2.0, 4.0, 8.0})
      for (const double ctas : {1.0, 2.0, 4.0}) {
        const Flight f{threads * 16 * stages * ctas, stages, threads / 32 * ctas, 512};
        out.push_back({f, rate(p, f)});
      }
  return out;
}

TEST(PathFit, FindsWhatWasPlanted) {
  const Path p{430.0, 45.0, 3.0, 15.0, 30.0, 60.0, 0.1, 400.0};
  const PathFit fit = fit_path(planted(p), 1);
  // One size of command: its latency cannot be told from the rest.
  const double latency = 430.0 + 30.0 * std::pow(0.5, 0.8);
  EXPECT_NEAR(fit.path.latency_ns + fit.path.command_ns * std::pow(0.5, 0.8), latency, 0.02 * latency);
  EXPECT_NEAR(fit.path.ceiling, 45.0, 0.05 * 45.0);
  EXPECT_NEAR(fit.path.stage_ns, 15.0, 2.0);
  EXPECT_LT(fit.held_out_median, 0.01);
  EXPECT_LT(fit.held_out_most, 0.05);
  EXPECT_LE(fit.low.latency_ns, fit.high.latency_ns);
  EXPECT_NEAR(fit.knee90.value, knee(p, 0.9, 512), 0.1 * knee(p, 0.9, 512));
}

TEST(PathFit, OneWrongPointDoesNotBendIt) {
  const Path p{430.0, 45.0, 3.0, 15.0, 30.0, 60.0, 0.1, 400.0};
  std::vector<Rated> points = planted(p);
  points[7].rate *= 3.0;
  const PathFit fit = fit_path(points, 1);
  EXPECT_LT(fit.held_out_median, 0.02);
  EXPECT_NEAR(fit.path.ceiling, 45.0, 0.05 * 45.0);
}

TEST(PathFit, APointThatLessOnItsWayOutrunsIsSetAside) {
  const Path p{430.0, 45.0, 3.0, 15.0, 30.0, 60.0, 0.1, 400.0};
  std::vector<Rated> points = planted(p);
  // 64 threads, 8 stages, 4 CTAs: a tenth below the same threads with 4 stages.
  points[11].rate = 0.9 * points[8].rate;
  const PathFit fit = fit_path(points, 1);
  EXPECT_EQ(fit.contrary, std::vector<std::size_t>{11});
  EXPECT_TRUE(std::isnan(fit.held_out[11]));
  EXPECT_LT(fit.held_out_most, 0.05);
}

TEST(PathFit, OfTwoThatContradictEachOtherTheOneFarFromTheRestIsSetAside) {
  const Path p{430.0, 45.0, 3.0, 15.0, 30.0, 60.0, 0.1, 400.0};
  std::vector<Rated> points = planted(p);
  points[8].rate *= 1.5;  // faster than 8 stages of the same threads
  EXPECT_EQ(fit_path(points, 1).contrary, std::vector<std::size_t>{8});
}

TEST(PathFit, TooFewOrImpossiblePointsAreRefused) {
  EXPECT_THROW((void)fit_path(std::vector<Rated>(7, {{512, 1, 1, 512}, 1.0}), 1), std::invalid_argument);
  EXPECT_THROW((void)fit_path(std::vector<Rated>(9, {{512, 1, 1, 512}, 0.0}), 1), std::invalid_argument);
}

PLUMB_PROPERTY(Flight, MoreOnItsWayIsNeverSlower, [] {
  const auto some = [](int low, int high) { return static_cast<double>(*rc::gen::inRange(low, high)); };
  const Path p{some(50, 2000), some(1, 200), some(1, 10), some(1, 50),
               some(1, 50),    some(1, 100), some(1, 10), some(10, 500)};
  Flight f{some(64, 100000), some(1, 16), some(1, 32), some(64, 65536)};
  const double before = rate(p, f);
  f.bytes *= 1.5;
  RC_ASSERT(rate(p, f) >= before);
  RC_ASSERT(rate(p, f) <= p.ceiling);
})

TEST(Wave, TwoModesAtEqualBytesAreTakenApart) {
  std::vector<Timed> points;
  for (const double bytes : {512.0, 1024.0, 2048.0, 4096.0, 8192.0})
    for (int i = 0; i < 3; ++i) points.push_back({.bytes = bytes, .ns = 600.0 + i});
  points.push_back({.bytes = 1024, .ns = 1000});
  points.push_back({.bytes = 4096, .ns = 1010});
  const WaveFit fit = fit_wave(points, 1);
  EXPECT_EQ(fit.contrary, (std::vector<std::size_t>{15, 16}));
  EXPECT_TRUE(std::isnan(fit.held_out[15]));
  EXPECT_LT(fit.held_out_most, 0.02);
}

TEST(Wave, APointThatStandsAloneIsPutIntoItsModeByTheOthers) {
  std::vector<Timed> points;
  for (const double bytes : {512.0, 1024.0, 2048.0, 4096.0, 8192.0})
    for (int i = 0; i < 3; ++i) points.push_back({.bytes = bytes, .ns = 600.0 + i});
  points.push_back({.bytes = 1024, .ns = 1000});
  points.push_back({.bytes = 4096, .ns = 1010});
  points.push_back({.bytes = 16384, .ns = 1020});
  const WaveFit fit = fit_wave(points, 1);
  EXPECT_EQ(fit.contrary, (std::vector<std::size_t>{15, 16, 17}));
  EXPECT_LT(fit.held_out_most, 0.02);
}

TEST(Wave, AMedianOutsideItsOwnRangeIsSetAside) {
  std::vector<Timed> points;
  for (int i = 0; i < 8; ++i)
    points.push_back({.bytes = 512.0 * (i + 1), .ns = 600.0 + 10 * i, .least = 500, .most = 900});
  points[3].least = 700;
  EXPECT_EQ(fit_wave(points, 1).outside, std::vector<std::size_t>{3});
}

TEST(Wave, ServiceAddsToLatency) {
  // Sharpness 1 is a sum: 400 + 16384 / 32 + 8 x 2 ns.
  EXPECT_NEAR(time_ns({400.0, 32.0, 1.0, 2.0}, 16384, 8), 400.0 + 512.0 + 16.0, 1e-9);
}

}  // namespace
}  // namespace plumb::model

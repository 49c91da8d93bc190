// SPDX-License-Identifier: Apache-2.0
#include "model/mma.h"

#include <cmath>

#include "support.h"

namespace plumb::model {
namespace {

/// Round numbers, so that results can be worked out by hand.
TensorCores hopper() {
  return {.register_issue = 13,
          .trip = 80,
          .trip_elsewhere = 70,
          .trip_hidden = 10,
          .observed_alone = 20,
          .crowd = 6};
}
TensorCores blackwell() {
  return {.family = MmaFamily::tcgen05,
          .flop_per_cycle = 8192,
          .full_rows = 128,
          .register_issue = 0,
          .trip = 116,
          .trip_elsewhere = 116,
          .trip_hidden = 0,
          .fetch_first = true,
          .observed_alone = -12,
          .crowd = 0,
          .crowd_elsewhere = 0,
          .pair_trip = 34,
          .half_pair_trip = 8,
          .pair_pipeline = 3,
          .pair_pipeline_trip = 56,
          .half_pair_pipeline = 4,
          .half_pair_pipeline_trip = 62,
          .scale_trip = 2};
}
Mma tcgen05(int m, int n, int sms, Operands operands = Operands::ss) {
  return {.family = MmaFamily::tcgen05, .m = m, .n = n, .operands = operands, .groups = sms};
}

TEST(MmaModel, OnHopperSharedMemoryLimitsBelowN64) {
  // A of 64 rows x 32 bytes at 128 B/cycle: 16 cycles; B N/4; math N/2.
  const MmaStages s = stages_of({.n = 32}, hopper());
  EXPECT_EQ(s.math, 16);
  EXPECT_EQ(s.fetch_a, 16);
  EXPECT_EQ(s.fetch_b, 8);
  EXPECT_EQ(interval_of(s), 24);
  EXPECT_EQ(limit_of(s), MmaLimit::shared_memory);
  EXPECT_EQ(limit_of(stages_of({.n = 64}, hopper())), MmaLimit::math);
  EXPECT_EQ(unlimited_n({.n = 32}, hopper()), 64);
}

TEST(MmaModel, OnBlackwellSharedMemoryLimitsBelowN128) {
  const MmaStages s = stages_of(tcgen05(128, 64, 1), blackwell());
  EXPECT_EQ(s.math, 32);
  EXPECT_EQ(interval_of(s), 48);
  EXPECT_EQ(unlimited_n(tcgen05(128, 64, 1), blackwell()), 128);
  EXPECT_EQ(limit_of(stages_of(tcgen05(128, 64, 1, Operands::ts), blackwell())), MmaLimit::math);
}

TEST(MmaModel, EveryFormatTakesTheSameCyclesSinceARowIs32Bytes) {
  for (const Number n : {Number::bf16, Number::tf32, Number::e4m3, Number::s8})
    EXPECT_EQ(stages_of({.input = n, .n = 128}, hopper()).math, 64);
  EXPECT_EQ(peak_of({.input = Number::e4m3}, hopper()), 8192);
  EXPECT_EQ(peak_of({.input = Number::tf32}, hopper()), 2048);
  EXPECT_EQ(peak_of({.input = Number::mxf4}, blackwell()), 32768);
}

TEST(MmaModel, ASparseInstructionReadsTwiceAsMuchOfB) {
  const MmaStages s = stages_of({.n = 256, .sparse = true}, hopper());
  EXPECT_EQ(s.math, 128);
  EXPECT_EQ(s.fetch_a + s.fetch_b, 144);
  EXPECT_EQ(unlimited_n({.n = 8, .sparse = true}, hopper()), std::nullopt);
}

TEST(MmaModel, HalfTheRowsUseHalfTheDatapathUnlessAPairSharesThem) {
  EXPECT_EQ(stages_of(tcgen05(64, 128, 1), blackwell()).math, 64);
  EXPECT_EQ(stages_of(tcgen05(128, 128, 1), blackwell()).math, 64);
  EXPECT_EQ(stages_of(tcgen05(128, 128, 2), blackwell()).math, 32);
  EXPECT_EQ(stages_of(tcgen05(256, 128, 2), blackwell()).math, 64);
}

TEST(MmaModel, APairReadsHalfOfBEachAndHoldsThreeInstructions) {
  // 32 + 8 for shared memory, 32 for math: (40 + 32 + 56) / 3.
  const MmaStages s = stages_of(tcgen05(256, 64, 2), blackwell());
  EXPECT_EQ(s.fetch_a + s.fetch_b, 40);
  EXPECT_NEAR(s.pair, 128.0 / 3, 1e-12);
  EXPECT_EQ(limit_of(s), MmaLimit::pair);
}

TEST(MmaModel, FromRegistersTheIssueIsAFloor) {
  const MmaStages s = stages_of({.n = 8, .operands = Operands::rs}, hopper());
  EXPECT_EQ(s.fetch_a, 0);
  EXPECT_EQ(interval_of(s), 13);
  EXPECT_EQ(limit_of(s), MmaLimit::issue);
}

TEST(MmaModel, ABatchIsItsIntervalsAndATrip) {
  EXPECT_EQ(batch_cycles({.n = 128, .in_flight = 1}, hopper()), 64 + 80);
  // From the third on the ten cycles are hidden.
  EXPECT_EQ(batch_cycles({.n = 128, .in_flight = 4}, hopper()), 4 * 64 + 70);
  EXPECT_EQ(batch_cycles({.n = 128, .operands = Operands::rs, .in_flight = 4}, hopper()), 4 * 64 + 60);
  EXPECT_EQ(latency_of({.n = 128}, hopper()), 64 + 80 + 20);
  // Blackwell: 136 + 32 of A's fetch, as the published 168 of M = 128, N = 64, less the loop's 12.
  EXPECT_EQ(latency_of(tcgen05(128, 64, 1), blackwell()), 168);
  EXPECT_EQ(latency_of(tcgen05(256, 64, 2), blackwell()), 202);
}

TEST(MmaModel, WarpgroupsFillEachOthersGaps) {
  EXPECT_EQ(batch_cycles({.n = 128, .groups = 2, .in_flight = 1}, hopper()), 64 + 80 + 6);
  EXPECT_EQ(batch_cycles({.n = 128, .groups = 3, .in_flight = 1}, hopper()), 3 * 64);
  EXPECT_EQ(cycles_of({.n = 128, .groups = 3, .in_flight = 1}, hopper()), 64);
  EXPECT_EQ(rate_of({.n = 128, .groups = 3, .in_flight = 1}, hopper()), 4096);
}

TEST(MmaModel, TheDepthForAShareIsTheFirstThatReachesIt) {
  // 64 + 70 / D <= 64 / 0.9 = 71.1: from D = 10 (71.0).
  EXPECT_EQ(depth_for({.n = 128}, hopper(), 0.9), 10);
  EXPECT_EQ(depth_for({.n = 128}, hopper(), 1.0), std::nullopt);
}

PLUMB_PROPERTY(MmaModel, MoreInFlightIsNeverSlowerAndNeverAboveThePeak, [] {
  const TensorCores tc = hopper();
  Mma w{.n = 8 * *rc::gen::inRange(1, 33),
        .operands = *rc::gen::element(Operands::ss, Operands::rs),
        .sparse = *rc::gen::arbitrary<bool>(),
        .groups = *rc::gen::inRange(1, 3),
        .in_flight = *rc::gen::inRange(1, 200)};
  const double before = cycles_of(w, tc);
  RC_ASSERT(rate_of(w, tc) <= peak_of(w, tc) * (1 + 1e-12));
  ++w.in_flight;
  RC_ASSERT(cycles_of(w, tc) <= before * (1 + 1e-12));
})

PLUMB_PROPERTY(MmaModel, AWiderInstructionNeverHasALowerRate, [] {
  const int sms = *rc::gen::inRange(1, 3);
  Mma w = tcgen05(*rc::gen::element(64, 128) * sms, 16 * *rc::gen::inRange(1, 16), sms,
                  *rc::gen::element(Operands::ss, Operands::ts));
  const auto rate = [&] { return static_cast<double>(flop_of(w)) / interval_of(stages_of(w, blackwell())); };
  const double before = rate();
  w.n += 16;
  RC_ASSERT(rate() >= before * (1 - 1e-12));
})

}  // namespace
}  // namespace plumb::model

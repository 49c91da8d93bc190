// SPDX-License-Identifier: Apache-2.0
// Values worked out by hand from four lanes of 32 bytes over six SMs; those of the published study are named.
#include "model/dsm.h"

#include <gtest/gtest.h>

namespace plumb::model {
namespace {

TEST(DsmModel, AnSmHasTwoThirdsOfALane) { EXPECT_DOUBLE_EQ(lane_share(), 64.0 / 3.0); }

// seanzw/random at 4e8c4f9, dsm_bw/ANALYSIS.md, "Packet and TDM inference".
TEST(DsmModel, DuplexReadsAreThoseOfThePublishedTable) {
  EXPECT_NEAR(duplex_read_rate(64), 14.22, 0.005);
  EXPECT_NEAR(duplex_read_rate(128), 17.07, 0.005);
  EXPECT_NEAR(duplex_read_rate(256), 18.96, 0.005);
}

TEST(DsmModel, AReadOf128BytesCostsFourFlitsAndTwoWayAFifth) {
  EXPECT_DOUBLE_EQ(read_cycles(128, false), 6.0);
  EXPECT_DOUBLE_EQ(read_cycles(128, true), 7.5);
}

// 22 flits of 23 carry payload; an H200 has 20.38 (puts) and 20.40 (stores).
TEST(DsmModel, AcknowledgmentsTakeOneFlitIn23) {
  const Expected rate = duplex_write_rate();
  EXPECT_NEAR(rate.value, 64.0 / 3.0 * 22 / 23, 1e-9);
  EXPECT_NEAR(rate.low, 64.0 / 3.0 * 20 / 21, 1e-9);
  EXPECT_NEAR(rate.high, 64.0 / 3.0 * 24 / 25, 1e-9);
}

TEST(DsmModel, AnSmTakesInOneLane) {
  EXPECT_DOUBLE_EQ(incast_rate(1), 64.0 / 3.0);
  EXPECT_DOUBLE_EQ(incast_rate(2), 32.0);
  EXPECT_DOUBLE_EQ(incast_rate(15), 32.0);
}

TEST(DsmModel, AnEgressBlockGivesBetweenPlainQueuesAndItsLanes) {
  EXPECT_EQ(egress_rate(1), (Expected{32.0, 32.0, 32.0}));
  EXPECT_NEAR(egress_rate(2).low, 48.0, 1e-6);
  EXPECT_DOUBLE_EQ(egress_rate(2).high, 64.0);
  EXPECT_NEAR(egress_rate(3).low, 160.0 / 3.0, 1e-6);
  EXPECT_NEAR(egress_rate(2).value, 56.0, 1e-6);
}

TEST(DsmModel, ThreeSmsOfACpcLoseNothingAndSixMay) {
  const double flits = 23.0 / 22.0;
  EXPECT_DOUBLE_EQ(ring_rate(3, flits).low, ring_rate(3, flits).high);
  EXPECT_NEAR(ring_rate(6, flits).high, 20.41, 0.005);
  EXPECT_NEAR(ring_rate(6, flits).low, 3.03701 * 32 / 6 / flits, 0.001);
}

// 512 bytes in 242 + 24 cycles; 8 KiB are more than the share can carry in 242 + 48.
TEST(DsmModel, LoadsInFlightFollowLittlesLaw) {
  EXPECT_NEAR(in_flight_rate(1, 1).value, 512.0 / 266.0, 1e-9);
  EXPECT_NEAR(in_flight_rate(4, 2).value, 4096.0 / 290.0, 1e-9);
  EXPECT_DOUBLE_EQ(in_flight_rate(8, 2).value, lane_share());
}

TEST(DsmModel, SmallCommandsAreLimitedByTheirSetUp) {
  EXPECT_NEAR(command_rate(1024).value, 1024.0 / 93.0, 1e-9);
  EXPECT_DOUBLE_EQ(command_rate(16384).value, lane_share());
}

}  // namespace
}  // namespace plumb::model

// SPDX-License-Identifier: Apache-2.0
#include "backend/sim/probe.h"

#include "core/validity.h"
#include "support.h"

namespace plumb {
namespace {

using test::message_of;

Case probe(ProbeOp op, int ranks = 16) {
  return {.experiment = "dsm/latency",
          .axes = {{"op", std::string(name_of(op))}},
          .work = Probe{.op = op, .ranks = ranks, .links = 8},
          .samples = 3};
}

std::int64_t cycles(const Measurement& m, std::size_t row_index) {
  return row(m.samples, column::stop_cycles, row_index)[0] -
         row(m.samples, column::start_cycles, row_index)[0];
}

TEST(SimProbe, ALoadTakesTheLegsAndStagesOfTheMachine) {
  // 180 cycles by Luo et al. 2024 (arXiv:2402.13499), which the default legs were set for.
  const Measurement m = SimBackend(SimMachine{}).run(probe(ProbeOp::load));
  EXPECT_EQ(cycles(m, 1), 8 * 180);
  EXPECT_EQ(cycles(m, 0), 0) << "an SM with itself";
  EXPECT_EQ(m.samples.find(column::stop_cycles)->second.size(), 256U);
  EXPECT_EQ(m.samples.find(column::smid)->second.size(), 16U);
  for (const bool good : usable(m.samples)) EXPECT_TRUE(good);
}

TEST(SimProbe, ALongerLegOfOneSmIsInAllItsPairsTwice) {
  SimMachine machine;
  machine.parameters.sm_leg[0] = 5;  // the place of rank 0
  const Measurement m = SimBackend(machine).run(probe(ProbeOp::load));
  EXPECT_EQ(cycles(m, 1), 8 * 190) << "the command's way out and the data's way in, or the other way round";
  EXPECT_EQ(cycles(m, 16), 8 * 190);
  EXPECT_EQ(cycles(m, 18), 8 * 180);
}

TEST(SimProbe, AHandOffIsOneWayAndAnMbarrierComesOnTop) {
  SimBackend sim(SimMachine{});
  const Measurement store = sim.run(probe(ProbeOp::store));
  const Measurement arrive = sim.run(probe(ProbeOp::arrive));
  EXPECT_LT(cycles(store, 1), 8 * 100);
  EXPECT_EQ(cycles(arrive, 1) - cycles(store, 1), 8 * SimMachine{}.parameters.mbarrier_cycles);
}

TEST(SimProbe, WhatTheFabricHasNoPartInComesBackEmptyAndSaysWhy) {
  for (const ProbeOp op : {ProbeOp::l2_store, ProbeOp::l2_release, ProbeOp::l2_atom, ProbeOp::store_release,
                           ProbeOp::sync, ProbeOp::sync_relaxed, ProbeOp::poll, ProbeOp::look_lane}) {
    const Measurement m = SimBackend(SimMachine{}).run(probe(op));
    EXPECT_TRUE(m.samples.empty());
    ASSERT_EQ(m.conditions.flags.size(), 1U);
    EXPECT_EQ(m.conditions.flags[0], "the fabric simulator has no model of " + std::string(name_of(op)) +
                                         ", so there are no samples");
  }
}

TEST(SimProbe, ClustersSideBySideHaveSmsOfTheirOwn) {
  Case c = probe(ProbeOp::put, 4);
  c.site.clusters = 0;
  const Measurement m = SimBackend(SimMachine{}).run(c);
  EXPECT_EQ(m.samples.find(column::smid)->second.size(), 16U);
  EXPECT_EQ(m.samples.find(column::bad_bytes)->second.size(), 64U);
  EXPECT_EQ(count_shared_sms(m.samples), 0U);
}

TEST(SimProbe, AClusterThatDoesNotFitIsRefused) {
  EXPECT_EQ(message_of([] { (void)SimBackend(SimMachine{}).run(probe(ProbeOp::load, 17)); }),
            "probe (load): ranks = 17: a cluster on this machine has 2 to 16 CTAs.");
}

}  // namespace
}  // namespace plumb

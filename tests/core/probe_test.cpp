// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/probe.h"

#include <set>

#include "support.h"

namespace plumb {
namespace {

using test::message_of;

TEST(Probe, NamesGoThereAndBack) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kProbeOps; ++i) {
    const auto op = static_cast<ProbeOp>(i);
    EXPECT_EQ(probe_op_from(name_of(op)), op);
    names.insert(name_of(op));
  }
  EXPECT_EQ(names.size(), kProbeOps);
  EXPECT_EQ(message_of([] { (void)probe_op_from("get"); }).find("unknown probe operation 'get'; allowed"),
            0U);
}

TEST(Probe, HasAParticipantForEachOrderedPairOrEachRank) {
  EXPECT_EQ(participants({.op = ProbeOp::load, .ranks = 16}), 256U);
  EXPECT_EQ(participants({.op = ProbeOp::l2_atom, .ranks = 3}), 9U);
  EXPECT_EQ(participants({.op = ProbeOp::sync, .ranks = 16}), 16U);
  EXPECT_EQ(participants({.op = ProbeOp::look_lane, .ranks = 1}), 1U);
}

TEST(Probe, LegalOnesPass) {
  EXPECT_NO_THROW(validate({.op = ProbeOp::load, .ranks = 2, .links = 2}));
  EXPECT_NO_THROW(validate({.op = ProbeOp::sync, .ranks = 1, .links = kMostLinks, .threads = 1024}));
  EXPECT_NO_THROW(validate({.op = ProbeOp::put, .ranks = 18}, 18));
}

TEST(Probe, EachMistakeIsNamedWithItsValueAndTheRule) {
  const auto fails = [](const Probe& p) { return message_of([&] { validate(p); }); };
  EXPECT_EQ(fails({.op = ProbeOp::load, .ranks = 1}),
            "probe (load): ranks = 1: a cluster on this machine has 2 to 16 CTAs.");
  EXPECT_EQ(fails({.op = ProbeOp::sync, .ranks = 17}),
            "probe (sync): ranks = 17: a cluster on this machine has 1 to 16 CTAs.");
  EXPECT_EQ(fails({.op = ProbeOp::st_async, .links = 33}),
            "probe (st-async): links = 33: allowed are even numbers from 2 to 4096.");
  EXPECT_EQ(fails({.op = ProbeOp::store, .links = 0}),
            "probe (store): links = 0: allowed are even numbers from 2 to 4096.");
  EXPECT_EQ(fails({.op = ProbeOp::store, .links = 4098}),
            "probe (store): links = 4098: allowed are even numbers from 2 to 4096.");
  EXPECT_EQ(fails({.op = ProbeOp::arrive, .threads = 64}),
            "probe (arrive): threads = 64: one thread acts, in a warp of 32.");
  EXPECT_EQ(fails({.op = ProbeOp::sync, .threads = 100}),
            "probe (sync): threads = 100: allowed are multiples of 32 up to 1024.");
  EXPECT_EQ(fails({.op = ProbeOp::sync_relaxed, .threads = 1056}),
            "probe (sync-relaxed): threads = 1056: allowed are multiples of 32 up to 1024.");
}

}  // namespace
}  // namespace plumb

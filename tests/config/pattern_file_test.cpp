// SPDX-License-Identifier: Apache-2.0
#include "config/pattern_file.h"

#include "support.h"

namespace plumb::config {
namespace {

using test::message_of;

std::string said(const std::string& text) {
  return message_of([&] { (void)pattern_from(text, "p.toml"); });
}

/// A file of one flow, its line 6 and on as given.
std::string flow(const std::string& more) {
  return "ranks = 4\n[[flow]]\nsource = 0\ndestination = 1\nop = \"put\"\n" + more;
}

TEST(PatternFile, EveryFieldOfAFlowArrives) {
  const Traffic t = pattern_from(R"(
ranks = 3
[[flow]]
source = 2
destination = 1
op = "store"
bytes = "64KiB"
command = 4096
window = "16 KiB"
delay = 100
burst = "4KiB"
gap = 50
source_skew = 32
destination_skew = 48
warps = 4
in_flight = 8
)",
                                 "p.toml");
  const Flow expected{.source = 2,
                      .destination = 1,
                      .op = Op::store,
                      .bytes = 65536,
                      .command = 4096,
                      .window = 16384,
                      .delay = 100,
                      .burst = 4096,
                      .gap = 50,
                      .source_skew = 32,
                      .destination_skew = 48,
                      .warps = 4,
                      .in_flight = 8};
  EXPECT_EQ(t, (Traffic{.ranks = 3, .flows = {expected}}));
}

TEST(PatternFile, FamiliesFollowTheSingleFlows) {
  const Traffic t = pattern_from(R"(
ranks = 4
[[generate]]
pattern = "ring"
stride = 3
op = "put"
bytes = 1024
[[flow]]
source = 0
destination = 2
op = "load"
bytes = 16
)",
                                 "p.toml");
  ASSERT_EQ(t.flows.size(), 5U);
  EXPECT_EQ(t.flows[0].op, Op::load);
  EXPECT_EQ(t.flows[1], (Flow{.source = 0, .destination = 3, .op = Op::put, .bytes = 1024}));
  EXPECT_EQ(t.flows[4], (Flow{.source = 3, .destination = 2, .op = Op::put, .bytes = 1024}));
}

TEST(PatternFile, TheExampleIsAHaloExchangeOfEight) {
  const Traffic t = read_pattern(PLUMB_SOURCE_DIR "/examples/patterns/halo.toml");
  ASSERT_EQ(t.flows.size(), 16U);
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(t.flows[static_cast<std::size_t>(rank)].destination, (rank + 1) % 8);
    EXPECT_EQ(t.flows[static_cast<std::size_t>(rank) + 8].destination, (rank + 7) % 8);
  }
}

TEST(PatternFile, WhatIsMissingIsNamed) {
  EXPECT_EQ(said(""), "p.toml:1:1: ranks is missing; give the number of SMs that take part.");
  EXPECT_EQ(said("ranks = 4"), "p.toml:1:1: there is no flow; give at least one [[flow]] or [[generate]].");
  EXPECT_EQ(said(flow("")), "p.toml:2:1: bytes is missing; give the payload of the flow.");
  EXPECT_EQ(said("ranks = 4\n[[flow]]\nop = \"put\"\nbytes = 16\n"),
            "p.toml:2:1: source is missing; give the rank that holds the payload before.");
  EXPECT_EQ(said("ranks = 4\n[[generate]]\nop = \"put\"\nbytes = 16\n"),
            "p.toml:2:1: pattern is missing; name one, such as \"ring\".");
}

TEST(PatternFile, AMissingRankIsNamedWithItsPlace) {
  EXPECT_EQ(said("ranks = 16\n[[flow]]\nsource = 0\ndestination = 16\nop = \"put\"\nbytes = 16"),
            "p.toml:4:15: destination = 16: ranks go from 0 to 15.");
  EXPECT_EQ(said("ranks = 16\n[[flow]]\nsource = -1\ndestination = 1\nop = \"put\"\nbytes = 16"),
            "p.toml:3:10: source = -1: ranks go from 0 to 15.");
  EXPECT_EQ(said("ranks = 16\n[[flow]]\nsource = 3\ndestination = 3\nop = \"put\"\nbytes = 16"),
            "p.toml:3:10: flow 0 (put 3 -> 3): source = 3: the source and the destination must differ.");
  EXPECT_EQ(said("ranks = 19\n"), "p.toml:1:9: ranks = 19: allowed is 2 to 18.");
}

TEST(PatternFile, AnImpossibleSizeIsNamedWithItsPlace) {
  EXPECT_EQ(
      said(flow("bytes = 100")),
      "p.toml:6:9: flow 0 (put 0 -> 1): bytes = 100: it must be a multiple of 16 bytes and at least 16.");
  EXPECT_EQ(said(flow("bytes = \"64KB\"")),
            "p.toml:6:9: bytes: '64KB' is no size; write bytes such as 65536, or 64KiB, or 1MiB.");
  EXPECT_EQ(said(flow("bytes = 1.5")),
            "p.toml:6:9: bytes = 1.5: it must be bytes such as 65536, or a text such as \"64KiB\".");
  EXPECT_EQ(said(flow("bytes = -16")), "p.toml:6:9: bytes = -16: allowed is 0 to 1099511627776.");
  EXPECT_EQ(said(flow("bytes = 64\nwindow = 48")),
            "p.toml:7:10: flow 0 (put 0 -> 1): window = 48: it must divide bytes (64 bytes) without a rest.");
  EXPECT_EQ(said(flow("bytes = \"256KiB\"")),
            "p.toml:1:1: rank 0 needs 262144 bytes of shared memory for its tile and the regions where flows "
            "land, and has 204800; give the flows a smaller window.");
}

TEST(PatternFile, AnUnknownWordIsMetWithWhatIsAllowed) {
  EXPECT_EQ(said("ranks = 4\n[[flow]]\nsource = 0\ndestination = 1\nop = \"push\"\nbytes = 16"),
            "p.toml:5:6: op: unknown operation 'push'; allowed are load, store, put.");
  EXPECT_EQ(said("ranks = 4\n[[flow]]\nop = 3\n"),
            "p.toml:3:6: op = 3: allowed are \"load\", \"store\" and \"put\".");
  EXPECT_EQ(said(flow("byts = 16")), "p.toml:6:1: byts: unknown key; did you mean bytes?");
  EXPECT_EQ(said("ranks = 4\nflows = 3"), "p.toml:2:1: flows: unknown key; did you mean flow?");
  EXPECT_EQ(said("ranks = 4\n[[generate]]\npattern = \"rung\"\nop = \"put\"\nbytes = 16"),
            "p.toml:3:11: pattern: unknown pattern 'rung'; allowed are ring, pairs, incast, gather, scatter, "
            "all-to-all.");
  EXPECT_EQ(said("ranks = 4\n[[generate]]\npattern = \"ring\"\nstride = 4\nop = \"put\"\nbytes = 16"),
            "p.toml:4:10: stride: stride = 4: in a ring of 4 it is 1 to 3.");
}

TEST(PatternFile, AWrongShapeIsRefused) {
  EXPECT_EQ(said("ranks = \"four\""), "p.toml:1:9: ranks = \"four\": it must be a whole number.");
  EXPECT_EQ(said("ranks = 4\n[flow]\nsource = 0"), "p.toml:2:2: flow: write it as tables, [[flow]].");
  EXPECT_EQ(said("ranks = 4\nflow = [1]"), "p.toml:2:8: flow: write it as tables, [[flow]].");
  EXPECT_EQ(said(flow("bytes = 64\nwarps = 0")), "p.toml:7:9: warps = 0: allowed is 1 to 31.");
  EXPECT_EQ(
      said("ranks = 4\n[[flow]]\nsource = 0\ndestination = 1\nop = \"load\"\nbytes = 64\nin_flight = 3"),
      "p.toml:7:13: flow 0 (load 0 -> 1): in_flight = 3: allowed are 1, 2, 4 and 8.");
}

TEST(PatternFile, ManyFlowsAreRefusedWhereTheyBegin) {
  std::string text = "ranks = 18\n";
  for (int i = 0; i < 7; ++i) text += "[[generate]]\npattern = \"all-to-all\"\nop = \"put\"\nbytes = 16\n";
  EXPECT_EQ(said(text), "p.toml:26:1: there are more than 2048 flows up to here.");
}

}  // namespace
}  // namespace plumb::config

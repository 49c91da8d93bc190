// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/channel_graph.h"

#include "plumb/fabric/simulation.h"
#include "support.h"

namespace plumb::fabric {
namespace {

using test::message_of;

TEST(ChannelGraph, IsAcyclicForEverySizeOfCluster) {
  for (int ranks = 1; ranks <= 18; ++ranks) {
    const ChannelGraph g(Topology({}, ranks), Parameters{}, Answers::own_channel);
    EXPECT_TRUE(g.cycle().empty()) << ranks;
  }
}

TEST(ChannelGraph, HasTheBuffersAndEdgesOfTwoRanks) {
  // Ranks 0 and 1 share CPC 0. Per channel: 2 injections, 2 ingress buffers, 12 plane inputs, 12 pools and 2
  // deliveries.
  const ChannelGraph g(Topology::h200(2), Parameters{}, Answers::own_channel);
  EXPECT_EQ(g.nodes(), 2U * (2 + 2 + 12 + 12 + 2));
  // Per channel: 2 into the ingress buffers, 2 x 4 to plane inputs, 4 plane inputs x 2 pools of their plane,
  // 4 pools to their rank; and a request's answer at each rank.
  EXPECT_EQ(g.edges(), 2U * (2 + 8 + 8 + 4) + 2U);
}

TEST(ChannelGraph, AnswersOnTheRequestChannelCloseACycle) {
  const ChannelGraph g(Topology::h200(), Parameters{}, Answers::with_requests);
  const std::vector<std::string> cycle = g.cycle();
  ASSERT_FALSE(cycle.empty());
  const auto has = [&](std::string_view part) {
    return std::any_of(cycle.begin(), cycle.end(),
                       [&](const std::string& name) { return name.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(has("injection of rank"));
  EXPECT_TRUE(has("delivery at rank"));
  EXPECT_FALSE(has("(response)"));
}

/// Two SMs that read from each other with small queues: all room fills up with commands before data can move.
Traffic mutual_loads() {
  Traffic t{.ranks = 2, .flows = {}};
  for (int r = 0; r < 2; ++r)
    t.flows.push_back(
        {.source = r, .destination = 1 - r, .op = Op::load, .bytes = 131072, .warps = 31, .in_flight = 8});
  return t;
}

Parameters small_queues() {
  Parameters p;
  p.injection_depth = 32;
  p.delivery_depth = 32;
  p.load_window = 1 << 20;
  p.load_issue = {4096, 1};
  return p;
}

TEST(ChannelGraph, ASimulationWithACycleIsRefused) {
  const std::string message = message_of([] {
    (void)simulate(mutual_loads(), small_queues(), Topology::h200(2), {.answers = Answers::with_requests});
  });
  EXPECT_EQ(message.rfind("the network could deadlock: ", 0), 0U) << message;
}

TEST(Watchdog, ReportsAStuckRunWithWhatEveryHeadFlitWaitsFor) {
  const std::string message = message_of(
      [] {
        (void)simulate(mutual_loads(), small_queues(), Topology::h200(2),
                       {.patience = 5000, .answers = Answers::with_requests, .allow_cycles = true});
      },
      Fault::check);
  EXPECT_NE(message.find("nothing moved for 5000 cycles"), std::string::npos) << message;
  EXPECT_NE(message.find("egress block 0: packet"), std::string::npos) << message;
  EXPECT_NE(message.find("waits for rank 0 to take its requests"), std::string::npos) << message;
  EXPECT_NE(message.find("rank 1: "), std::string::npos) << message;
}

TEST(Watchdog, TheSameRunFinishesWithAnswersOnTheirOwnChannel) {
  const auto r = simulate(mutual_loads(), small_queues(), Topology::h200(2), {.patience = 5000});
  for (const FlowResult& f : r.flows) EXPECT_EQ(f.bad_bytes, 0);
}

}  // namespace
}  // namespace plumb::fabric

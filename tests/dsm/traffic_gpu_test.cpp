// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "backend/cards.h"
#include "backend/cuda/grid.h"
#include "core/validity.h"
#include "dsm/traffic.h"
#include "plumb/core/named_pattern.h"
#include "support.h"

namespace plumb::dsm {
namespace {

using test::message_of;

class TrafficOnCard : public ::testing::Test {
 protected:
  void SetUp() override {
    const Cards found = find_cards();
    if (found.cards.empty()) GTEST_SKIP() << "no card: " << found.why_none;
    if (!found.cards.front().clusters) GTEST_SKIP() << found.cards.front().name << " has no clusters";
  }
};

void expect_all_right(const Traffic& traffic) {
  constexpr int kSamples = 5;
  const Samples s = run_traffic(traffic, {}, kSamples, 42);
  const auto good = usable(s);
  ASSERT_EQ(good.size(), static_cast<std::size_t>(kSamples));
  EXPECT_TRUE(std::all_of(good.begin(), good.end(), [](bool b) { return b; }));
  EXPECT_EQ(count_wrong_payload(s), 0U);
  EXPECT_EQ(count_shared_sms(s), 0U);
  EXPECT_EQ(s.at(std::string(column::smid)).size(), static_cast<std::size_t>(traffic.ranks));
}

TEST_F(TrafficOnCard, EveryOperationMovesEveryByteAtOddSizes) {
  for (const Op op : {Op::load, Op::store, Op::put}) {
    for (const std::int64_t bytes : {16, 48, 512, 4080, 65552}) {
      for (const int in_flight : {1, 2, 4, 8}) {
        SCOPED_TRACE(std::string(name_of(op)) + " " + std::to_string(bytes) + " " +
                     std::to_string(in_flight));
        expect_all_right({.ranks = 2,
                          .flows = {{.source = 1,
                                     .destination = 0,
                                     .op = op,
                                     .bytes = bytes,
                                     .command = 4096,
                                     .warps = 3,
                                     .in_flight = in_flight}}});
      }
    }
  }
}

TEST_F(TrafficOnCard, WindowsBurstsGapsDelaysAndSkewsKeepThePayloadRight) {
  for (const Op op : {Op::load, Op::store, Op::put})
    expect_all_right({.ranks = 3,
                      .flows = {{.source = 2,
                                 .destination = 0,
                                 .op = op,
                                 .bytes = 65536,
                                 .command = 2048,
                                 .window = 16384,
                                 .delay = 3000,
                                 .burst = 4096,
                                 .gap = 500,
                                 .source_skew = 48,
                                 .destination_skew = 80},
                                {.source = 1, .destination = 0, .op = op, .bytes = 8192}}});
}

TEST_F(TrafficOnCard, AllToAllOverSixteenRanks) {
  Traffic t{.ranks = 16, .flows = {}};
  for (int s = 0; s < 16; ++s)
    for (int d = 0; d < 16; ++d)
      if (s != d) t.flows.push_back({.source = s, .destination = d, .op = Op::put, .bytes = 8192});
  expect_all_right(t);
  for (Flow& f : t.flows) {
    f.op = Op::load;
    f.warps = 2;
  }
  expect_all_right(t);
}

TEST_F(TrafficOnCard, ADelayDoesNotCountAndAGapDoes) {
  const auto cycles = [](std::int64_t delay, std::int64_t gap) {
    const Samples s = run_traffic({.ranks = 2,
                                   .flows = {{.source = 1,
                                              .destination = 0,
                                              .op = Op::load,
                                              .bytes = 8192,
                                              .delay = delay,
                                              .burst = 4096,
                                              .gap = gap}}},
                                  {}, 9, 1);
    const auto start = row(s, column::start_cycles, 0);
    const auto stop = row(s, column::stop_cycles, 0);
    std::vector<std::int64_t> d(start.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = stop[i] - start[i];
    std::nth_element(d.begin(), d.begin() + 4, d.end());
    return d[4];
  };
  const std::int64_t plain = cycles(0, 0);
  EXPECT_NEAR(static_cast<double>(cycles(100000, 0)), static_cast<double>(plain), 300.0);
  EXPECT_NEAR(static_cast<double>(cycles(0, 100000)), static_cast<double>(plain + 100000), 300.0);
}

TEST_F(TrafficOnCard, ClustersSideBySideAreOnSmsOfTheirOwnAndMoveEveryByte) {
  const Traffic ring = make_pattern("ring", {.ranks = 4}, {.op = Op::put, .bytes = 32768});
  const Samples s = run_traffic(ring, {.clusters = 0}, 6, 3);
  const std::size_t clusters = s.find(column::smid)->second.size() / 4;
  EXPECT_GE(clusters, 20U) << "an H200 holds 30";
  EXPECT_EQ(s.find(column::bad_bytes)->second.size(), clusters * 4);
  EXPECT_EQ(count_wrong_payload(s), 0U);
  EXPECT_EQ(count_shared_sms(s), 0U);
  // All start together: on the common nanosecond clock, within a few microseconds.
  const Column& start = s.find(column::start_ns)->second;
  const auto [first, last] = std::minmax_element(start.begin(), start.end());
  EXPECT_LT(last->front() - first->front(), 5000);
}

TEST_F(TrafficOnCard, AChosenGpcIsWhereTheClusterIs) {
  const auto& all = cuda::gpcs();
  for (std::size_t g = 0; g < all.size(); ++g) {
    if (all[g].size() < 8) continue;
    const Samples s = run_traffic(make_pattern("ring", {.ranks = 8}, {.op = Op::load, .bytes = 16384}),
                                  {.gpc = static_cast<int>(g)}, 3, 3);
    for (const auto& sm : s.find(column::smid)->second)
      EXPECT_TRUE(std::ranges::count(all[g], static_cast<int>(sm.front()))) << "GPC " << g;
  }
  EXPECT_EQ(message_of([] {
              (void)run_traffic(make_pattern("ring", {.ranks = 2}, {.op = Op::load, .bytes = 16384}),
                                {.gpc = 99}, 3, 3);
            }).find("gpc = 99: this card has GPCs 0 to "),
            0U);
}

TEST_F(TrafficOnCard, ABackgroundReadsUntilTheFlowsAreDone) {
  for (const Memory memory : {Memory::shared, Memory::shared_conflict, Memory::l2, Memory::dram}) {
    const Traffic t{
        .ranks = 2,
        .flows = {{.source = 1, .destination = 0, .op = Op::load, .bytes = 65536, .delay = 20000}},
        .background = {{.rank = 1, .memory = memory, .warps = 4}}};
    const Samples s = run_traffic(t, {}, 6, 1);
    EXPECT_EQ(count_wrong_payload(s), 0U);
    const auto start = row(s, column::start_cycles, 1);
    const auto stop = row(s, column::stop_cycles, 1);
    const auto read = row(s, column::read_bytes, 0);
    ASSERT_EQ(read.size(), 6U);
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_GT(stop[i] - start[i], 20000 + 3000) << name_of(memory) << ": it outlives the flow";
      EXPECT_GT(read[i], 65536) << name_of(memory);
      EXPECT_LE(static_cast<double>(read[i]), 128.0 * static_cast<double>(stop[i] - start[i]))
          << name_of(memory);
    }
  }
}

TEST_F(TrafficOnCard, MoreClustersThanFitAreRefused) {
  EXPECT_EQ(message_of([] {
              (void)run_traffic(make_pattern("ring", {.ranks = 16}, {.op = Op::load, .bytes = 16384}),
                                {.clusters = 50}, 3, 3);
            }).find("clusters = 50: this card holds at most "),
            0U);
}

TEST_F(TrafficOnCard, ALostCompletionIsAnErrorThatNamesTheFlow) {
  // The second burst leaves after the destination has given up: the same as one that never comes.
  const Traffic t{
      .ranks = 2,
      .flows = {
          {.source = 0, .destination = 1, .op = Op::put, .bytes = 8192, .burst = 4096, .gap = 60'000'000}}};
  EXPECT_EQ(message_of([&] { (void)run_traffic(t, {}, 3, 1); }, Fault::device),
            "flow 0 (put 0 -> 1, 8192 bytes): its completion did not come within 40 million SM cycles.");
  expect_all_right({.ranks = 2, .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = 8192}}});
}

}  // namespace
}  // namespace plumb::dsm

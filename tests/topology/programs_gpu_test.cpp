// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "backend/cards.h"
#include "backend/cuda/grid.h"
#include "core/validity.h"
#include "support.h"
#include "topology/programs.h"

namespace plumb::topology {
namespace {

class TopologyOnCard : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_cards().cards.empty()) GTEST_SKIP() << find_cards().why_none;
  }
};

bool all_zero(const Samples& samples) {
  const Column& bad = samples.at(std::string(column::bad_bytes));
  return std::all_of(bad.begin(), bad.end(), [](const auto& row) {
    return std::all_of(row.begin(), row.end(), [](std::int64_t v) { return v == 0; });
  });
}

TEST_F(TopologyOnCard, OneCtaAnSmIsOneOnEverySm) {
  const Samples samples = run_census({.ranks = 1}, {}, 2);
  std::set<std::int64_t> sms;
  for (const auto& row : samples.at("smid")) sms.insert(row[0]);
  EXPECT_EQ(static_cast<int>(sms.size()), cuda::sm_count());
  EXPECT_EQ(samples.at("fitting")[0][0], cuda::sm_count());
}

TEST_F(TopologyOnCard, AsManyClustersAreThereAtOnceAsTheDriverSays) {
  for (const int ranks : {2, 8, 9, 16}) {
    const Census census{.ranks = ranks};
    const Samples samples = run_census(census, {}, 1);
    const Column& arrived = samples.at("arrived_ns");
    const auto first =
        std::count_if(arrived.begin(), arrived.end(), [&](const auto& row) { return row[0] < census.hold; });
    EXPECT_EQ(first, samples.at("fitting")[0][0] * ranks) << ranks;
  }
}

TEST_F(TopologyOnCard, PreferredClusters) {
  std::string error = "none";
  try {
    const Samples samples = run_census({.ranks = 2, .preferred = 8, .clusters = 64}, {}, 1);
    error = "ran, fitting " + std::to_string(samples.at("fitting")[0][0]);
  } catch (const std::exception& e) {
    error = e.what();
  }
  RecordProperty("outcome", error);
  std::printf("preferred: %s\n", error.c_str());
}

TEST_F(TopologyOnCard, LookUpsHitInL2AndReadWhatIsThere) {
  const Lookup lookup{.addresses = 8, .span = 1 << 16};
  const Samples samples = run_lookup(lookup, 3);
  EXPECT_TRUE(all_zero(samples));
  const Column& cycles = samples.at("cycles");
  ASSERT_EQ(cycles.size(), static_cast<std::size_t>(cuda::sm_count()) * 8);
  for (const auto& row : cycles) {
    ASSERT_EQ(row.size(), 3U);
    // Above what an L1 takes, below what DRAM does.
    EXPECT_GT(row[0], 150 * kLookupLoads);
    EXPECT_LT(row[0], 450 * kLookupLoads);
  }
}

TEST_F(TopologyOnCard, WalksMoveEveryByte) {
  for (const WalkOp op : {WalkOp::read, WalkOp::write}) {
    for (const bool same : {false, true}) {
      for (const std::int64_t window : {kLeastWindow, std::int64_t{1} << 18}) {
        const Walk walk{.op = op, .sms = {0, 1, 5}, .window = window, .rounds = 4, .same = same};
        const Samples samples = run_walk(walk, 3);
        EXPECT_TRUE(all_zero(samples)) << name_of(op) << ' ' << same << ' ' << window;
        ASSERT_EQ(samples.at("smid").size(), 3U);
        EXPECT_EQ(samples.at("smid")[2][0], 5);
        for (const bool good : usable(samples)) EXPECT_TRUE(good);
      }
    }
  }
}

TEST_F(TopologyOnCard, AnSmThatTheCardLacksIsAnError) {
  const std::string message = test::message_of([] { (void)run_walk({.sms = {100'000}}, 1); });
  EXPECT_EQ(message.find("sms = 100000: this card has SMs 0 to "), 0U) << message;
}

}  // namespace
}  // namespace plumb::topology

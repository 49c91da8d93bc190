// SPDX-License-Identifier: Apache-2.0
#include "dsm/tomography/trial.h"

#include <cmath>
#include <set>

#include "dsm/tomography/draw.h"
#include "support.h"

namespace plumb::dsm::tomo {
namespace {

const Trial kBlockTest{.kind = Kind::block,
                       .streams = {{.sources = {0, 2, 4}, .destination = 7},
                                   {.sources = {8}, .destination = 1},
                                   {.sources = {10}, .destination = 3}}};

/// Samples of a case in which stream after stream takes `cycles`, on the SMs from `first_sm` on.
Measurement measured(const Case& c, const std::vector<std::int64_t>& cycles, std::int64_t first_sm,
                     std::size_t samples = 5) {
  Measurement m{.point = c, .samples = {}, .conditions = {}};
  for (const std::int64_t t : cycles) {
    for (const auto name : {column::start_cycles, column::start_ns, column::bad_bytes})
      m.samples[std::string(name)].emplace_back(samples, 0);
    m.samples[std::string(column::stop_cycles)].emplace_back(samples, t);
    m.samples[std::string(column::stop_ns)].emplace_back(samples, t / 2);
  }
  for (int r = 0; r < traffic_of(c).ranks; ++r)
    m.samples[std::string(column::smid)].emplace_back(samples, first_sm + r);
  return m;
}

TEST(Trial, ACaseSaysItsPlanInItsIdentity) {
  const Case c = case_of(kBlockTest, 16, 30);
  EXPECT_EQ(id_of(c), "dsm/tomography kind=block plan=0+2+4>7 8>1 10>3");
  const Traffic& t = traffic_of(c);
  ASSERT_EQ(t.flows.size(), 5U);
  EXPECT_EQ(t.flows[1].source, 2);
  EXPECT_EQ(t.flows[1].destination, 7);
  EXPECT_EQ(t.flows[1].bytes, 48 * 1024) << "144 KiB by three";
  EXPECT_EQ(t.flows[4].bytes, 32 * 1024);
}

TEST(Trial, ReadsBackWhatItWasAndHowFastEachStreamWas) {
  const Case c = case_of(kBlockTest, 16, 5);
  const auto outcomes = read_outcomes(std::vector{measured(c, {4600, 4700, 4608, 4096, 2048}, 20)});
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].trial.kind, Kind::block);
  EXPECT_EQ(outcomes[0].trial.streams, kBlockTest.streams);
  EXPECT_NEAR(std::exp(outcomes[0].readings[0].log_rate), 147456.0 / 4700, 1e-9) << "until the last";
  EXPECT_NEAR(std::exp(outcomes[0].readings[1].log_rate), 8.0, 1e-9);
  EXPECT_NEAR(std::exp(outcomes[0].readings[2].log_rate), 16.0, 1e-9);
  EXPECT_EQ(outcomes[0].readings[1].error, 0.0);
}

TEST(Trial, SamplesOnOtherSmsDoNotCount) {
  Trial other = kBlockTest;
  other.streams[1].sources = {9};
  const Case here = case_of(kBlockTest, 16, 5);
  const Case there = case_of(other, 16, 5);
  const std::vector<Measurement> run{measured(here, {4600, 4700, 4608, 4096, 2048}, 20, 9),
                                     measured(there, {4600, 4700, 4608, 4096, 2048}, 40, 5)};
  const auto outcomes = read_outcomes(run);
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].trial.streams[1].sources, std::vector{8});
}

TEST(Trial, WrongBytesAndForeignCasesAreLeftOut) {
  const Case c = case_of(kBlockTest, 16, 5);
  Measurement wrong = measured(c, {4600, 4700, 4608, 4096, 2048}, 20);
  wrong.samples[std::string(column::bad_bytes)][0].assign(5, 1);
  EXPECT_TRUE(read_outcomes(std::vector{wrong}).empty());
  Measurement foreign = measured(c, {4600, 4700, 4608, 4096, 2048}, 20);
  foreign.point.axes["kind"] = "rumour";
  EXPECT_TRUE(read_outcomes(std::vector{foreign}).empty());
}

TEST(Draw, ACoverBringsEveryTwoRanksTogether) {
  for (const int ranks : {8, 11, 16, 18}) {
    std::set<std::pair<int, int>> met;
    const auto cover = screen_cover(ranks, 3);
    for (const Trial& t : cover) {
      std::set<int> seen;
      for (const Stream& a : t.streams) {
        EXPECT_EQ(a.sources.size(), 3U);
        seen.insert(a.destination);
        seen.insert(a.sources.begin(), a.sources.end());
        for (const Stream& b : t.streams) met.emplace(a.destination, b.destination);
      }
      EXPECT_EQ(seen.size(), t.streams.size() * 4) << "no rank has two parts";
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(ranks * ranks));
    EXPECT_LT(cover.size(), static_cast<std::size_t>(ranks * ranks) / 2);
  }
  EXPECT_TRUE(screen_cover(7, 3).empty());
}

}  // namespace
}  // namespace plumb::dsm::tomo

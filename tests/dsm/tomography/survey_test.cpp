// SPDX-License-Identifier: Apache-2.0
#include "dsm/tomography/survey.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "dsm/experiments.h"
#include "dsm/schedule.h"
#include "dsm/tomography/draw.h"
#include "dsm/tomography/planted.h"
#include "support.h"

namespace plumb::dsm::tomo {
namespace {

using test::Planted;
using test::Verdict;

/// A GPC in a few rules, without a simulator: what a test reads follows from who shares what.
struct Rules {
  std::vector<int> block;  ///< of each rank; its CPC is half of that
  double scatter = 0.01;
  std::mt19937_64 random{7};

  [[nodiscard]] int ranks() const { return static_cast<int>(block.size()); }
  [[nodiscard]] int block_of(int r) const { return block[static_cast<std::size_t>(r)]; }
  [[nodiscard]] bool collides(const Trial& t, std::size_t i) const {
    const auto same_block = [&](std::size_t j) {
      return j != i && block_of(t.streams[j].destination) == block_of(t.streams[i].destination);
    };
    if (t.kind == Kind::screen || t.kind == Kind::pair) {
      for (std::size_t j = 0; j < t.streams.size(); ++j)
        if (same_block(j)) return true;
      return false;
    }
    const auto& fill = t.streams[0].sources;
    return i > 0 && same_block(0) && std::any_of(fill.begin(), fill.end(), [&](int s) {
             return block_of(s) / 2 == block_of(t.streams[i].sources[0]) / 2;
           });
  }
  [[nodiscard]] Outcome outcome(const Trial& t) {
    Outcome o{.trial = t, .readings = {}};
    for (std::size_t i = 0; i < t.streams.size(); ++i) {
      const double u = static_cast<double>(random() >> 11) * 0x1p-53;
      o.readings.push_back({.log_rate = std::log(collides(t, i) ? 10.0 : 17.0) + scatter * (2.0 * u - 1.0),
                            .error = scatter / 5});
    }
    return o;
  }
};

std::vector<Outcome> ask(Rules rules) {
  std::vector<Outcome> outcomes;
  for (auto trials = screen_cover(rules.ranks(), 5); !trials.empty();
       trials = Survey(rules.ranks(), outcomes).next())
    for (const Trial& t : trials) outcomes.push_back(rules.outcome(t));
  return outcomes;
}

/// Which group each rank is in.
std::vector<int> labels(const std::vector<Mask>& groups, int ranks) {
  std::vector<int> out;
  for (int r = 0; r < ranks; ++r) {
    const auto it = std::find_if(groups.begin(), groups.end(), [&](Mask g) { return (g >> r & 1U) != 0; });
    out.push_back(static_cast<int>(it - groups.begin()));
  }
  return out;
}

bool same_partition(const std::vector<int>& a, const std::vector<int>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((a[i] == a[j]) != (b[i] == b[j])) return false;
  return a.size() == b.size();
}

const std::vector<int> kH200{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3};

TEST(Survey, FindsBlocksAndCpcsByRules) {
  const auto outcomes = ask({.block = kH200});
  const Answer a = Survey(16, outcomes).answer();
  EXPECT_EQ(a.blocks.doubt, "");
  EXPECT_EQ(a.cpcs.doubt, "");
  EXPECT_EQ(a.blocks.groups, (std::vector<Mask>{0b1000001000001, 0b10000010000010, 0b100000100000100,
                                                0b1000001000001000, 0b10000010000, 0b100000100000}));
  EXPECT_EQ(a.cpcs.groups, (std::vector<Mask>{0b11000011000011, 0b1100001100001100, 0b110000110000}));
  EXPECT_GE(a.blocks.posterior.confidence, kSure);
  EXPECT_LT(outcomes.size(), 200U);
}

TEST(Survey, AnAnswerIsNotAskedForAgain) {
  const auto outcomes = ask({.block = kH200});
  EXPECT_TRUE(Survey(16, outcomes).next().empty());
}

TEST(Survey, GoesOnFromWhereverItWasInterrupted) {
  const auto outcomes = ask({.block = kH200});
  Rules rules{.block = kH200};
  for (std::size_t keep = 1; keep < outcomes.size(); keep += 17) {
    std::vector<Outcome> some(outcomes.begin(), outcomes.begin() + static_cast<std::ptrdiff_t>(keep));
    for (auto t = Survey(16, some).next(); !t.empty(); t = Survey(16, some).next())
      for (const Trial& trial : t) some.push_back(rules.outcome(trial));
    EXPECT_EQ(Survey(16, some).answer().cpcs.doubt, "") << "from " << keep;
  }
}

TEST(Survey, OneLyingTestDoesNotMakeItWrong) {
  auto outcomes = ask({.block = kH200});
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    auto lied = outcomes;
    for (Reading& r : lied[i].readings) r.log_rate = std::log(10.0 * 17.0) - r.log_rate;
    const Answer a = Survey(16, lied).answer();
    if (a.blocks.doubt.empty()) {
      EXPECT_TRUE(same_partition(labels(a.blocks.groups, 16), kH200)) << i;
    }
  }
}

PLUMB_PROPERTY(Survey, RankNumbersMeanNothing, [] {
  std::vector<int> to(16);
  std::iota(to.begin(), to.end(), 0);
  Draw draw(*rc::gen::arbitrary<std::uint64_t>());
  draw.shuffle(to);
  const auto renamed = [&](int r) { return to[static_cast<std::size_t>(r)]; };
  static const std::vector<Outcome> kOutcomes = ask({.block = kH200});
  std::vector<Outcome> permuted = kOutcomes;
  for (Outcome& o : permuted) {
    for (Stream& s : o.trial.streams) {
      s.destination = renamed(s.destination);
      for (int& source : s.sources) source = renamed(source);
    }
  }
  const Answer a = Survey(16, kOutcomes).answer();
  const Answer b = Survey(16, permuted).answer();
  RC_ASSERT(std::abs(a.blocks.posterior.confidence - b.blocks.posterior.confidence) < 1e-9);
  for (const auto& [was, is] : {std::pair(&a.blocks, &b.blocks), std::pair(&a.cpcs, &b.cpcs)}) {
    RC_ASSERT(is->doubt.empty());
    const std::vector<int> before = labels(was->groups, 16);
    const std::vector<int> after = labels(is->groups, 16);
    std::vector<int> expected(16);
    for (int r = 0; r < 16; ++r)
      expected[static_cast<std::size_t>(renamed(r))] = before[static_cast<std::size_t>(r)];
    RC_ASSERT(same_partition(after, expected));
  }
});

PLUMB_PROPERTY(Survey, AnyGpcAndAnyOrderOfRanksIsFound, [] {
  std::vector<int> block{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5};
  const int off = (*rc::gen::inRange(0, 10) + 2) / 3;  // none for a tenth: 18 ranks take longer
  if (off > 0) {
    const auto first = block.begin() + std::ptrdiff_t{6} * (off - 1);
    block.erase(first + 3);
    block.erase(first);
  }
  Draw draw(*rc::gen::arbitrary<std::uint64_t>());
  draw.shuffle(block);
  Rules rules{.block = block};
  rules.random.seed(*rc::gen::arbitrary<std::uint64_t>());
  const Answer a = Survey(rules.ranks(), ask(rules)).answer();
  RC_ASSERT(a.blocks.doubt.empty());
  RC_ASSERT(a.cpcs.doubt.empty());
  RC_ASSERT(same_partition(labels(a.blocks.groups, rules.ranks()), block));
});

class EveryFloorsweeping : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryFloorsweeping, IsFoundOnTheSimulator) {
  const auto off = test::floorsweepings()[GetParam()];
  const int ranks = 18 - static_cast<int>(off.size());
  const test::Survey s =
      test::survey({.machine = test::placed(off, GetParam()), .ranks = ranks, .seed = GetParam() + 1});
  EXPECT_EQ(s.blocks, Verdict::right);
  EXPECT_EQ(s.cpcs, Verdict::right);
  EXPECT_LT(s.measurements.size(), 250U);
  for (const Measurement& m : s.measurements)
    if (ranks <= kMaxRanks) {
      EXPECT_NO_THROW((void)schedule(traffic_of(m.point))) << id_of(m.point);
    }
}

INSTANTIATE_TEST_SUITE_P(Gpc, EveryFloorsweeping, testing::Range(std::size_t{0}, std::size_t{10}));

std::string note_of(const test::Survey& s, const std::string& name) {
  for (const Finding& f : s.findings)
    if (f.name == name && !f.notes.empty()) return f.notes.front();
  return {};
}

TEST(SurveyOnSim, HopelessNoiseIsUndetermined) {
  const test::Survey s = test::survey({.machine = SimMachine{}, .noise = 1.5});
  EXPECT_EQ(s.blocks, Verdict::undetermined);
  EXPECT_EQ(s.cpcs, Verdict::undetermined);
  EXPECT_EQ(note_of(s, "dsm/tomography/block/confidence").find("undetermined: "), 0U);
}

TEST(SurveyOnSim, AMachineWhoseLanesAreNeverFullIsUndetermined) {
  Planted planted{.machine = SimMachine{}};
  planted.machine.parameters.shaper_rate = {1, 8};
  const test::Survey s = test::survey(planted);
  EXPECT_EQ(s.blocks, Verdict::undetermined);
  EXPECT_EQ(s.cpcs, Verdict::undetermined);
  EXPECT_EQ(note_of(s, "dsm/tomography/block/confidence"),
            "undetermined: no two pairs of destinations collide clearly enough to go on with");
}

TEST(SurveyOnSim, SmallClustersAreFoundOrUndetermined) {
  const test::Survey twelve = test::survey({.machine = SimMachine{}, .ranks = 12});
  EXPECT_EQ(twelve.blocks, Verdict::right);
  EXPECT_EQ(twelve.cpcs, Verdict::right);
  for (const int ranks : {2, 8}) {
    const test::Survey few = test::survey({.machine = SimMachine{}, .ranks = ranks});
    EXPECT_EQ(few.blocks, Verdict::undetermined) << ranks;
    EXPECT_EQ(few.cpcs, Verdict::undetermined) << ranks;
  }
}

}  // namespace
}  // namespace plumb::dsm::tomo

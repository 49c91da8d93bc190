// SPDX-License-Identifier: Apache-2.0
#include "infer/verdict.h"

#include <cmath>
#include <map>
#include <random>

#include "infer/planted.h"
#include "support.h"

namespace plumb::infer {
namespace {

using test::machine_with;
using test::recorded;

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back("pattern " + std::to_string(i));
  return out;
}

TEST(Compare, NeedsOddsOfAThousandAndMoreThanChance) {
  const std::vector<double> quiet(16, 0.01);
  // log 1000 is 6.91: 16 patterns of 0.44 make 7.04, of 0.43 make 6.88.
  EXPECT_EQ(compare(std::vector<double>(16, 0.44), quiet, names(16)).verdict, Verdict::refuted);
  EXPECT_EQ(compare(std::vector<double>(16, 0.43), quiet, names(16)).verdict, Verdict::survives);
  EXPECT_EQ(compare(std::vector<double>(16, -0.44), quiet, names(16)).verdict, Verdict::survives);
  EXPECT_EQ(compare(std::vector<double>(16, 0.01), quiet, names(16)).verdict, Verdict::cannot_tell);
  // Sixteen patterns of chance 1 have a standard deviation of 4, and t with 16 degrees its 99.9 % at 3.686.
  const std::vector<double> loud(16, 1.0);
  EXPECT_DOUBLE_EQ(compare(loud, loud, names(16)).chance, 4.0);
  EXPECT_EQ(compare(std::vector<double>(16, 0.93), loud, names(16)).verdict, Verdict::refuted);
  EXPECT_EQ(compare(std::vector<double>(16, 0.91), loud, names(16)).verdict, Verdict::survives);
}

TEST(Compare, OnePatternCanDecide) {
  std::vector<double> losses(16, 0.0);
  losses[3] = 8.0;
  EXPECT_EQ(compare(losses, std::vector<double>(16, 0.1), names(16)).verdict, Verdict::refuted);
}

TEST(Compare, SizesOfOnePatternCountOnce) {
  const std::vector<std::string> same(16, "one pattern");
  EXPECT_DOUBLE_EQ(compare(std::vector<double>(16, 1.0), std::vector<double>(16, 0.5), same).loss, 1.0);
}

TEST(Compare, NoiseAloneRefutesLessThanOnceInAHundred) {
  std::mt19937_64 random(11);
  std::student_t_distribution<double> noise(4.0);
  for (const std::size_t patterns : {3U, 12U, 40U, 200U}) {
    const auto of = names(patterns);
    int refuted = 0;
    constexpr int kTrials = 4000;
    for (int t = 0; t < kTrials; ++t) {
      std::vector<double> losses(patterns);
      std::vector<double> chances(patterns);
      for (double& l : losses) l = 3 * noise(random);
      for (double& c : chances) c = 3 * noise(random);
      refuted += compare(losses, chances, of).verdict == Verdict::refuted ? 1 : 0;
    }
    EXPECT_LT(refuted, kTrials / 100) << patterns;
  }
}

/// `truth` made the recording, and `name` is judged against `machine`.
Judged judged(const SimMachine& truth, const SimMachine& machine, const std::string& name,
              std::uint64_t seed = 5, int evaluations = 16) {
  const auto cases = recorded(truth, 0.003, seed);
  const Hypothesis h = hypothesis(name, machine.parameters);
  return judge(cases, machine, std::vector{h},
               {.free = {"load_turnaround", "start_cycles"},
                .evaluations = evaluations,
                .cases = 1000,
                .progress = {}})[0];
}

TEST(Judge, EachPlantedHypothesisIsIdentified) {
  const std::map<std::string, void (*)(fabric::Parameters&)> planted{
      {"port=half_duplex", [](fabric::Parameters& p) { p.port = fabric::Port::half_duplex; }},
      {"acks=each", [](fabric::Parameters& p) { p.acks = fabric::Acks::each; }},
      {"shaper=none", [](fabric::Parameters& p) { p.shaper = fabric::Shaper::none; }},
      {"quantum-64", [](fabric::Parameters& p) { p.response_quantum = 64; }},
      {"quantum-256", [](fabric::Parameters& p) { p.response_quantum = 256; }},
      {"flit-64", [](fabric::Parameters& p) { p.flit_bytes = 64; }},
      {"response-header", [](fabric::Parameters& p) { p.response_header_flits = 1; }},
      {"load-unit-stall",
       [](fabric::Parameters& p) {
         p.load_issue = {8, 1};
       }},
      {"planes=first", [](fabric::Parameters& p) { p.planes = fabric::Planes::first; }},
  };
  for (const auto& [name, change] : planted) {
    if (name == "load-unit-stall" || name == "planes=first") continue;  // nothing in two SMs depends on them
    const Judged right = judged(machine_with(change), SimMachine{}, name);
    EXPECT_EQ(right.comparison.verdict, Verdict::survives) << name << ' ' << right.failure;
    EXPECT_LT(right.comparison.loss, -2.0) << name << ": better than the machine without it";
    const Judged wrong = judged(SimMachine{}, SimMachine{}, name);
    EXPECT_EQ(wrong.comparison.verdict, Verdict::refuted) << name << ' ' << wrong.comparison.loss;
    ASSERT_TRUE(wrong.deciding.has_value()) << name;
    EXPECT_NE(wrong.deciding->text.find(" B/cycle on the card, "), std::string::npos) << wrong.deciding->text;
    EXPECT_NE(wrong.deciding->text.find(" with " + name + "."), std::string::npos);
  }
}

TEST(Judge, NoiseAloneRefutesNothing) {
  // One flow at a time: neither the hash nor the planes' switch can matter.
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const char* name : {"route_hash=xor_fold", "one-pass", "hash_salt=3"}) {
      const Judged j = judged(SimMachine{}, SimMachine{}, name, seed, 4);
      EXPECT_NE(j.comparison.verdict, Verdict::refuted) << name << ' ' << seed << ' ' << j.comparison.loss;
    }
  }
}

TEST(Hypotheses, CoverEveryRegisteredVariantButTheMachinesOwn) {
  const fabric::Parameters machine;
  std::map<std::string, Hypothesis> all;
  for (const Hypothesis& h : hypotheses(machine)) {
    EXPECT_NE(applied(h, machine), machine) << h.name;
    EXPECT_FALSE(h.claim.empty()) << h.name;
    EXPECT_TRUE(all.emplace(h.name, h).second) << h.name << " is there twice";
  }
  for (const char* name :
       {"clock-1GHz", "port=half_duplex", "flit-64", "quantum-64", "quantum-256", "tpc_bypass=true",
        "destination-stall", "load-unit-stall", "bucket-64", "shaper=share", "planes=first", "acks=each",
        "shaper=tdm", "route_hash=random", "plane_queueing=fifo", "plane_allocator=greedy"})
    EXPECT_TRUE(all.contains(name)) << name;
  EXPECT_FALSE(all.contains("shaper=hard"));
}

TEST(Hypotheses, AreFoundByNameOrMadeOfParameters) {
  const fabric::Parameters machine;
  EXPECT_TRUE(hypothesis("machine", machine).changes.empty());
  EXPECT_EQ(applied(hypothesis("plane_depth=8,shaper=tdm", machine), machine).plane_depth, 8);
  EXPECT_EQ(plumb::test::message_of([&] { (void)hypothesis("shaper=soft", machine); }),
            "shaper = soft: allowed are hard, tdm, bucket, share, none.");
  EXPECT_EQ(plumb::test::message_of([&] {
              (void)hypothesis("magic", machine);
            }).find("magic: no such hypothesis; there are machine, shaper=tdm, "),
            0U);
}

TEST(SpreadOut, TakesAllFamiliesAlike) {
  std::vector<ObservedCase> cases;
  for (int i = 0; i < 110; ++i) {
    cases.emplace_back();
    cases.back().family = i < 100 ? "large" : "small";
    cases.back().point.experiment = std::to_string(i);
  }
  const auto some = spread_out(cases, 30);
  EXPECT_EQ(some.size(), 30U);
  EXPECT_EQ(std::ranges::count(some, "small", &ObservedCase::family), 10);
  EXPECT_EQ(spread_out(cases, 1000).size(), 110U);
}

}  // namespace
}  // namespace plumb::infer

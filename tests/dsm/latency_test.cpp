// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "dsm/experiments.h"
#include "dsm/latency_findings.h"
#include "support.h"

namespace plumb::dsm {
namespace {

constexpr int kLinks = 10;
constexpr int kSamples = 5;

/// A probe's samples on clusters whose rank r is on `sms[cluster][r]`; `step(sm, other sm)` are the cycles.
Measurement measured(const Probe& probe, const std::vector<std::vector<int>>& sms,
                     const std::function<double(int, int)>& step) {
  Measurement m{.point = {.experiment = "dsm/latency",
                          .axes = {{"op", std::string(name_of(probe.op))}},
                          .work = probe,
                          .samples = kSamples},
                .samples = {},
                .conditions = {.readings = {{"sm_clock_GHz", 2.0}}, .flags = {}}};
  Samples& s = m.samples;
  const auto put = [&](std::string_view name, std::int64_t value) {
    s[std::string(name)].emplace_back(kSamples, value);
  };
  for (const auto& cluster : sms) {
    for (const int a : cluster) put(column::smid, a);
    for (const int a : cluster) {
      for (const int b : cluster) {
        const auto cycles = static_cast<std::int64_t>(step(a, b) * probe.links);
        put(column::start_cycles, 0);
        put(column::stop_cycles, cycles);
        put(column::start_ns, 0);
        put(column::stop_ns, cycles / 2);
        put(column::bad_bytes, 0);
        if (!is_pairwise(probe.op)) break;
      }
    }
  }
  return m;
}

std::map<std::string, Finding> by_name(const std::vector<Measurement>& measurements) {
  std::map<std::string, Finding> out;
  for (Finding& f : latency_findings(measurements)) out[f.name.substr(12)] = std::move(f);
  return out;
}

/// Legs of 100, 101, ... cycles by SM; an SM reads itself in 36.
double by_leg(int a, int b) { return a == b ? 36.0 : 200.0 + a + b; }

TEST(Latency, LegsAreFoundGpcByGpcWhateverTheRankIs) {
  const Probe probe{.op = ProbeOp::load, .ranks = 4, .links = kLinks};
  const auto f = by_name({measured(probe, {{8, 9, 2, 3}, {0, 1, 6, 7}}, by_leg)});
  for (const int sm : {0, 1, 2, 3, 6, 7, 8, 9})
    EXPECT_NEAR(f.at("load/leg/" + std::to_string(sm)).value, 100.0 + sm, 1e-6);
  EXPECT_EQ(f.at("load/leg/9").notes, (std::vector<std::string>{"GPC 1", "rank 1"}));
  EXPECT_EQ(f.at("load/leg/0").notes.front(), "GPC 0");
  EXPECT_NEAR(f.at("load/residual-rms").value, 0.0, 1e-6);
  EXPECT_DOUBLE_EQ(f.at("load/own").value, 36.0);
  EXPECT_DOUBLE_EQ(f.at("load/min").value, 201.0);
  EXPECT_DOUBLE_EQ(f.at("load/max").value, 217.0);
  EXPECT_EQ(f.at("load/max").notes, std::vector<std::string>{"from SM 9 to SM 8"});
  EXPECT_DOUBLE_EQ(f.at("load/median-ns").value, f.at("load/median").value / 2.0);
  EXPECT_DOUBLE_EQ(f.at("load/asymmetry").value, 0.0);
  EXPECT_NEAR(f.at("load/tpc/4").value, 1.0, 1e-6) << "SM 9 less SM 8";
}

TEST(Latency, ADirectionThatIsSlowerShowsAsAsymmetryAndInTheResidual) {
  const Probe probe{.op = ProbeOp::atom, .ranks = 4, .links = kLinks};
  const auto f = by_name({measured(
      probe, {{0, 1, 2, 3}}, [](int a, int b) { return by_leg(a, b) + (a == 1 && b == 2 ? 8.0 : 0.0); })});
  EXPECT_DOUBLE_EQ(f.at("atom/asymmetry").value, 8.0);
  EXPECT_EQ(f.at("atom/asymmetry").notes, std::vector<std::string>{"SMs 1 and 2"});
  EXPECT_GT(f.at("atom/residual-worst").value, 4.0);
  EXPECT_EQ(f.at("atom/residual-worst").notes, std::vector<std::string>{"from SM 1 to SM 2"});
}

TEST(Latency, TwoSmsHaveATimeAndNoLegs) {
  const auto f = by_name({measured({.op = ProbeOp::store, .ranks = 2, .links = kLinks}, {{0, 1}}, by_leg)});
  EXPECT_DOUBLE_EQ(f.at("store/median").value, 201.0);
  EXPECT_FALSE(f.contains("store/leg/0"));
  EXPECT_EQ(f.at("store/no-legs/0").notes.front().find("2 pairs of 2 SMs do not determine"), 0U);
}

TEST(Latency, ARowWithoutDurationWasNotMeasured) {
  const auto f = by_name({measured({.op = ProbeOp::put, .ranks = 3, .links = kLinks}, {{0, 1, 2}},
                                   [](int a, int b) { return a == b ? 0.0 : by_leg(a, b); })});
  EXPECT_FALSE(f.contains("put/own"));
  EXPECT_NEAR(f.at("put/leg/2").value, 102.0, 1e-6);
}

TEST(Latency, SamplesThatCannotBeUsedAreLeftOutAndCounted) {
  Measurement m = measured({.op = ProbeOp::load, .ranks = 3, .links = kLinks}, {{0, 1, 2}}, by_leg);
  m.samples[std::string(column::bad_bytes)][1][0] = 4;
  m.samples[std::string(column::stop_cycles)][1][0] = 999999;
  const auto f = by_name({m});
  EXPECT_DOUBLE_EQ(f.at("load/max").value, 203.0);
  EXPECT_EQ(f.at("load/median").notes, std::vector<std::string>{"1 samples could not be used"});
}

TEST(Latency, ACaseWithoutSamplesGivesNoFinding) {
  Measurement m = measured({.op = ProbeOp::l2_store, .ranks = 2}, {{0, 1}}, by_leg);
  m.samples.clear();
  Measurement barrier = measured({.op = ProbeOp::sync, .ranks = 2}, {{0, 1}}, by_leg);
  barrier.samples.clear();
  EXPECT_TRUE(latency_findings(std::vector{m, barrier}).empty());
}

TEST(Latency, BarriersAreNamedByThreadsAndRanksAndL2StandsBesideDsm) {
  const auto at = [](double cycles) { return [cycles](int, int) { return cycles; }; };
  const auto f = by_name(
      {measured({.op = ProbeOp::sync, .ranks = 3, .links = kLinks, .threads = 256}, {{0, 1, 2}}, at(400)),
       measured({.op = ProbeOp::look, .ranks = 1, .links = kLinks}, {{0}}, at(69)),
       measured({.op = ProbeOp::l2_store, .ranks = 3, .links = kLinks}, {{0, 1, 2}}, at(480)),
       measured({.op = ProbeOp::store, .ranks = 3, .links = kLinks}, {{0, 1, 2}}, at(240))});
  EXPECT_DOUBLE_EQ(f.at("sync/256/3").value, 400.0);
  EXPECT_DOUBLE_EQ(f.at("look").value, 69.0);
  EXPECT_DOUBLE_EQ(f.at("l2-over-dsm").value, 2.0);
  EXPECT_FALSE(f.contains("l2-over-dsm-release"));
  EXPECT_FALSE(f.contains("l2-store/leg/0")) << "its distances are those to L2";
}

/// Six TPCs are dealt to CPC 0, 1, 2, 0, 1, 2; the seventh and eighth come from those that have one left.
TEST(Latency, TheLastTpcsBelongToTheCpcWhoseTpcsDifferAlike) {
  const std::vector<double> difference{-4, 0, 3, -4, 0, 3, 0, 3};
  const std::vector<double> first{110, 105, 100, 105, 100, 95, 95, 90};
  const auto leg = [&](int sm) {
    const auto t = static_cast<std::size_t>(sm / 2);
    return first[t] + (sm % 2 != 0 ? difference[t] : 0.0);
  };
  std::vector<int> sms(16);
  for (int i = 0; i < 16; ++i) sms[static_cast<std::size_t>(i)] = i;
  const auto f = by_name({measured({.op = ProbeOp::load, .ranks = 16, .links = kLinks}, {sms},
                                   [&](int a, int b) { return a == b ? 36.0 : leg(a) + leg(b); })});
  EXPECT_EQ(f.at("load/tpc/6").notes, (std::vector<std::string>{"GPC 0", "CPC 1"}));
  EXPECT_EQ(f.at("load/tpc/7").notes, (std::vector<std::string>{"GPC 0", "CPC 2"}));
  EXPECT_NEAR(f.at("load/cpc/0.0").value, 5.0, 1e-6);
  EXPECT_NEAR(f.at("load/cpc/0.1").value, 5.0, 1e-6);
  EXPECT_EQ(f.at("load/cpc/0.1").notes.front(), "means of its TPCs' legs: 95.0, 100.0, 105.0");
}

TEST(Latency, EveryOperationIsMeasured) {
  std::set<ProbeOp> seen;
  for (const Case& c : latency().cases({})) seen.insert(std::get<Probe>(c.work).op);
  EXPECT_EQ(seen.size(), kProbeOps);
}

}  // namespace
}  // namespace plumb::dsm

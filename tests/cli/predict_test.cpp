// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "cli/catalog.h"
#include "cli/last_topology.h"
#include "program.h"
#include "topology/map.h"

namespace plumb::test {
namespace {

class Predict : public Program {
 protected:
  [[nodiscard]] std::string refusal(const std::string& arguments) const {
    const Result r = run("predict cluster " + arguments);
    EXPECT_EQ(r.code, 2) << arguments;
    EXPECT_EQ(r.out, "");
    return r.err;
  }
};

TEST_F(Predict, AClusterOfEightOnTheShippedH200) {
  const Result r = run("predict cluster --size 8 --grid 132");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(
      r.out.find("15 clusters of 8 (120 CTAs) at once, 12 of 132 SMs idle; 132 CTAs, in whole clusters 136, "
                 "take 2 waves, the last with 16."),
      std::string::npos)
      << r.out;
  EXPECT_NE(r.out.find("Best size of 2 or more for this grid: 66 clusters of 2 (132 CTAs) at once"),
            std::string::npos);
  EXPECT_EQ(r.out.find('\x1b'), std::string::npos);
}

// The planner against every launch of the shipped run.
TEST_F(Predict, EverySizeIsWhatTheCardDid) {
  const record::Recording shipped = record::read(cli::shipped_recording("topology"));
  int judged = 0;
  for (const Measurement& m : record::of_experiment(shipped, "topology/fit")) {
    const auto& census = std::get<Census>(m.point.work);
    if (census.per_sm > 1) continue;
    const Column& arrived = m.samples.at("arrived_ns");
    int first = 0;
    for (const auto& cta : arrived) first += cta.front() < census.hold ? 1 : 0;
    const Json j = Json::parse(run("predict cluster --json --size " + std::to_string(census.ranks) +
                                   " --per-sm " + std::to_string(census.per_sm))
                                   .out);
    EXPECT_EQ(j["asked"]["ctas_at_once"], first) << census.ranks << ", " << census.per_sm << " an SM";
    EXPECT_EQ(j["asked"]["clusters_at_once"], m.samples.at("fitting")[0][0]);
    ++judged;
  }
  EXPECT_EQ(judged, 16);
}

TEST_F(Predict, PreferredSizesFillWhatTheFallbackFinds) {
  const Json j = Json::parse(run("predict cluster --preferred 8 --fallback 2 --grid 128 --json").out);
  EXPECT_EQ(j["asked"]["preferred_clusters_at_once"], 15);
  EXPECT_EQ(j["asked"]["clusters_at_once"], 6);
  EXPECT_EQ(j["asked"]["idle_sms"], 0);
  EXPECT_EQ(j["asked"]["waves"], 1);
  const Result text = run("predict cluster --preferred 8 --fallback 2");
  EXPECT_NE(text.out.find("that part of the model has never run on hardware"), std::string::npos) << text.out;
}

TEST_F(Predict, WhatIsMissingOrContradictsItselfIsNamed) {
  EXPECT_EQ(refusal(""), "plumb: give --size, or --preferred with --fallback: CTAs of a cluster.\n");
  EXPECT_EQ(
      refusal("--size 8 --fallback 2"),
      "plumb: --preferred and --fallback go together: the size to try first, and the one that fills what it "
      "leaves.\n");
  EXPECT_EQ(refusal("--size 4 --preferred 8 --fallback 2"),
            "plumb: --size 4 and --preferred 8: with a preferred size that is the size.\n");
  EXPECT_EQ(refusal("--size 17"), "plumb: a cluster of 17 CTAs: allowed is 1 to 16.\n");
  EXPECT_EQ(refusal("--size 8 --grid -1"), "plumb: --grid -1: give 1 or more CTAs.\n");
  EXPECT_EQ(refusal("--size 8 --per-sm 0"), "plumb: --per-sm 0: give 1 or more CTAs.\n");
  EXPECT_EQ(refusal("--preferred 8 --fallback 3"),
            "plumb: a preferred size of 8: it must be a multiple of the fallback size, 3.\n");
  const Result none =
      run("predict cluster --size 2 --recording '" + cli::shipped_recording("dsm").string() + "'");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find(
                "dsm.jsonl.zst: it does not show which SMs share clusters; `plumb run topology/gpc` records "
                "that.\n"),
            std::string::npos)
      << none.err;
}

TEST_F(Predict, InfoShowsTheFloorPlan) {
  const Result text = run("info --topology", "XDG_STATE_HOME=" + path("state").string());
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("That is the card whose topology Plumb ships"), std::string::npos);
  EXPECT_NE(text.out.find("GPC 0, 16 SMs"), std::string::npos);
  const Json j = Json::parse(run("info --topology --json", "XDG_STATE_HOME=" + path("state").string()).out);
  EXPECT_EQ(j["of_this_card"], false);
  EXPECT_EQ(j["floor_plan"]["gpcs"], 8);
  std::set<int> sms;
  for (const Json& tpc : j["floor_plan"]["tpcs"]) {
    EXPECT_TRUE(tpc["gpc"].is_number()) << tpc;
    EXPECT_TRUE(tpc["cpc"].is_number());
    if (tpc["lone"].get<bool>()) {
      EXPECT_GT(tpc["probability"].get<double>(), 0.999);
    }
    for (const Json& sm : tpc["sms"]) sms.insert(sm.get<int>());
  }
  EXPECT_EQ(sms.size(), 132U);
  for (const Json& a : j["floor_plan"]["agreements"]) EXPECT_EQ(a["agree"], a["judged"]) << a;
}

TEST_F(Predict, TheTopologyOfACardIsKeptAndFoundAgain) {
  ASSERT_EQ(setenv("XDG_STATE_HOME", path("state").c_str(), 1), 0);
  record::Recording r = record::read(cli::shipped_recording("topology"));
  r.provenance.gpu_uuid_hash = "0123456789abcdef";
  cli::keep_topology(r);
  const cli::KnownTopology known = cli::last_topology("0123456789abcdef");
  EXPECT_FALSE(known.shipped);
  EXPECT_EQ(known.recording.measurements.size(), r.measurements.size());
  EXPECT_TRUE(cli::last_topology("another").shipped);
  // A newer run takes the place of the older one.
  std::erase_if(r.measurements, [](const Measurement& m) { return m.point.experiment != "topology/gpc"; });
  cli::keep_topology(r);
  EXPECT_EQ(cli::last_topology("0123456789abcdef").recording.measurements.size(), r.measurements.size());
  // What is not of a card, or holds no census, leaves it as it is.
  record::Recording simulated = r;
  simulated.provenance.backend = "sim";
  simulated.measurements.clear();
  cli::keep_topology(simulated);
  EXPECT_EQ(cli::last_topology("0123456789abcdef").recording.measurements.size(), r.measurements.size());
  unsetenv("XDG_STATE_HOME");
}

}  // namespace
}  // namespace plumb::test

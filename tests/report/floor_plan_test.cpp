// SPDX-License-Identifier: Apache-2.0
#include "report/floor_plan.h"

#include <nlohmann/json.hpp>

#include "report/fit.h"
#include "support.h"

namespace plumb::report {
namespace {

topology::Map small() {
  topology::Map map;
  map.gpcs = 2;
  map.sms = 10;
  map.methods = {"6 launches of clusters"};
  map.partition_difference = 30;
  const auto seat = [&](std::vector<int> sms, int gpc, int cpc, bool lone) {
    topology::Seat s;
    s.sms = std::move(sms);
    s.gpc = gpc;
    s.cpc = cpc;
    s.partition = gpc;
    s.lone = lone;
    if (lone) s.evidence = {"latency: it is near"};
    map.tpcs.push_back(s);
  };
  seat({0, 1}, 0, 0, false);
  seat({2, 3}, 1, 0, false);
  seat({4, 5}, 0, 1, false);
  seat({6, 7}, 0, 1, true);
  map.tpcs.back().probability = 0.993;
  seat({8, 9}, -1, -1, true);
  map.agreements = {{.what = "lone TPCs by contention and by latency",
                     .agree = 1,
                     .judged = 2,
                     .differences = {"SMs 8, 9: GPC 0 by contention, GPC 1 by latency"}}};
  return map;
}

TEST(FloorPlan, BoxesLoneTpcsAndDoubts) {
  EXPECT_EQ(floor_plan(small(), false),
            "floor plan  10 SMs in 5 TPCs and 2 GPCs\n"
            "╭ GPC 0, 6 SMs, L2 partition 0 ──────────────╮  ╭ GPC 1, 2 SMs, L2 partition 1 ──────────────╮\n"
            "│ CPC 0 [  0   1]                            │  │ CPC 0 [  2   3]                            │\n"
            "│ CPC 1 [  4   5] (  6   7)                  │  │                                            │\n"
            "╰────────────────────────────────────────────╯  ╰────────────────────────────────────────────╯\n"
            "  GPC undetermined: (  8   9)\n"
            "  [SM SM] a TPC, (SM SM) one that is never in a cluster with others; numbers are %smid\n"
            "  the far L2 partition takes 30.0 cycles more than the near one\n"
            "  (  6   7): GPC 0, 99.30 %\n"
            "    latency: it is near\n"
            "  (  8   9): undetermined\n"
            "    latency: it is near\n"
            "  from 6 launches of clusters\n"
            "  lone TPCs by contention and by latency: 1 of 2 agree\n"
            "    SMs 8, 9: GPC 0 by contention, GPC 1 by latency\n");
}

TEST(FloorPlan, ForMachinesUndeterminedIsNull) {
  const auto json = to_json(small());
  EXPECT_EQ(json["gpcs"], 2);
  EXPECT_TRUE(json["tpcs"][4]["gpc"].is_null());
  EXPECT_TRUE(json["tpcs"][0]["probability"].is_null());
  EXPECT_EQ(json["tpcs"][3]["probability"], 0.993);
  EXPECT_EQ(json["agreements"][0]["judged"], 2);
}

TEST(FitTable, ARowForEachSizeAndWhatDiffersBelow) {
  const auto finding = [](std::string name, double value, std::string unit, std::vector<std::string> notes) {
    return Finding{.name = std::move(name),
                   .value = value,
                   .low = value,
                   .high = value,
                   .unit = std::move(unit),
                   .estimator = "count",
                   .cases = {},
                   .notes = std::move(notes)};
  };
  const std::vector<Finding> findings{
      finding("topology/fit/1-an-sm/16/clusters", 7, "clusters", {"the map says 8"}),
      finding("topology/fit/1-an-sm/16/idle", 20, "SMs", {}),
      finding("topology/fit/1-an-sm/2/clusters", 66, "clusters", {}),
      finding("topology/fit/1-an-sm/2/idle", 0, "SMs", {}),
      finding("topology/fit/2-an-sm/2/clusters", 132, "clusters", {}),
      finding("topology/fit/as-the-map-says", 2, "of 3 cases", {})};
  EXPECT_EQ(fit_table(findings, false),
            "CTAs of a cluster  1 an SM  idle  2 an SM  idle\n"
            "2                       66     0      132     -\n"
            "16                       7    20        -     -\n"
            "  * size 16, 1 an SM: the map says 8\n"
            "  as-the-map-says: 2 of 3 cases\n"
            "  on the card at once: clusters where an SM holds so many CTAs, and the SMs that hold none\n");
}

}  // namespace
}  // namespace plumb::report

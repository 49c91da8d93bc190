// SPDX-License-Identifier: Apache-2.0
#include "report/latency.h"

#include <vector>

#include "report/findings.h"
#include "support.h"

namespace plumb::report {
namespace {

Finding finding(const std::string& name, double value, std::vector<std::string> notes = {},
                const std::string& unit = "cycles") {
  return {.name = "dsm/latency/" + name,
          .value = value,
          .low = value - 1,
          .high = value + 1,
          .unit = unit,
          .estimator = "median",
          .cases = {},
          .notes = std::move(notes)};
}

TEST(LatencyTable, OperationsLegsBarriersAndSingleNumbers) {
  const std::vector<Finding> findings{
      finding("load/min", 182, {"from SM 0 to SM 1"}),
      finding("load/median", 197, {"throttled: thermal"}),
      finding("load/max", 214),
      finding("load/median-ns", 99.5, {}, "ns"),
      finding("load/own", 36),
      finding("load/asymmetry", 0),
      finding("load/leg/0", 100, {"GPC 0", "rank 0"}),
      finding("load/leg/1", 97, {"GPC 0", "rank 1"}),
      finding("load/leg/8", 95, {"GPC 1", "rank 0"}),
      finding("load/residual-rms", 0.1),
      finding("load/residual-worst", 0.3),
      finding("load/tpc/0", -3, {"GPC 0"}),
      finding("store/median", 277),
      finding("store/no-legs/0", 2, {"too few"}),
      finding("sync/32/1", 372),
      finding("sync/32/16", 387),
      finding("sync/256/1", 398),
      finding("look", 69),
  };
  EXPECT_EQ(latency_table(findings, false),
            "cycles    min  median  95 % interval    max  own SM  median ns  legs: RMS  worst  two ways\n"
            "load    182.0   197.0   196.0..198.0  214.0    36.0       99.5       0.10   0.30       0.0\n"
            "store       -   277.0   276.0..278.0      -       -          -          -      -         -\n"
            "\n"
            "leg of rank      0     1\n"
            "GPC 0        100.0  97.0\n"
            "GPC 1         95.0\n"
            "  second SM of a TPC less the first: -3.0 to -3.0 cycles over 1\n"
            "\n"
            "cycles, cluster of    1   16\n"
            "sync, 32 threads    372  387\n"
            "sync, 256 threads   398\n"
            "\n"
            "  look: 69.00 cycles (68.00..70.00)\n"
            "  * load: throttled: thermal\n"
            "  * store: too few\n");
  EXPECT_EQ(
      findings_table("dsm/latency", "How long?", findings, false).find("dsm/latency  How long?\ncycles"), 0U);
}

TEST(LatencyTable, NothingIsSaid) { EXPECT_EQ(latency_table({}, false), "  no usable case\n"); }

}  // namespace
}  // namespace plumb::report

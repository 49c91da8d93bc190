// SPDX-License-Identifier: Apache-2.0
#include "dsm/experiments.h"
#include "support.h"

namespace plumb::dsm {
namespace {

const Traffic kTraffic{.ranks = 2, .flows = {{.source = 1, .destination = 0, .op = Op::load, .bytes = 3200}}};

Measurement measured(std::vector<std::int64_t> stop) {
  Measurement m{.point = pattern("p.toml", kTraffic).cases({}).at(0), .samples = {}, .conditions = {}};
  const std::vector<std::int64_t> zero(stop.size(), 0);
  m.samples.emplace(column::start_cycles, Column{zero});
  m.samples.emplace(column::stop_cycles, Column{stop});
  m.samples.emplace(column::start_ns, Column{zero});
  m.samples.emplace(column::stop_ns, Column{stop});
  m.samples.emplace(column::bad_bytes, Column{zero});
  m.samples.emplace(column::smid, Column{zero, std::vector<std::int64_t>(stop.size(), 1)});
  return m;
}

TEST(PatternExperiment, HasOneCaseThatTheFileNames) {
  const auto cases = pattern("p.toml", kTraffic).cases({});
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(id_of(cases[0]), "pattern file=p.toml");
  EXPECT_EQ(traffic_of(cases[0]), kTraffic);
  EXPECT_TRUE(pattern().cases({}).empty());
}

// The median of the times is 200 cycles, in which 3200 bytes are 16 B/cycle.
TEST(PatternExperiment, FindsTimeAndRateOfEachFlow) {
  const auto findings = pattern().analyze(std::vector{measured({160, 200, 200, 200, 400})});
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].name, "pattern/p.toml/0-load-1to0/time");
  EXPECT_EQ(findings[0].value, 200.0);
  EXPECT_EQ(findings[1].name, "pattern/p.toml/0-load-1to0/rate");
  EXPECT_EQ(findings[1].value, 16.0);
  EXPECT_EQ(findings[1].low, 3200.0 / findings[0].high);
  EXPECT_EQ(findings[1].high, 3200.0 / findings[0].low);
}

TEST(PatternExperiment, ASampleThatCannotBeUsedIsNoted) {
  Measurement m = measured({200, 200, 999});
  m.samples.find(column::bad_bytes)->second[0][2] = 16;
  const auto findings = pattern().analyze(std::vector{m});
  EXPECT_EQ(findings.at(0).value, 200.0);
  EXPECT_EQ(findings.at(0).notes, std::vector<std::string>{"1 samples could not be used"});
}

}  // namespace
}  // namespace plumb::dsm

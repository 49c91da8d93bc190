// SPDX-License-Identifier: Apache-2.0
#include "dsm/slopes.h"

#include <algorithm>
#include <random>

#include "support.h"

namespace plumb::dsm {
namespace {

const std::vector<std::string> kOrder{"op", "way"};

/// What a card with known rates would return: flow f takes intercept + bytes / rate[f] cycles at 2 cycles a
/// ns.
Measurement planted(const Case& point, double intercept, const std::vector<double>& rates,
                    std::uint64_t seed) {
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(std::get<std::int64_t>(point.axes.at("bytes"))));
  std::normal_distribution<double> noise(0, 3);
  Measurement m{.point = point, .samples = {}, .conditions = {}};
  m.conditions.readings["sm_clock_GHz"] = 2.0;
  const std::size_t flows = traffic_of(point).flows.size();
  for (const auto name :
       {column::start_cycles, column::stop_cycles, column::start_ns, column::stop_ns, column::bad_bytes})
    m.samples[std::string(name)].assign(flows, {});
  for (std::size_t f = 0; f < flows; ++f) {
    for (int s = 0; s < point.samples; ++s) {
      const std::int64_t start = 10000 * s;
      const auto cycles = static_cast<std::int64_t>(
          intercept + static_cast<double>(traffic_of(point).flows[f].bytes) / rates[f] + noise(random));
      m.samples[std::string(column::start_cycles)][f].push_back(start);
      m.samples[std::string(column::stop_cycles)][f].push_back(start + cycles);
      m.samples[std::string(column::start_ns)][f].push_back(start / 2);
      m.samples[std::string(column::stop_ns)][f].push_back((start + cycles) / 2);
      m.samples[std::string(column::bad_bytes)][f].push_back(0);
    }
  }
  for (int r = 0; r < traffic_of(point).ranks; ++r)
    m.samples[std::string(column::smid)].emplace_back(static_cast<std::size_t>(point.samples), 10 + r);
  return m;
}

std::vector<Measurement> series(const std::vector<double>& rates, double intercept = 600) {
  Traffic traffic{.ranks = 2, .flows = {{.source = 1, .destination = 0, .op = Op::put}}};
  if (rates.size() > 1) traffic.flows.push_back({.source = 0, .destination = 1, .op = Op::put});
  std::vector<Measurement> out;
  for (const Case& c : slope_cases("dsm/pair", {{"op", "put"}, {"way", "one-way"}}, traffic, sizes_for({})))
    out.push_back(planted(c, intercept, rates, 1));
  return out;
}

const Finding& find(const std::vector<Finding>& all, std::string_view name, std::string_view estimator) {
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const Finding& f) { return f.name == name && f.estimator == estimator; });
  if (it == all.end()) throw std::out_of_range(std::string(name));
  return *it;
}

bool has(const std::vector<Finding>& all, std::string_view name, std::string_view estimator) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Finding& f) { return f.name == name && f.estimator == estimator; });
}

TEST(Slopes, ElevenSizesAndNinetySamplesAndFewerForAQuickLook) {
  const Sizes full = sizes_for({});
  ASSERT_EQ(full.bytes.size(), 11U);
  EXPECT_EQ(full.bytes.front(), 16 * 1024);
  EXPECT_EQ(full.bytes.back(), 96 * 1024);
  EXPECT_EQ(full.samples, 90);
  const Sizes quick = sizes_for({.quick = true});
  EXPECT_EQ(quick.bytes.size(), 6U);
  EXPECT_EQ(quick.samples, 12);
}

TEST(Slopes, APlantedRateComesBackOnBothClocks) {
  const auto found = slope_findings(series({21.0}), kOrder);
  for (const char* estimator : {"steady", "published"}) {
    EXPECT_NEAR(find(found, "dsm/pair/put/one-way/rate", estimator).value, 21.0, 0.03);
    EXPECT_NEAR(find(found, "dsm/pair/put/one-way/rate-ns", estimator).value, 42.0, 0.06);
    EXPECT_NEAR(find(found, "dsm/pair/put/one-way/intercept", estimator).value, 600, 4);
    EXPECT_NEAR(find(found, "dsm/pair/put/one-way/intercept-ns", estimator).value, 300, 3);
  }
  const Finding& rate = find(found, "dsm/pair/put/one-way/rate", "steady");
  EXPECT_EQ(rate.unit, "B/cycle");
  EXPECT_LE(rate.low, rate.value);
  EXPECT_GE(rate.high, rate.value);
  EXPECT_EQ(rate.cases.size(), 11U);
  EXPECT_EQ(rate.cases.front(), "dsm/pair bytes=16384 op=put way=one-way");
  EXPECT_TRUE(rate.notes.empty());
  EXPECT_EQ(find(found, "dsm/pair/put/one-way/clock", "median").value, 2.0);
}

TEST(Slopes, TheSlowestFlowMakesTheRateAndEachFlowHasItsOwn) {
  const auto found = slope_findings(series({20.0, 10.0}), kOrder);
  EXPECT_NEAR(find(found, "dsm/pair/put/one-way/rate", "steady").value, 10.0, 0.02);
  EXPECT_NEAR(find(found, "dsm/pair/put/one-way/0-put-1to0/rate", "steady").value, 20.0, 0.04);
  EXPECT_NEAR(find(found, "dsm/pair/put/one-way/1-put-0to1/rate", "steady").value, 10.0, 0.02);
  EXPECT_NEAR(find(found, "dsm/pair/put/one-way/total", "steady").value, 30.0, 0.05);
}

TEST(Slopes, ASeriesThatIsOnNoLineHasNoSteadyRate) {
  auto measurements = series({21.0});
  for (std::size_t i = 0; i < measurements.size(); i += 2)
    for (auto& stop : measurements[i].samples[std::string(column::stop_cycles)][0]) stop += 150;
  const auto found = slope_findings(measurements, kOrder);
  EXPECT_FALSE(has(found, "dsm/pair/put/one-way/rate", "steady"));
  EXPECT_TRUE(has(found, "dsm/pair/put/one-way/rate", "published"));
}

TEST(Slopes, UnusableSamplesAreLeftOutAndCounted) {
  auto measurements = series({21.0});
  auto& first = measurements[0].samples;
  first[std::string(column::smid)][1][0] = first[std::string(column::smid)][0][0];  // two ranks on one SM
  first[std::string(column::bad_bytes)][0][1] = 4;
  first[std::string(column::stop_cycles)][0][0] += 100000;
  first[std::string(column::stop_cycles)][0][1] += 100000;
  const auto found = slope_findings(measurements, kOrder);
  const Finding& rate = find(found, "dsm/pair/put/one-way/rate", "steady");
  EXPECT_NEAR(rate.value, 21.0, 0.03);
  EXPECT_EQ(rate.notes, (std::vector<std::string>{"2 samples could not be used"}));
}

TEST(Slopes, FlagsOutliersAndTwoModesAreToldNotDropped) {
  auto measurements = series({21.0});
  measurements[0].conditions.flags = {"throttled: power cap"};
  auto& stops = measurements[1].samples[std::string(column::stop_cycles)][0];
  for (std::size_t s = 0; s < stops.size(); s += 2) stops[s] += 200;
  measurements[2].samples[std::string(column::stop_cycles)][0][7] += 5000;
  const auto found = slope_findings(measurements, kOrder);
  const auto& notes = find(found, "dsm/pair/put/one-way/rate", "published").notes;
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_EQ(notes[0], "throttled: power cap");
  EXPECT_EQ(notes[1], "1 outliers of 990 samples");
  EXPECT_EQ(notes[2].substr(0, 26), "two modes at 1 of 11 sizes");
}

TEST(Slopes, NoMeasurementsNoFindings) { EXPECT_TRUE(slope_findings({}, kOrder).empty()); }

}  // namespace
}  // namespace plumb::dsm

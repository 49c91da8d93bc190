// SPDX-License-Identifier: Apache-2.0
// What experiments add to the findings of their fits, from planted samples.
#include <algorithm>
#include <stdexcept>

#include "dsm/experiments.h"
#include "support.h"

namespace plumb::dsm {
namespace {

/// All rows from 0 to `cycles` of every sample, `ghz` cycles a nanosecond; backgrounds read `read` bytes.
Measurement planted(const Case& point, std::int64_t cycles, double ghz, std::int64_t read = 0) {
  Measurement m{.point = point, .samples = {}, .conditions = {}};
  const Traffic& traffic = traffic_of(point);
  const auto samples = static_cast<std::size_t>(point.samples);
  const std::size_t rows = traffic.flows.size() + traffic.background.size();
  const auto ns = static_cast<std::int64_t>(static_cast<double>(cycles) / ghz);
  const auto column = [&](std::string_view name, std::size_t count, std::int64_t value) {
    m.samples[std::string(name)].assign(count, std::vector<std::int64_t>(samples, value));
  };
  column(column::start_cycles, rows, 0);
  column(column::stop_cycles, rows, cycles);
  column(column::start_ns, rows, 0);
  column(column::stop_ns, rows, ns);
  column(column::bad_bytes, traffic.flows.size(), 0);
  if (!traffic.background.empty()) column(column::read_bytes, traffic.background.size(), read);
  for (int r = 0; r < traffic.ranks; ++r)
    m.samples[std::string(column::smid)].emplace_back(samples, std::int64_t{r});
  m.conditions.readings["sm_clock_GHz"] = ghz;
  return m;
}

double value(const std::vector<Finding>& all, const std::string& name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.name == name; });
  if (it == all.end()) throw std::out_of_range(name);
  return it->value;
}

TEST(Pressure, ABackgroundsRateIsItsBytesOverItsTime) {
  std::vector<Measurement> measured;
  for (const Case& c : pressure().cases({}))
    if (axis(c, "op") == "put" && axis(c, "memory") == "shared" && axis(c, "warps") == "4")
      measured.push_back(planted(c, 500 + std::get<std::int64_t>(c.axes.at("bytes")) / 16, 2.0, 100'000));
  ASSERT_EQ(measured.size(), 3U);
  // 32, 64 and 96 KiB at 16 B/cycle: 2,548, 4,596 and 6,644 cycles; the middle of the three rates.
  const auto found = pressure().analyze(measured);
  EXPECT_NEAR(value(found, "dsm/pressure/put/shared/4/background"), 100'000.0 / 4596, 1e-9);
  EXPECT_NEAR(value(found, "dsm/pressure/put/shared/4/rate"), 16.0, 1e-9);
}

TEST(Stride, TheRawRateIsThatOfTheSlowestFlowWithAllCosts) {
  std::vector<Measurement> measured;
  for (const Case& c : stride().cases({}))
    if (axis(c, "op") == "put" && axis(c, "stride") == "3") measured.push_back(planted(c, 4096, 2.0));
  ASSERT_EQ(measured.size(), 3U);
  for (Measurement& m : measured)
    for (auto& stop : m.samples.find(column::stop_cycles)->second[7]) stop = 8192;
  EXPECT_NEAR(value(stride().analyze(measured), "dsm/stride/put/3/raw-64KiB"), 8.0, 1e-9);
}

TEST(Clock, TheRatioTellsAClockOfItsOwnFromTheSmClock) {
  // Three quarters of the clock. At a fixed rate per cycle nothing changes per cycle; a network with a clock
  // of its own would need three quarters of the cycles.
  for (const bool own_clock : {false, true}) {
    std::vector<Measurement> measured;
    for (const Case& c : clock().cases({})) {
      if (axis(c, "pattern") != "ring" || axis(c, "op") != "put" || axis(c, "ranks") != "2") continue;
      const bool hot = axis(c, "heat") == "hot";
      const std::int64_t cycles = std::get<std::int64_t>(c.axes.at("bytes")) / 16;
      measured.push_back(planted(c, hot && own_clock ? cycles * 3 / 4 : cycles, hot ? 1.5 : 2.0));
    }
    ASSERT_EQ(measured.size(), 4U);
    const auto found = clock().analyze(measured);
    const std::string name = "dsm/clock/ring/put/2/hot-over-cool";
    EXPECT_NEAR(value(found, name + "/rate"), own_clock ? 4.0 / 3 : 1.0, 1e-6);
    EXPECT_NEAR(value(found, name + "/rate-ns"), own_clock ? 1.0 : 0.75, 2e-3);
    EXPECT_NEAR(value(found, name + "/clock"), 0.75, 1e-9);
  }
}

}  // namespace
}  // namespace plumb::dsm

// SPDX-License-Identifier: Apache-2.0
#include "dsm/clusters.h"

#include <algorithm>
#include <stdexcept>

#include "support.h"

namespace plumb::dsm {
namespace {

/// Two clusters of two SMs; each flow takes 500 cycles and its bytes at the rate of the SM that observes it.
/// From the second case on the two clusters have changed places.
std::vector<Measurement> planted() {
  std::vector<Measurement> out;
  for (const std::int64_t bytes : {65536, 131072}) {
    Measurement m;
    m.point = {.experiment = "dsm/whole-chip",
               .axes = {{"bytes", bytes}, {"op", "put"}},
               .work = Traffic{.ranks = 2,
                               .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = bytes},
                                         {.source = 1, .destination = 0, .op = Op::put, .bytes = bytes}}},
               .samples = 4,
               .site = {.clusters = 2}};
    const bool swapped = bytes == 131072;
    for (int c = 0; c < 2; ++c) {
      const int place = swapped ? 1 - c : c;
      const double rate = place == 0 ? 16.0 : 8.0;
      for (int f = 0; f < 2; ++f) {
        const auto cycles = static_cast<std::int64_t>(500 + static_cast<double>(bytes) / rate);
        m.samples[std::string(column::start_cycles)].push_back({0, 0, 0, 0});
        m.samples[std::string(column::start_ns)].push_back({0, 0, 0, 0});
        m.samples[std::string(column::stop_cycles)].push_back({cycles, cycles, cycles, cycles});
        m.samples[std::string(column::stop_ns)].push_back({cycles, cycles, cycles, cycles});
        m.samples[std::string(column::bad_bytes)].push_back({0, 0, 0, 0});
        const std::int64_t sm = place * 10 + f;
        m.samples[std::string(column::smid)].push_back({sm, sm, sm, sm});
      }
    }
    out.push_back(std::move(m));
  }
  return out;
}

double value(const std::vector<Finding>& all, const std::string& name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.name == name; });
  if (it == all.end()) throw std::out_of_range(name);
  return it->value;
}

TEST(Clusters, TimesFollowTheSmsAndNotTheRows) {
  const std::vector<std::string> order{"op"};
  const auto found = cluster_findings(planted(), order);
  EXPECT_NEAR(value(found, "dsm/whole-chip/put/sm-0/rate"), 16.0, 1e-6);
  EXPECT_NEAR(value(found, "dsm/whole-chip/put/sm-10/rate"), 8.0, 1e-6);
  EXPECT_NEAR(value(found, "dsm/whole-chip/put/slowest-flow"), 8.0, 1e-6);
  EXPECT_NEAR(value(found, "dsm/whole-chip/put/fastest-flow"), 16.0, 1e-6);
  EXPECT_NEAR(value(found, "dsm/whole-chip/put/total"), 48.0, 1e-6);
  EXPECT_EQ(value(found, "dsm/whole-chip/put/active-sms"), 4.0);
}

TEST(Clusters, APlaceSeenAtOneSizeIsLeftOut) {
  auto one = planted();
  one.pop_back();
  const std::vector<std::string> order{"op"};
  EXPECT_TRUE(cluster_findings(one, order).empty());
}

}  // namespace
}  // namespace plumb::dsm

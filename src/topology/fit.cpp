// SPDX-License-Identifier: Apache-2.0
// How many clusters run at once: launched, asked of the driver, and worked out from the map.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/validity.h"
#include "model/cluster_fit.h"
#include "stats/describe.h"
#include "topology/experiments.h"
#include "topology/findings.h"
#include "topology/groups.h"

namespace plumb::topology {
namespace {

constexpr int kLaunches = 3;

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  const std::vector<int> classes = request.quick ? std::vector{1, 2} : std::vector{1, 2, 3, 4, 8};
  for (const int per_sm : classes) {
    for (int ranks = 1; ranks <= kMaxRanks; ++ranks)
      out.push_back({.experiment = "topology/fit",
                     .axes = {{"ranks", std::int64_t{ranks}}, {"per_sm", std::int64_t{per_sm}}},
                     .work = Census{.ranks = ranks, .per_sm = per_sm},
                     .samples = kLaunches});
  }
  return out;
}

/// What of a launch was on the card at once.
struct FirstWave {
  int clusters = 0;
  std::set<int> sms;
};

std::vector<FirstWave> first_waves(const Measurement& m) {
  const auto& census = std::get<Census>(m.point.work);
  if (const auto fitting = row(m.samples, column::fitting, 0); !fitting.empty() && fitting.front() == 0)
    return std::vector<FirstWave>(1);
  const auto smid = m.samples.find(column::smid);
  const auto arrived = m.samples.find(column::arrived_ns);
  if (smid == m.samples.end() || arrived == m.samples.end() || smid->second.size() != arrived->second.size())
    return {};
  std::vector<FirstWave> out;
  const auto ranks = static_cast<std::size_t>(census.ranks);
  for (std::size_t c = 0; c < smid->second.size(); ++c) {
    const auto& times = arrived->second[c];
    out.resize(std::max(out.size(), times.size()));
    for (std::size_t s = 0; s < std::min(times.size(), smid->second[c].size()); ++s) {
      if (times[s] >= census.hold) continue;
      out[s].sms.insert(static_cast<int>(smid->second[c][s]));
      out[s].clusters += c % ranks == 0 ? 1 : 0;
    }
  }
  return out;
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  const Groups groups = groups_of(measurements);
  std::vector<int> sizes;
  std::size_t all_sms = 0;
  for (const auto& group : groups.groups) {
    sizes.push_back(static_cast<int>(group.size()));
    all_sms += group.size();
  }
  Findings out("topology/fit");
  int model_right = 0;
  int driver_right = 0;
  int judged = 0;
  for (const Measurement& m : measurements) {
    const auto* census = std::get_if<Census>(&m.point.work);
    const auto fitting = m.samples.find(column::fitting);
    if (census == nullptr || fitting == m.samples.end() || fitting->second.empty()) continue;
    const auto waves = first_waves(m);
    if (waves.empty()) continue;
    std::vector<double> clusters;
    std::vector<double> idle;
    for (const FirstWave& wave : waves) {
      clusters.push_back(wave.clusters);
      idle.push_back(static_cast<double>(all_sms) - static_cast<double>(wave.sms.size()));
    }
    const std::string name = fmt::format("{}-an-sm/{}", census->per_sm, census->ranks);
    const auto model = model::fit_clusters(sizes, census->per_sm, census->ranks);
    const double here = stats::median(clusters);
    const auto driver = static_cast<double>(fitting->second.front().front());
    const auto& with = [&](Finding& f, double low, double high) -> Finding& {
      f.low = low;
      f.high = high;
      return f;
    };
    Finding& measured = with(out.count(name + "/clusters", here, "clusters"),
                             *std::min_element(clusters.begin(), clusters.end()),
                             *std::max_element(clusters.begin(), clusters.end()));
    if (here != model.clusters) measured.notes.push_back(fmt::format("the map says {}", model.clusters));
    if (here != driver) measured.notes.push_back(fmt::format("the driver says {:.0f}", driver));
    out.from(m);
    Finding& idle_sms =
        with(out.count(name + "/idle", stats::median(idle), "SMs"),
             *std::min_element(idle.begin(), idle.end()), *std::max_element(idle.begin(), idle.end()));
    if (idle_sms.value != model.idle_sms)
      idle_sms.notes.push_back(fmt::format("the map says {}", model.idle_sms));
    out.from(m);
    ++judged;
    model_right += here == model.clusters && stats::median(idle) == model.idle_sms ? 1 : 0;
    driver_right += here == driver ? 1 : 0;
  }
  if (judged == 0) return {};
  out.count("as-the-map-says", model_right, fmt::format("of {} cases", judged));
  out.count("as-the-driver-says", driver_right, fmt::format("of {} cases", judged));
  return out.take();
}

}  // namespace

Experiment fit() {
  return {.name = "topology/fit",
          .question = "How many clusters of each size run at once, and how many SMs do they leave idle?",
          .seconds_a_case = 0.01,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::topology

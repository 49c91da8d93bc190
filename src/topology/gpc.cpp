// SPDX-License-Identifier: Apache-2.0
// Which SMs share a GPC: those that the card ever puts into one cluster.
#include <fmt/format.h>

#include <algorithm>

#include "topology/experiments.h"
#include "topology/findings.h"
#include "topology/groups.h"

namespace plumb::topology {
namespace {

constexpr int kLaunches = 12;
constexpr int kQuickLaunches = 6;

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  for (int ranks = 2; ranks <= kMaxRanks; ++ranks)
    out.push_back({.experiment = "topology/gpc",
                   .axes = {{"ranks", std::int64_t{ranks}}},
                   .work = Census{.ranks = ranks},
                   .samples = request.quick ? kQuickLaunches : kLaunches});
  return out;
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  const Groups groups = groups_of(measurements);
  if (groups.groups.empty()) return {};
  const auto lone = lone_tpcs(groups);
  Findings out("topology/gpc");
  out.count("launches", groups.launches, "launches");
  Finding& tpcs = out.count("tpcs", static_cast<double>(groups.tpcs.size()), "TPCs");
  if (!groups.tpcs_are_pairs) tpcs.notes.emplace_back("some SM was in clusters of two with different others");
  std::size_t sms = 0;
  for (const auto& group : groups.groups) sms += group.size();
  out.count("sms", static_cast<double>(sms), "SMs");
  out.count("gpcs", static_cast<double>(groups.groups.size() - lone.size()), "GPCs");
  out.count("lone-tpcs", static_cast<double>(lone.size()), "TPCs");
  int gpc = 0;
  for (const auto& group : groups.groups) {
    const bool alone = std::find(lone.begin(), lone.end(), group) != lone.end();
    const std::string name =
        alone ? fmt::format("lone-{}/sms", group.front()) : fmt::format("gpc-{}/sms", gpc++);
    out.count(name, static_cast<double>(group.size()), "SMs")
        .notes.push_back(fmt::format("{}", fmt::join(group, " ")));
  }
  return out.take();
}

}  // namespace

Experiment gpc() {
  return {.name = "topology/gpc",
          .question = "Which SMs share a TPC and a GPC, and which TPCs are never in a cluster with others?",
          .seconds_a_case = 0.02,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::topology

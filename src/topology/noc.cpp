// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "topology/experiments.h"
#include "topology/groups.h"
namespace plumb::topology {
namespace {
Case walk_case(std::string who, Walk walk, int samples = 9) {
  Axes axes{{"op", std::string(name_of(walk.op))},
            {"who", std::move(who)},
            {"data", std::string(walk.same ? "same" : "own")}};
  axes["window"] = walk.window;
  return {.experiment = "topology/noc", .axes = std::move(axes), .work = std::move(walk), .samples = samples};
}
std::vector<Case> cases(const Request& request) {
  (void)request;
  std::vector<Case> out;
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16})
    out.push_back({.experiment = "topology/noc",
                   .axes = {{"ranks", std::int64_t{ranks}}},
                   .work = Census{.ranks = ranks},
                   .samples = 6});
  for (const WalkOp op : {WalkOp::read, WalkOp::write}) {
    out.push_back(walk_case("sm-0", {.op = op, .sms = {0}}));
    out.push_back(walk_case("all", {.op = op}));
    for (std::int64_t window = kLeastWindow; window <= (4 << 20); window *= 4)
      out.push_back(walk_case(
          "all", {.op = op, .window = window, .rounds = window > (1 << 18) ? 2 : 16, .same = true}));
  }
  return out;
}
std::vector<Case> more(const Request&, std::span<const Measurement> seen) {
  const Groups g = groups_of(seen);
  std::vector<Case> out;
  const auto lone = lone_tpcs(g);
  for (const WalkOp op : {WalkOp::read, WalkOp::write}) {
    for (const auto& group : g.groups)
      out.push_back(walk_case(fmt::format("group-{}", group.front()), {.op = op, .sms = group}));
    for (const auto& group : g.groups) {
      if (group.size() <= 2) continue;
      for (const auto& other : g.groups) {
        if (other == group) continue;
        std::vector<int> sms = group;
        sms.push_back(other.front());
        std::sort(sms.begin(), sms.end());
        out.push_back(
            walk_case(fmt::format("group-{}+sm-{}", group.front(), other.front()), {.op = op, .sms = sms}));
        if (op == WalkOp::read && other.size() > 2 && other.front() > group.front()) {
          sms = group;
          sms.insert(sms.end(), other.begin(), other.end());
          std::sort(sms.begin(), sms.end());
          out.push_back(walk_case(fmt::format("group-{}+group-{}", group.front(), other.front()),
                                  {.op = op, .sms = sms}));
        }
      }
    }
  }
  for (std::size_t a = 0; a < g.tpcs.size(); ++a)
    for (std::size_t b = a + 1; b < g.tpcs.size(); ++b) {
      const bool inside = g.group_of(g.tpcs[a][0]) == g.group_of(g.tpcs[b][0]);
      const bool la = std::find(lone.begin(), lone.end(), g.tpcs[a]) != lone.end(),
                 lb = std::find(lone.begin(), lone.end(), g.tpcs[b]) != lone.end();
      if (!inside && !la && !lb) continue;
      std::vector<int> sms = g.tpcs[a];
      sms.insert(sms.end(), g.tpcs[b].begin(), g.tpcs[b].end());
      std::sort(sms.begin(), sms.end());
      out.push_back(walk_case(fmt::format("tpc-{}+tpc-{}", g.tpcs[a][0], g.tpcs[b][0]),
                              {.op = WalkOp::write, .sms = sms, .same = true}, 3));
    }
  return out;
}
std::vector<Finding> analyze(std::span<const Measurement>) { return {}; }
}  // namespace
Experiment noc() {
  return {
      .name = "topology/noc",
      .question =
          "How much faster are a TPC, a CPC, a GPC and the chip than one SM, and who gets into whose way?",
      .seconds_a_case = 0.01,
      .cases = cases,
      .analyze = analyze,
      .more = more};
}
}  // namespace plumb::topology

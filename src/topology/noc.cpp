// SPDX-License-Identifier: Apache-2.0
// What the network between SMs and L2 carries, for whom, and who gets into whose way.
#include <fmt/format.h>

#include <algorithm>

#include "topology/contention.h"
#include "topology/experiments.h"
#include "topology/groups.h"
#include "topology/noc_findings.h"

namespace plumb::topology {
namespace {

constexpr int kSamples = 9;
constexpr int kPairSamples = 3;
constexpr int kLongRounds = 64;  // so that beginning and end are 2 % of the time at most
constexpr int kPairRounds = 16;
constexpr std::int64_t kOwnWindow = std::int64_t{128} * 1024;
constexpr std::int64_t kMostShared = std::int64_t{4} << 20;

std::vector<int> sorted(std::vector<int> sms) {
  std::sort(sms.begin(), sms.end());
  return sms;
}

class Plan {
 public:
  explicit Plan(bool quick) : quick_(quick) {}

  void census(int ranks) {
    out_.push_back({.experiment = "topology/noc",
                    .axes = {{"ranks", std::int64_t{ranks}}},
                    .work = Census{.ranks = ranks},
                    .samples = 6});
  }

  /// Each SM reads or writes a window of its own.
  void own(WalkOp op, const std::string& who, const std::vector<int>& sms) {
    add(who, {.op = op, .sms = sorted(sms), .window = kOwnWindow, .rounds = kLongRounds},
        quick_ ? kPairSamples : kSamples);
  }
  void own(const std::string& who, const std::vector<int>& sms) {
    own(WalkOp::read, who, sms);
    own(WalkOp::write, who, sms);
  }
  /// All read or write one window.
  void same(WalkOp op, std::int64_t window) {
    const int rounds =
        std::max<int>(1, static_cast<int>(kPairRounds * kOwnWindow / std::max(window, kOwnWindow)));
    add("all", {.op = op, .window = window, .rounds = rounds, .same = true},
        quick_ ? kPairSamples : kSamples);
  }
  /// Two TPCs write one window.
  void pair(const std::vector<int>& a, const std::vector<int>& b) {
    std::vector<int> sms = a;
    sms.insert(sms.end(), b.begin(), b.end());
    add(name_of_pair(a.front(), b.front()),
        {.op = WalkOp::write, .sms = sorted(sms), .window = kOwnWindow, .rounds = kPairRounds, .same = true},
        kPairSamples);
  }

  [[nodiscard]] std::vector<Case> take() { return std::move(out_); }

 private:
  void add(const std::string& who, Walk walk, int samples) {
    Axes axes{{"op", std::string(name_of(walk.op))},
              {"who", who},
              {"data", std::string(walk.same ? "same" : "own")},
              {"window", walk.window}};
    out_.push_back(
        {.experiment = "topology/noc", .axes = std::move(axes), .work = std::move(walk), .samples = samples});
  }

  bool quick_;
  std::vector<Case> out_;
};

std::vector<Case> cases(const Request& request) {
  Plan plan(request.quick);
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16}) plan.census(ranks);
  plan.own("sm-0", {0});
  plan.own("all", {});
  for (std::int64_t window = kLeastWindow; window <= kMostShared; window *= request.quick ? 64 : 4)
    plan.same(WalkOp::read, window);
  for (std::int64_t window = kOwnWindow; window <= kMostShared; window *= 4) plan.same(WalkOp::write, window);
  return plan.take();
}

/// Once it is known who shares clusters: every group, one SM of another group beside it, and all pairs of
/// TPCs that might share a CPC. Once it is known which of them do: every CPC.
std::vector<Case> more(const Request& request, std::span<const Measurement> seen) {
  const Groups groups = groups_of(seen);
  const auto lone = lone_tpcs(groups);
  const auto is_lone = [&](const std::vector<int>& tpc) {
    return std::find(lone.begin(), lone.end(), tpc) != lone.end();
  };
  Plan plan(request.quick);
  if (!groups.tpcs.empty()) plan.own("tpc-0", groups.tpcs.front());
  for (const auto& group : groups.groups) {
    if (is_lone(group)) continue;
    plan.own(fmt::format("group-{}", group.front()), group);
    for (const auto& other : groups.groups) {
      if (other == group) continue;
      std::vector<int> sms = group;
      sms.push_back(other.front());
      plan.own(WalkOp::read, name_of_beside(group.front(), other.front()), sms);
    }
  }
  for (std::size_t a = 0; a < groups.tpcs.size(); ++a) {
    for (std::size_t b = a + 1; b < groups.tpcs.size(); ++b) {
      const auto& first = groups.tpcs[a];
      const auto& second = groups.tpcs[b];
      const bool one_group = groups.group_of(first.front()) == groups.group_of(second.front());
      if (one_group || is_lone(first) || is_lone(second)) plan.pair(first, second);
    }
  }
  const Contention contention = contention_of(seen);
  for (const auto& set : contention.sets) {
    if (contention.contend.empty() || set.size() < 2) continue;
    std::vector<int> sms;
    for (const auto& tpc : groups.tpcs)
      if (std::binary_search(set.begin(), set.end(), tpc.front()))
        sms.insert(sms.end(), tpc.begin(), tpc.end());
    plan.own(fmt::format("cpc-{}", set.front()), sms);
  }
  return plan.take();
}

}  // namespace

Experiment noc() {
  return {.name = "topology/noc",
          .question =
              "How much more do a TPC, a CPC, a GPC and the chip get from L2 than one SM, and who gets "
              "into whose way?",
          .seconds_a_case = 0.008,
          .cases = cases,
          .analyze = noc_findings,
          .more = more};
}

}  // namespace plumb::topology

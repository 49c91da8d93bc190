// SPDX-License-Identifier: Apache-2.0
// From readings of probes to groups: the two halves of a survey's answer.
#include <fmt/format.h>

#include <algorithm>

#include "dsm/tomography/masks.h"
#include "dsm/tomography/survey.h"

namespace plumb::dsm::tomo {
namespace {

constexpr int kMostCpcs = 3;
constexpr int kMostInBlock = 3;
constexpr int kBlocksInCpc = 2;
constexpr double kContradictionShare = 0.04;

/// A reading that tells whether two items are in one group.
struct Probe {
  int fill, probe;
  Reading reading;
};

/// What keeps the likeliest partition from being the answer, and whether parts of it may be believed.
void judge(Grouping& g) {
  const double most = std::max(1.0, kContradictionShare * static_cast<double>(g.probes));
  if (g.probes == 0) {
    g.doubt = "there were no tests to tell";
  } else if (!g.levels) {
    g.doubt = "the tests do not fall into two levels, so nothing tells a collision";
  } else if (g.posterior.best.empty()) {
    g.doubt = "no grouping that a GPC allows fits";
  } else if (static_cast<double>(g.contradictions) > most) {
    g.doubt = fmt::format("{} of {} readings contradict the likeliest grouping", g.contradictions, g.probes);
  } else {
    g.sound = true;
    if (g.posterior.confidence < kSure)
      g.doubt =
          fmt::format("the likeliest grouping has a probability of {:.4f} only", g.posterior.confidence);
  }
}

/// A reading that says the opposite of what a grouping does, and says it clearly.
bool contradicts(double log_odds, bool together) {
  constexpr double kClear = 2.0;
  return together ? log_odds < -kClear : log_odds > kClear;
}

/// The likeliest partition of `items` by the probes, and how many of them contradict it.
Grouping weigh(const std::vector<Probe>& probes, int items, const GroupRules& rules) {
  Grouping out;
  out.probes = probes.size();
  std::vector<Reading> readings;
  readings.reserve(probes.size());
  for (const Probe& p : probes) readings.push_back(p.reading);
  out.levels = separate(readings);
  PairEvidence evidence(items);
  if (out.levels) {
    for (const Probe& p : probes)
      if (p.fill != p.probe) evidence.add(p.fill, p.probe, log_odds_of_collision(*out.levels, p.reading));
  }
  if (rules.most_groups == 0 || items <= rules.most_groups * rules.most_items)
    out.posterior = partition_posterior(evidence, rules);
  out.groups = out.posterior.best;
  if (out.levels && !out.groups.empty()) {
    for (const Probe& p : probes) {
      const bool together = has(group_of(out.groups, p.fill), p.probe);
      out.contradictions += contradicts(log_odds_of_collision(*out.levels, p.reading), together) ? 1U : 0U;
    }
  }
  judge(out);
  return out;
}

}  // namespace

Grouping Survey::blocks(const std::vector<Mask>& cpcs) const {
  std::vector<Probe> probes;
  for (const Outcome* o : of_kind(Kind::block)) {
    const auto& streams = o->trial.streams;
    for (std::size_t i = 1; i < streams.size(); ++i) {
      // A probe that no filling source shares its CPC with has a share of the block to itself: it is fast
      // whatever its destination.
      const Mask own = group_of(cpcs, streams[i].sources[0]);
      const auto& fill = streams[0].sources;
      if (std::any_of(fill.begin(), fill.end(), [&](int s) { return has(own, s); }))
        probes.push_back({streams[0].destination, streams[i].destination, o->readings[i]});
    }
  }
  return weigh(probes, ranks_, {.most_items = kMostInBlock});
}

Grouping Survey::cpcs(const std::vector<Mask>& blocks, const std::vector<Mask>& guess) const {
  const auto index = [&](int rank) {
    return static_cast<int>(std::find(blocks.begin(), blocks.end(), group_of(blocks, rank)) - blocks.begin());
  };
  std::vector<Probe> probes;
  for (const Outcome* o : of_kind(Kind::source)) {
    const Stream& fill = o->trial.streams[0];
    const Stream& probe = o->trial.streams[1];
    const int from = index(fill.sources[0]);
    // Only what rests on pairs that the answer on the blocks bears out.
    if (from == index(fill.sources[1]) && index(fill.destination) == index(probe.destination))
      probes.push_back({from, index(probe.sources[0]), o->readings[1]});
  }
  Grouping out =
      weigh(probes, static_cast<int>(blocks.size()), {.most_items = kBlocksInCpc, .most_groups = kMostCpcs});
  for (Mask& group : out.groups) {
    Mask ranks = 0;
    for (const int b : members(group)) ranks |= blocks[static_cast<std::size_t>(b)];
    group = ranks;
  }
  std::vector<Mask> sorted = out.groups;
  std::sort(sorted.begin(), sorted.end());
  if (out.doubt.empty() && sorted != guess) {
    out.doubt = kOtherCpcs;
    out.sound = false;
  }
  return out;
}

}  // namespace plumb::dsm::tomo

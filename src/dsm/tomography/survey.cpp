// SPDX-License-Identifier: Apache-2.0
#include "dsm/tomography/survey.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "dsm/tomography/draw.h"
#include "dsm/tomography/masks.h"
#include "stats/describe.h"

namespace plumb::dsm::tomo {
namespace {

constexpr int kMostCpcs = 3;
constexpr int kMostInCpc = 6;
constexpr double kPairCollides = 0.90;  // of the free rate: free pairs reach 0.94 of it and more
constexpr double kSuspicious = 0.04;    // a drop that is worth a test of the pair
constexpr int kScreenCovers = 2;
constexpr std::size_t kWantedPairs = 3;
constexpr std::size_t kPairBatch = 4;
constexpr std::size_t kBlockBatch = 12;
constexpr std::size_t kProbes = 3;
constexpr std::size_t kCpcBatch = 6;
// Block tests after which there must be two levels.
constexpr std::size_t kPatience = 60;

/// How unsure a probability is, in bits.
double entropy(double p) {
  if (p <= 0.0 || p >= 1.0) return 0.0;
  return -p * std::log2(p) - (1.0 - p) * std::log2(1.0 - p);
}

/// The drop of each destination below the free rate, in a screen or a pair.
double drop(const Outcome& o, std::size_t stream, double free) {
  return 1.0 - std::exp(o.readings[stream].log_rate - free);
}

}  // namespace

Survey::Survey(int ranks, std::vector<Outcome> outcomes) : ranks_(ranks), outcomes_(std::move(outcomes)) {}

std::vector<const Outcome*> Survey::of_kind(Kind kind) const {
  std::vector<const Outcome*> out;
  for (const Outcome& o : outcomes_)
    if (o.trial.kind == kind) out.push_back(&o);
  return out;
}

/// Most destinations of a screen are in nobody's way: the upper quartile is free.
double Survey::free_rate() const {
  std::vector<double> rates;
  for (const Outcome* o : of_kind(Kind::screen))
    for (const Reading& r : o->readings) rates.push_back(r.log_rate);
  return rates.empty() ? 0.0 : stats::quantile(rates, 0.75);
}

/// Pairs that were seen to collide alone, no rank in two of them.
std::vector<Survey::Pair> Survey::colliding_pairs() const {
  const double free = free_rate();
  std::vector<Pair> out;
  Mask taken = 0;
  for (const Outcome* o : of_kind(Kind::pair)) {
    const Pair p{o->trial.streams[0].destination, o->trial.streams[1].destination};
    const double most = std::max(drop(*o, 0, free), drop(*o, 1, free));
    if (most < 1.0 - kPairCollides || has(taken, p.a) || has(taken, p.b)) continue;
    taken |= bit(p.a) | bit(p.b);
    out.push_back(p);
  }
  return out;
}

/// The pairs under the strongest suspicion that have not been tested alone; where there are none left,
/// another round of screens with other sources.
std::vector<Trial> Survey::next_pairs() const {
  const double free = free_rate();
  std::map<std::pair<int, int>, double> suspicion;
  const auto key = [](int a, int b) { return std::pair(std::min(a, b), std::max(a, b)); };
  for (const Outcome* o : of_kind(Kind::screen)) {
    const auto& streams = o->trial.streams;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        suspicion[key(streams[i].destination, streams[j].destination)] +=
            std::max(0.0, drop(*o, i, free)) + std::max(0.0, drop(*o, j, free));
    }
  }
  for (const Outcome* o : of_kind(Kind::pair))
    suspicion.erase(key(o->trial.streams[0].destination, o->trial.streams[1].destination));
  Mask taken = 0;
  for (const Pair& p : colliding_pairs()) taken |= bit(p.a) | bit(p.b);
  std::erase_if(suspicion, [&](const auto& s) {
    return s.second < kSuspicious || has(taken, s.first.first) || has(taken, s.first.second);
  });
  std::vector<std::pair<double, std::pair<int, int>>> order;
  order.reserve(suspicion.size());
  for (const auto& [pair, drops] : suspicion) order.emplace_back(-drops, pair);
  std::sort(order.begin(), order.end());
  Draw draw(outcomes_.size() + 1);
  std::vector<Trial> out;
  for (std::size_t i = 0; i < std::min(kPairBatch, order.size()); ++i)
    out.push_back(crowd(Kind::pair, {order[i].second.first, order[i].second.second}, ranks_, draw));
  if (!out.empty()) return out;
  std::vector<Trial> cover = screen_cover(ranks_, outcomes_.size());
  // Lost tests make a round of screens look smaller, never larger.
  if (of_kind(Kind::screen).size() + cover.size() / 2 < cover.size() * kScreenCovers) return cover;
  return {};
}

/// What is known of a rank that probed beside the sources of a pair.
std::map<std::pair<int, int>, Survey::Tried> Survey::tried() const {
  const auto tests = of_kind(Kind::source);
  std::vector<Reading> readings;
  readings.reserve(tests.size());
  for (const Outcome* o : tests) readings.push_back(o->readings[1]);
  const auto levels = separate(readings);
  std::map<std::pair<int, int>, Tried> out;
  for (const Outcome* o : tests) {
    Tried& t = out[{o->trial.streams[0].sources[0], o->trial.streams[1].sources[0]}];
    ++t.times;
    if (levels) t.log_odds += log_odds_of_collision(*levels, o->readings[1]);
  }
  return out;
}

/// Two sources of a pair fill one destination of another pair; every other rank in turn probes the second.
/// What was slow is asked again with other destinations, and a third time where the two disagree.
std::vector<Trial> Survey::next_sources(const std::vector<Pair>& pairs) const {
  constexpr double kAgreed = 4.0;
  const auto known = tried();
  std::vector<Trial> out;
  for (std::size_t i = 0; i < std::min(pairs.size(), kWantedPairs); ++i) {
    const Pair& from = pairs[i];
    for (int rank = 0; rank < ranks_; ++rank) {
      if (rank == from.a || rank == from.b) continue;
      const auto it = known.find({from.a, rank});
      const Tried t = it == known.end() ? Tried{} : it->second;
      if ((t.times == 1 && t.log_odds <= 0.0) || (t.times > 1 && std::abs(t.log_odds) >= kAgreed)) continue;
      std::vector<Pair> targets;
      for (std::size_t j = 1; j < pairs.size(); ++j) {
        const Pair& to = pairs[(i + j) % pairs.size()];
        if (rank != to.a && rank != to.b) targets.push_back(to);
      }
      for (std::size_t j = 0, n = targets.size(); j < n; ++j) targets.push_back({targets[j].b, targets[j].a});
      if (t.times >= std::min<std::size_t>(3, targets.size())) continue;
      const Pair& to = targets[t.times];
      out.push_back({.kind = Kind::source,
                     .streams = {{.sources = {from.a, from.b}, .destination = to.a},
                                 {.sources = {rank}, .destination = to.b}}});
    }
  }
  return out;
}

/// Ranks that were slow beside one another, taken together; what nobody slows is taken for one more CPC.
/// Empty where that is no three CPCs of at most six. Tests are designed by it; the answer does not count it.
std::vector<Mask> Survey::cpc_guess(const std::vector<Pair>& pairs) const {
  const auto known = tried();
  std::vector<Mask> groups;
  const auto merge = [&](Mask together) {
    std::erase_if(groups, [&](Mask g) {
      if ((g & together) == 0) return false;
      together |= g;
      return true;
    });
    groups.push_back(together);
  };
  // A pair that no one was tried beside is a pair still, but not a CPC.
  Mask tried_beside = 0;
  for (const Pair& p : pairs) merge(bit(p.a) | bit(p.b));
  for (const auto& [who, t] : known) {
    tried_beside |= bit(who.first);
    if (t.log_odds > 0.0) merge(bit(who.first) | bit(who.second));
  }
  Mask rest = bit(ranks_) - 1;
  std::erase_if(groups, [&](Mask g) { return (g & tried_beside) == 0; });
  for (const Mask g : groups) rest &= ~g;
  if (rest != 0) groups.push_back(rest);
  const bool fits =
      groups.size() >= 2 && groups.size() <= kMostCpcs &&
      std::all_of(groups.begin(), groups.end(), [](Mask g) { return std::popcount(g) <= kMostInCpc; });
  if (!fits) groups.clear();
  std::sort(groups.begin(), groups.end());
  return groups;
}

/// Tests on the pairs of which least is known. Each fills one destination from all CPCs; up to three probes,
/// from different CPCs, go to ranks of which it is open whether they share the filled one's block.
std::vector<Trial> Survey::next_blocks(const Grouping& so_far, const std::vector<Mask>& cpcs) const {
  std::vector<double> open(so_far.posterior.together.size());
  const auto index = [&](int i, int j) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(j);
  };
  const auto at = [&](int i, int j) -> double& { return open[index(i, j)]; };
  Draw draw(outcomes_.size() + 2);
  for (int i = 0; i < ranks_; ++i) {
    for (int j = 0; j < i; ++j) {
      const double h = entropy(so_far.posterior.together[index(i, j)]);
      // A random grain so that equals are not taken in the order of their ranks.
      at(i, j) = at(j, i) = h * (1.0 + 1e-3 * static_cast<double>(draw.below(1000)) / 1000);
    }
  }
  std::vector<Trial> out;
  const auto settle = [&](int i, int j) { at(i, j) = at(j, i) = 0.0; };
  while (out.size() < kBlockBatch) {
    const auto most = std::max_element(open.begin(), open.end());
    if (*most <= 0.0) break;
    const auto where = static_cast<int>(most - open.begin());
    const std::vector<int> ends = draw.below(2) == 0 ? std::vector{where / ranks_, where % ranks_}
                                                     : std::vector{where % ranks_, where / ranks_};
    const int fill = ends[0];
    Mask used = bit(fill);
    std::vector<int> probed;
    // The filled destination's most open pairs, as long as every CPC keeps a source for the filling and
    // enough of them one for a probe.
    const auto room = [&](Mask taken) {
      std::size_t probes = 0;
      for (const Mask g : cpcs) {
        const int left = std::popcount(g & ~taken);
        if (left == 0) return false;
        probes += left > 1 ? 1U : 0U;
      }
      return probes > probed.size();
    };
    std::vector<int> order = members((bit(ranks_) - 1) & ~bit(fill));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return at(fill, a) > at(fill, b); });
    for (const int rank : order) {
      if (probed.size() == kProbes || at(fill, rank) <= 0.0) break;
      if (!room(used | bit(rank))) continue;
      used |= bit(rank);
      probed.push_back(rank);
    }
    settle(ends[0], ends[1]);
    for (const int rank : probed) settle(fill, rank);
    if (probed.empty()) continue;
    Trial trial{.kind = Kind::block, .streams = {{.sources = {}, .destination = fill}}};
    std::vector<int> spare;
    for (const Mask g : cpcs) {
      std::vector<int> free = members(g & ~used);
      draw.shuffle(free);
      trial.streams[0].sources.push_back(free[0]);
      if (free.size() > 1) spare.push_back(free[1]);
    }
    draw.shuffle(spare);
    for (std::size_t i = 0; i < probed.size(); ++i)
      trial.streams.push_back({.sources = {spare[i]}, .destination = probed[i]});
    out.push_back(std::move(trial));
  }
  return out;
}

/// Tests on the pairs of blocks of which least is known, with other filling sources and probes each time.
std::vector<Trial> Survey::next_cpcs(const Grouping& so_far, const std::vector<Mask>& blocks) const {
  Draw draw(outcomes_.size() + 3);
  struct Open {
    double entropy;
    std::size_t from, probe;
  };
  std::vector<Open> order;
  const auto two = [](Mask g) { return std::popcount(g) >= 2; };
  for (std::size_t x = 0; x < blocks.size(); ++x) {
    for (std::size_t y = 0; y < blocks.size(); ++y) {
      const double h =
          so_far.posterior.together.empty() ? 0.0 : entropy(so_far.posterior.together[x * blocks.size() + y]);
      if (x != y && two(blocks[x]) && h > 0.0) order.push_back({h, x, y});
    }
  }
  draw.shuffle(order);
  std::stable_sort(order.begin(), order.end(),
                   [](const Open& a, const Open& b) { return a.entropy > b.entropy; });
  std::vector<Trial> out;
  for (const Open& o : order) {
    std::vector<std::size_t> to;
    for (std::size_t z = 0; z < blocks.size(); ++z)
      if (z != o.from && z != o.probe && two(blocks[z])) to.push_back(z);
    if (to.empty()) continue;
    const auto drawn = [&](std::size_t block) {
      std::vector<int> ranks = members(blocks[block]);
      draw.shuffle(ranks);
      return ranks;
    };
    const std::vector<int> fill = drawn(o.from);
    const std::vector<int> destination = drawn(to[draw.below(to.size())]);
    out.push_back({.kind = Kind::source,
                   .streams = {{.sources = {fill[0], fill[1]}, .destination = destination[0]},
                               {.sources = {drawn(o.probe)[0]}, .destination = destination[1]}}});
    if (out.size() == kCpcBatch) break;
  }
  return out;
}

std::vector<Trial> Survey::next() const {
  if (outcomes_.empty() || outcomes_.size() >= kMostTests) return {};
  const std::vector<Pair> pairs = colliding_pairs();
  if (of_kind(Kind::source).empty() && pairs.size() < kWantedPairs) {
    if (auto more = next_pairs(); !more.empty()) return more;
  }
  if (pairs.size() < 2) return {};
  if (of_kind(Kind::block).empty()) {
    if (auto more = next_sources(pairs); !more.empty()) return more;
  }
  const std::vector<Mask> guess = cpc_guess(pairs);
  if (guess.empty()) return {};
  const Grouping found = blocks(guess);
  if (!found.levels && found.probes >= kPatience * kProbes) return {};
  if (!found.levels || found.posterior.confidence < kSure) return next_blocks(found, guess);
  if (!found.doubt.empty()) return {};
  const Grouping paired = cpcs(found.groups, guess);
  if (paired.posterior.confidence < kSure) return next_cpcs(paired, found.groups);
  return {};
}

Answer Survey::answer() const {
  Answer out;
  const std::vector<Pair> pairs = colliding_pairs();
  const std::vector<Mask> guess = cpc_guess(pairs);
  if (guess.empty()) {
    out.blocks.doubt = pairs.size() < 2 ? "no two pairs of destinations collide clearly enough to go on with"
                                        : "the sources do not fall into two or three CPCs";
    out.cpcs.doubt = out.blocks.doubt;
    return out;
  }
  out.blocks = blocks(guess);
  if (!out.blocks.doubt.empty()) {
    out.cpcs.doubt = "the blocks are not settled";
    return out;
  }
  out.cpcs = cpcs(out.blocks.groups, guess);
  if (out.cpcs.doubt == kOtherCpcs) {
    out.blocks.doubt = "its tests were chosen by CPCs that are in doubt";
    out.blocks.sound = false;
  }
  return out;
}

}  // namespace plumb::dsm::tomo

// SPDX-License-Identifier: Apache-2.0
#include "topology/synthetic.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace plumb::test {
namespace {

using Random = std::mt19937_64;

double normal(Random& random, double sigma) { return std::normal_distribution<double>(0.0, sigma)(random); }

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t h = 1469598103934665603U;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return h;
}

/// Clusters at random in the groups where they fit; those of a second wave arrive later.
Samples run(const Chip& chip, const Census& census, int samples, Random& random) {
  const int all = static_cast<int>(chip.tpcs.size()) * 2;
  std::map<int, std::vector<int>> groups;  // places, by GPC; lone TPCs below zero
  for (int t = 0; t < static_cast<int>(chip.tpcs.size()); ++t)
    for (int sm = 2 * t; sm < 2 * t + 2; ++sm)
      for (int k = 0; k < census.per_sm; ++k)
        groups[chip.tpcs[static_cast<std::size_t>(t)].lone ? -1 - t
                                                           : chip.tpcs[static_cast<std::size_t>(t)].gpc]
            .push_back(sm);
  const int grid = census.per_sm * all / census.ranks;
  Samples out;
  Column& smid = out["smid"] = Column(static_cast<std::size_t>(grid * census.ranks));
  Column& arrived = out["arrived_ns"] = smid;
  int fitting = 0;
  for (int s = 0; s < samples; ++s) {
    std::vector<std::vector<int>> clusters;
    for (auto places : groups) {
      auto& sms = places.second;
      if (static_cast<int>(sms.size()) / census.per_sm < census.ranks) continue;
      if (census.ranks == 2) {
        std::sort(sms.begin(), sms.end());  // a cluster of two is a TPC
        std::vector<int> pairs;
        for (std::size_t i = 0; i < sms.size(); i += 2 * static_cast<std::size_t>(census.per_sm))
          for (int k = 0; k < census.per_sm; ++k) pairs.insert(pairs.end(), {sms[i], sms[i] + 1});
        sms = pairs;
      } else {
        // As cards do: every SM has one before any has two.
        std::sort(sms.begin(), sms.end());
        std::vector<int> once;
        std::unique_copy(sms.begin(), sms.end(), std::back_inserter(once));
        sms.clear();
        for (int k = 0; k < census.per_sm; ++k) {
          std::shuffle(once.begin(), once.end(), random);
          sms.insert(sms.end(), once.begin(), once.end());
        }
      }
      for (std::size_t at = 0; at + static_cast<std::size_t>(census.ranks) <= sms.size();
           at += static_cast<std::size_t>(census.ranks))
        clusters.emplace_back(sms.begin() + static_cast<std::ptrdiff_t>(at),
                              sms.begin() + static_cast<std::ptrdiff_t>(at) + census.ranks);
    }
    std::shuffle(clusters.begin(), clusters.end(), random);
    fitting = static_cast<int>(clusters.size());
    if (clusters.empty())
      return {{"fitting", Column(1, std::vector<std::int64_t>(static_cast<std::size_t>(samples), 0))}};
    for (int c = 0; c < grid; ++c) {
      const auto& sms = clusters[static_cast<std::size_t>(c) % clusters.size()];
      for (int r = 0; r < census.ranks; ++r) {
        const auto row = static_cast<std::size_t>(c * census.ranks + r);
        smid[row].push_back(sms[static_cast<std::size_t>(r)]);
        arrived[row].push_back(census.hold * (c / fitting) + c);
      }
    }
  }
  out["fitting"] = Column(1, std::vector<std::int64_t>(static_cast<std::size_t>(samples), fitting));
  return out;
}

void add_clocks(Samples& out, std::size_t rows, int samples, const std::vector<double>& cycles) {
  for (const char* name : {"start_cycles", "start_ns", "stop_cycles", "stop_ns", "bad_bytes"})
    out[name] = Column(rows, std::vector<std::int64_t>(static_cast<std::size_t>(samples), 0));
  for (std::size_t r = 0; r < rows; ++r) {
    std::fill(out["stop_cycles"][r].begin(), out["stop_cycles"][r].end(),
              static_cast<std::int64_t>(cycles[r]));
    std::fill(out["stop_ns"][r].begin(), out["stop_ns"][r].end(), static_cast<std::int64_t>(cycles[r] / 2));
  }
}

Samples run(const Chip& chip, const Lookup& lookup, int samples, Random& random) {
  // What is true of the chip is the same in every case.
  Random chips(chip.seed);
  const auto addresses = static_cast<std::size_t>(lookup.addresses);
  std::map<int, std::vector<double>> of_gpc;
  std::map<std::pair<int, int>, std::vector<double>> of_cpc;
  const auto draw = [&](double sigma) {
    std::vector<double> v;
    for (std::size_t a = 0; a < addresses; ++a) v.push_back(normal(chips, sigma));
    return v;
  };
  for (std::size_t g = 0; g < chip.die.size(); ++g) {
    of_gpc[static_cast<int>(g)] = draw(chip.gpc_cycles);
    for (int c = 0; c < 4; ++c) of_cpc[{static_cast<int>(g), c}] = draw(chip.cpc_cycles);
  }
  std::vector<int> home;
  for (std::size_t a = 0; a < addresses; ++a) home.push_back(static_cast<int>(a % 2));
  Samples out;
  const std::size_t sms = chip.tpcs.size() * 2;
  add_clocks(out, sms, samples, std::vector<double>(sms, 1e6));
  for (std::size_t sm = 0; sm < sms; ++sm) {
    const Chip::Tpc& tpc = chip.tpcs[sm / 2];
    out["smid"].emplace_back(static_cast<std::size_t>(samples), static_cast<std::int64_t>(sm));
    for (std::size_t a = 0; a < addresses; ++a) {
      const bool far = chip.die[static_cast<std::size_t>(tpc.gpc)] != home[a];
      const double mean = 280.0 + 3.0 * static_cast<double>(sm / 2 % 7) + (far ? chip.die_cycles : 0.0) +
                          of_gpc[tpc.gpc][a] + of_cpc[{tpc.gpc, tpc.cpc}][a];
      auto& row = out["cycles"].emplace_back();
      for (int s = 0; s < samples; ++s)
        row.push_back(std::llround(kLookupLoads * (mean + normal(random, chip.noise))));
    }
  }
  return out;
}

Samples run(const Chip& chip, const Walk& walk, int samples, Random& random) {
  std::vector<int> sms = walk.sms;
  if (sms.empty())
    for (int sm = 0; sm < static_cast<int>(chip.tpcs.size()) * 2; ++sm) sms.push_back(sm);
  const auto place = [&](int sm) {
    const Chip::Tpc& t = chip.tpcs[static_cast<std::size_t>(sm / 2)];
    return std::pair(sm / 2 == chip.moved_tpc ? chip.moved_to_gpc : t.gpc, t.cpc);
  };
  std::set<std::pair<int, int>> cpcs;
  for (const int sm : sms) cpcs.insert(place(sm));
  const bool slowed = sms.size() == 4 && walk.same && cpcs.size() == 1;
  std::vector<double> cycles;
  Samples out;
  for (const int sm : sms) {
    const double rate = slowed ? 26.0 : 30.0 + normal(random, 0.05);
    cycles.push_back(static_cast<double>(bytes_of(walk)) / rate);
    out["smid"].emplace_back(static_cast<std::size_t>(samples), sm);
  }
  add_clocks(out, sms.size(), samples, cycles);
  return out;
}

template <class Other>
Samples run(const Chip& /*chip*/, const Other& /*work*/, int /*samples*/, Random& /*random*/) {
  return {};
}

}  // namespace

Chip chip_of(const std::vector<int>& tpcs_of_gpc, int lone_gpc, int lone) {
  Chip chip;
  chip.die.assign(tpcs_of_gpc.size(), 0);
  // As cards do: a TPC of each GPC in turn, and lone ones last.
  std::vector<Chip::Tpc> last;
  const int most = *std::max_element(tpcs_of_gpc.begin(), tpcs_of_gpc.end());
  const int cpcs = (most + 2) / 3;
  for (int t = 0; t < most; ++t) {
    for (int g = 0; g < static_cast<int>(tpcs_of_gpc.size()); ++g) {
      const int count = tpcs_of_gpc[static_cast<std::size_t>(g)];
      if (t >= count) continue;
      const bool alone = g == lone_gpc && t >= count - lone;
      (alone ? last : chip.tpcs).push_back({.gpc = g, .cpc = t % cpcs, .lone = alone});
    }
  }
  chip.tpcs.insert(chip.tpcs.end(), last.begin(), last.end());
  return chip;
}

Measurement measure(const Chip& chip, const Case& point) {
  Random random(chip.seed ^ hash_of(id_of(point)));
  return {.point = point,
          .samples = std::visit([&](const auto& work) { return run(chip, work, point.samples, random); },
                                point.work),
          .conditions = {}};
}

std::vector<Measurement> measure_all(const Chip& chip, const Experiment& experiment) {
  std::vector<Measurement> out;
  std::set<std::string> done;
  const auto add = [&](const std::vector<Case>& cases) {
    bool any = false;
    for (const Case& c : cases) {
      if (!done.insert(id_of(c)).second) continue;
      out.push_back(measure(chip, c));
      any = true;
    }
    return any;
  };
  add(experiment.cases({.quick = true}));
  while (experiment.more && add(experiment.more({.quick = true}, out))) {
  }
  return out;
}

}  // namespace plumb::test

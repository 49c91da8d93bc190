// SPDX-License-Identifier: Apache-2.0
#include "infer/discriminate.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "plumb/core/error.h"
#include "plumb/fabric/simulation.h"
#include "stats/describe.h"

namespace plumb::infer {
namespace {

constexpr std::int64_t kKiB = 1024;

class Draw {
 public:
  Draw(int ranks, std::uint64_t seed) : ranks_(ranks), random_(seed) {}

  Traffic plan() {
    Traffic t{.ranks = ranks_, .flows = {}};
    const int flows = 1 + below(std::min(16, 2 * ranks_));
    for (int i = 0; i < flows; ++i) t.flows.push_back(flow());
    return t;
  }
  /// One flow drawn anew, added or left out.
  Traffic changed(Traffic t) {
    const auto at = static_cast<std::size_t>(below(static_cast<int>(t.flows.size())));
    const int what = below(4);
    if (what == 0 && t.flows.size() > 1) {
      t.flows.erase(t.flows.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (what == 1 && t.flows.size() < 24) {
      t.flows.push_back(flow());
    } else {
      t.flows[at] = flow();
    }
    return t;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  Flow flow() {
    constexpr std::array kOps{Op::put, Op::put, Op::load, Op::store};
    constexpr std::array kBytes{16 * kKiB, 32 * kKiB, 64 * kKiB};
    Flow f{.op = kOps.at(static_cast<std::size_t>(below(4))),
           .bytes = kBytes.at(static_cast<std::size_t>(below(3))),
           .warps = 4,
           .in_flight = 4};
    f.window = 8 * kKiB;
    f.command = 8 * kKiB;
    f.source = below(ranks_);
    f.destination = (f.source + 1 + below(ranks_ - 1)) % ranks_;
    f.delay = below(4) == 0 ? 100 * below(8) : 0;
    return f;
  }

  int ranks_;
  std::mt19937_64 random_;
};

struct Times {
  std::vector<double> mean;
  std::vector<double> spread;
};

Times times_of(const Traffic& traffic, const fabric::Parameters& p, const fabric::Topology& topology,
               int seeds) {
  std::vector<std::vector<double>> each(traffic.flows.size());
  for (int s = 1; s <= seeds; ++s) {
    const auto result = fabric::simulate(traffic, p, topology, {.seed = static_cast<std::uint64_t>(s)});
    for (std::size_t f = 0; f < each.size(); ++f)
      each[f].push_back(static_cast<double>(result.flows[f].stop - result.flows[f].start));
  }
  Times out;
  for (const auto& t : each) {
    const auto [least, most] = std::ranges::minmax(t);
    out.mean.push_back(stats::median(t));
    out.spread.push_back(most - least);
  }
  return out;
}

}  // namespace

Separation discriminate(const SimMachine& machine, const Hypothesis& first, const Hypothesis& second,
                        const DiscriminateOptions& options) {
  const fabric::Parameters a = applied(first, machine.parameters);
  const fabric::Parameters b = applied(second, machine.parameters);
  const fabric::Topology topology = topology_of(machine, std::min(kMaxRanks, topology_of(machine).ranks()));
  Draw draw(topology.ranks(), options.seed);
  Separation best;
  for (int i = 0; i < options.patterns; ++i) {
    if (options.progress) options.progress(i + 1);
    const bool fresh = best.traffic.flows.empty() || i < options.patterns / 2;
    const Traffic traffic = fresh ? draw.plan() : draw.changed(best.traffic);
    std::array<Times, 2> times;
    try {
      plumb::validate(traffic);
      tbb::parallel_for(0, 2, [&](int k) {
        times.at(static_cast<std::size_t>(k)) = times_of(traffic, k == 0 ? a : b, topology, options.seeds);
      });
    } catch (const Error&) {
      continue;  // too many warps or too much shared memory for one SM
    }
    for (std::size_t f = 0; f < traffic.flows.size(); ++f) {
      const double difference = std::abs(times[0].mean[f] - times[1].mean[f]);
      const double noise = std::max(times[0].spread[f], times[1].spread[f]) +
                           kCardSpread * std::min(times[0].mean[f], times[1].mean[f]);
      if (difference / noise <= best.score) continue;
      best = {.traffic = traffic,
              .first = times[0].mean,
              .second = times[1].mean,
              .flow = f,
              .score = difference / noise};
    }
  }
  return best;
}

}  // namespace plumb::infer

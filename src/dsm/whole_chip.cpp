// SPDX-License-Identifier: Apache-2.0
// All clusters that the card holds at once, and what may change a ring of the largest cluster.
#include <numeric>
#include <random>

#include "dsm/clusters.h"
#include "dsm/experiments.h"
#include "dsm/slopes.h"
#include "plumb/core/named_pattern.h"

namespace plumb::dsm {
namespace {

constexpr std::int64_t kKiB = 1024;
// Clusters start together to about a microsecond; at these sizes that is a small part.
const std::vector<std::int64_t> kBytes{128 * kKiB, 384 * kKiB};
constexpr std::int64_t kWindow = 64 * kKiB;
const std::vector<std::string> kChipOrder{"op", "ranks", "where"};
const std::vector<std::string> kLinearOrder{"axis", "value"};

Sizes chip_sizes(const Request& request) { return {.bytes = kBytes, .samples = request.quick ? 12 : 30}; }

std::vector<Case> chip_cases(const Request& request) {
  const Sizes sizes = chip_sizes(request);
  std::vector<Case> out;
  for (const Op op : {Op::load, Op::store, Op::put}) {
    for (int ranks = 2; ranks <= kMaxRanks; ranks += request.quick ? 7 : 1) {
      if (op != Op::put && ranks != 2 && ranks != 8 && ranks != kMaxRanks) continue;
      for (const int clusters : {0, 1}) {
        const Axes axes{{"op", std::string(name_of(op))},
                        {"ranks", std::int64_t{ranks}},
                        {"where", std::string(clusters == 0 ? "chip" : "alone")}};
        for (Case& c :
             slope_cases("dsm/whole-chip", axes,
                         make_pattern("ring", {.ranks = ranks}, {.op = op, .window = kWindow}), sizes)) {
          c.site.clusters = clusters;
          out.push_back(std::move(c));
        }
      }
    }
  }
  return out;
}

/// A put ring that visits the ranks in this order.
Traffic ring_in(const std::vector<int>& order) {
  Traffic traffic{.ranks = static_cast<int>(order.size()), .flows = {}};
  for (std::size_t i = 0; i < order.size(); ++i)
    traffic.flows.push_back(
        {.source = order[i], .destination = order[(i + 1) % order.size()], .op = Op::put, .window = kWindow});
  return traffic;
}

std::vector<int> ranks_in_order() {
  std::vector<int> order(kMaxRanks);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int> shuffled(std::uint64_t seed) {
  std::vector<int> order = ranks_in_order();
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

/// One thing at a time is changed of: ranks in order, commands of 16 KiB, the default policy.
std::vector<Case> linear_cases(const Request& request) {
  const Sizes sizes = chip_sizes(request);
  std::vector<Case> out;
  const auto add = [&](const std::string& axis, const std::string& value, const Traffic& traffic,
                       Policy policy = Policy::standard) {
    for (Case& c : slope_cases("dsm/linear", {{"axis", axis}, {"value", value}}, traffic, sizes)) {
      c.site = {.clusters = 0, .policy = policy};
      out.push_back(std::move(c));
    }
  };
  const Traffic plain = ring_in(ranks_in_order());
  add("base", "base", plain);
  add("policy", "spread", plain, Policy::spread);
  add("policy", "load-balancing", plain, Policy::balanced);
  for (const std::int64_t command : {1, 2, 4, 8}) {
    Traffic t = plain;
    for (Flow& f : t.flows) f.command = command * kKiB;
    add("command", std::to_string(command) + "KiB", t);
  }
  std::vector<int> even_first;
  for (const int parity : {0, 1})
    for (int r = parity; r < kMaxRanks; r += 2) even_first.push_back(r);
  add("order", "even-then-odd", ring_in(even_first));
  std::vector<int> reversed = ranks_in_order();
  std::reverse(reversed.begin(), reversed.end());
  add("order", "reversed", ring_in(reversed));
  for (std::uint64_t seed = 1; seed <= (request.quick ? 1U : 6U); ++seed)
    add("order", "shuffled-" + std::to_string(seed), ring_in(shuffled(seed)));
  return out;
}

}  // namespace

Experiment whole_chip() {
  return {.name = "dsm/whole-chip",
          .question =
              "What does every SM get when the whole chip is full of rings of 2 to 16 SMs, and what do they "
              "move in all?",
          .seconds_a_case = 0.01,
          .cases = chip_cases,
          .analyze = [](std::span<const Measurement> m) { return cluster_findings(m, kChipOrder); }};
}

Experiment linear() {
  return {.name = "dsm/linear",
          .question =
              "Does anything make a ring of 16 SMs as fast for every SM as a pair: the GPC, how clusters are "
              "scheduled, the order of the ranks, the size of the commands?",
          .seconds_a_case = 0.01,
          .cases = linear_cases,
          .analyze = [](std::span<const Measurement> m) { return cluster_findings(m, kLinearOrder); }};
}

}  // namespace plumb::dsm

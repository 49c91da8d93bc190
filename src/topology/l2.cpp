// SPDX-License-Identifier: Apache-2.0
// How far each SM is from each part of L2.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/describe.h"
#include "stats/hierarchy.h"
#include "topology/experiments.h"
#include "topology/findings.h"
#include "topology/reach.h"

namespace plumb::topology {
namespace {

constexpr std::int64_t kStride = 64;

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  const auto add = [&](std::string how, const Lookup& lookup, int samples) {
    out.push_back({.experiment = "topology/l2",
                   .axes = {{"addresses", std::move(how)}},
                   .work = lookup,
                   .samples = request.quick ? (samples + 2) / 3 : samples});
  };
  add("random", {.addresses = request.quick ? 96 : 192}, 20);
  add("random-together", {.addresses = 96, .together = true}, 9);
  add("stride-64", {.addresses = 128, .stride = kStride}, 6);
  return out;
}

/// Bytes between changes of what the SMs see, along addresses in steps of `stride`: the greatest common
/// divisor of the places where the latencies change by more than three times what they scatter. 0: no change.
std::int64_t interleave_of(const Reach& reach, std::int64_t stride) {
  std::vector<double> steps;
  for (std::size_t a = 1; a < reach.addresses; ++a) {
    double sum = 0.0;
    for (std::size_t i = 0; i < reach.sms.size(); ++i) {
      const double d = reach.of(i)[a] - reach.of(i)[a - 1];
      sum += d * d;
    }
    steps.push_back(std::sqrt(sum / static_cast<double>(reach.sms.size())));
  }
  const stats::Modes modes = stats::modes(steps, 1.0);
  const double middle = (modes.low + modes.high) / 2;
  std::int64_t common = 0;
  for (std::size_t a = 1; a < reach.addresses; ++a)
    if (steps[a - 1] > middle) common = std::gcd(common, static_cast<std::int64_t>(a) * stride);
  return common;
}

stats::Estimate quantile(const std::vector<double>& values, double q) {
  const double v = stats::quantile(values, q);
  return {v, v, v};
}

void add_quantiles(Findings& out, const Measurement& m, const std::string& name,
                   const std::vector<double>& cycles) {
  out.add(name + "/min", quantile(cycles, 0.0), "cycles");
  out.from(m);
  out.add(name + "/median", stats::estimate_median(cycles, 1), "cycles");
  out.from(m);
  out.add(name + "/max", quantile(cycles, 1.0), "cycles");
  out.from(m);
}

void add_reach(Findings& out, const Measurement& m, const Reach& reach) {
  add_quantiles(out, m, "hit", reach.cycles);
  const auto first = reach.of(0);
  add_quantiles(out, m, fmt::format("sm-{}", reach.sms.front()), {first.begin(), first.end()});
  std::vector<double> means;
  for (std::size_t i = 0; i < reach.sms.size(); ++i)
    means.push_back(std::accumulate(reach.of(i).begin(), reach.of(i).end(), 0.0) /
                    static_cast<double>(reach.addresses));
  add_quantiles(out, m, "mean-of-an-sm", means);
  const auto distances = distances_of(reach);
  const auto merges = stats::cluster(distances, reach.sms.size());
  std::vector<int> order;
  for (const std::size_t i : stats::leaf_order(merges, distances, reach.sms.size()))
    order.push_back(reach.sms[i]);
  out.count("order", static_cast<double>(order.size()), "SMs")
      .notes.push_back(fmt::format("by likeness: {}", fmt::join(order, " ")));
  out.from(m);
  const auto split = split_of(reach);
  out.count("partitions", split ? 2 : 1, "partitions");
  out.from(m);
  if (!split) return;
  std::string map;
  for (const int part : split->near) map += static_cast<char>('0' + part);
  out.count("near-map", static_cast<double>(reach.addresses), "addresses")
      .notes.push_back(fmt::format("the nearer partition, by rising address: {}", map));
  out.from(m);
  out.add("partition/difference", split->difference, "cycles");
  out.from(m);
  for (const int part : {0, 1}) {
    out.count(fmt::format("partition-{}/sms", part),
              static_cast<double>(std::count(split->part.begin(), split->part.end(), part)), "SMs");
    out.from(m);
    out.count(fmt::format("partition-{}/near", part),
              100.0 * static_cast<double>(std::count(split->near.begin(), split->near.end(), part)) /
                  static_cast<double>(reach.addresses),
              "% of addresses");
    out.from(m);
  }
  out.count("partition/least-correlation-within", split->within, "");
  out.from(m);
  out.count("partition/greatest-correlation-between", split->between, "");
  out.from(m);
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  Findings out("topology/l2");
  for (const Measurement& m : measurements) {
    const auto* lookup = std::get_if<Lookup>(&m.point.work);
    const auto reach = reach_of(m);
    if (lookup == nullptr || !reach) continue;
    if (lookup->together) {
      add_quantiles(out, m, "hit-together", reach->cycles);
    } else if (lookup->stride != 0) {
      out.count("interleave", static_cast<double>(interleave_of(*reach, lookup->stride)), "bytes");
      out.from(m);
    } else {
      add_reach(out, m, *reach);
    }
  }
  return out.take();
}

}  // namespace

Experiment l2() {
  return {.name = "topology/l2",
          .question = "How far is each SM from each part of L2, and which SMs see L2 alike?",
          .seconds_a_case = 1.5,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::topology

// SPDX-License-Identifier: Apache-2.0
#include "fabric/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "plumb/fabric/simulation.h"

namespace plumb::fabric::validation {
namespace {

using Pairs = std::vector<std::pair<int, int>>;  // source, destination

Traffic pattern(Op op, const Pairs& pairs, int ranks = 16) {
  Traffic t{.ranks = ranks, .flows = {}};
  for (const auto& [source, destination] : pairs)
    t.flows.push_back({.source = source, .destination = destination, .op = op});
  return t;
}

Traffic ring(Op op, int ranks, int stride = 1) {
  Pairs pairs;
  for (int destination = 0; destination < ranks; ++destination)
    pairs.emplace_back((destination - stride + ranks) % ranks, destination);
  return pattern(op, pairs, ranks);
}

/// The lowest other ranks send to the destinations alternately, three to each.
Traffic fan(const std::vector<int>& destinations) {
  Pairs pairs;
  std::size_t next = 0;
  for (int source = 0; pairs.size() < 3 * destinations.size(); ++source) {
    if (std::ranges::count(destinations, source) != 0) continue;
    pairs.emplace_back(source, destinations[next]);
    next = (next + 1) % destinations.size();
  }
  return pattern(Op::put, pairs);
}

Traffic incast(Op op, int sources) {
  Pairs pairs;
  for (int source = 1; source <= sources; ++source) pairs.emplace_back(source, 0);
  return pattern(op, pairs);
}

Traffic mixed(Op first, std::pair<int, int> a, Op second, std::pair<int, int> b) {
  Traffic t = pattern(first, {a}, 2);
  t.flows.push_back({.source = b.first, .destination = b.second, .op = second});
  return t;
}

void add_pairs(std::vector<Row>& rows) {
  const auto add = [&](std::string name, Traffic t, Reading reading, std::vector<double> measured) {
    rows.push_back({"pair", std::move(name), std::move(t), reading, std::move(measured)});
  };
  add("load one way", pattern(Op::load, {{1, 0}}, 2), Reading::each, {21.34});
  add("store one way", pattern(Op::store, {{0, 1}}, 2), Reading::each, {21.37});
  add("put one way", pattern(Op::put, {{0, 1}}, 2), Reading::each, {21.33});
  add("load both ways", pattern(Op::load, {{1, 0}, {0, 1}}, 2), Reading::mean, {17.07});
  add("store both ways", pattern(Op::store, {{1, 0}, {0, 1}}, 2), Reading::mean, {20.40});
  add("put both ways", pattern(Op::put, {{1, 0}, {0, 1}}, 2), Reading::mean, {20.39});
}

void add_mixes(std::vector<Row>& rows) {
  const auto add = [&](std::string name, Traffic t, double measured) {
    rows.push_back({"mixed", std::move(name), std::move(t), Reading::total, {measured}});
  };
  add("load and store, same direction", mixed(Op::load, {0, 1}, Op::store, {0, 1}), 21.29);
  add("load and put, same direction", mixed(Op::load, {0, 1}, Op::put, {0, 1}), 21.34);
  add("load and put, opposite", mixed(Op::load, {1, 0}, Op::put, {0, 1}), 30.54);
  add("load and store, opposite", mixed(Op::load, {1, 0}, Op::store, {0, 1}), 25.18);
}

void add_rings(std::vector<Row>& rows) {
  for (int n = 2; n <= 12; n += 2) {
    rows.push_back({"small rings",
                    fmt::format("put ring of {}", n),
                    ring(Op::put, n),
                    Reading::mean,
                    {20.4},
                    20.3,
                    20.5});
  }
  rows.push_back(
      {"put ring of 16",
       "stride 1",
       ring(Op::put, 16),
       Reading::each,
       {18.1, 19.2, 19.0, 17.8, 17.9, 20.7, 20.7, 19.2, 19.0, 17.9, 17.7, 20.5, 20.7, 19.9, 19.8, 17.9}});
  rows.push_back(
      {"put ring of 16",
       "stride 2",
       ring(Op::put, 16, 2),
       Reading::each,
       {18.1, 18.6, 19.1, 19.1, 17.6, 17.5, 20.5, 20.4, 19.1, 19.4, 17.8, 17.8, 20.8, 20.7, 19.3, 20.2}});
  rows.push_back(
      {"load ring of 16",
       "stride 1",
       ring(Op::load, 16),
       Reading::each,
       {14.4, 17.7, 17.0, 15.0, 15.1, 14.4, 14.4, 17.7, 17.0, 15.0, 15.1, 14.4, 14.4, 15.0, 15.1, 14.4},
       0,
       0,
       0});
}

void add_incasts(std::vector<Row>& rows) {
  for (const int n : {2, 3, 6, 15}) {
    const std::string from = fmt::format("{} sources", n);
    rows.push_back(
        {"incast", fmt::format("put, {}", from), incast(Op::put, n), Reading::total, {32.0}, 31.8, 32.1});
    rows.push_back(
        {"incast", fmt::format("store, {}", from), incast(Op::store, n), Reading::total, {32.0}, 31.8, 32.1});
    rows.push_back(
        {"incast", fmt::format("load, {}", from), incast(Op::load, n), Reading::total, {32.0}, 31.9, 32.1});
  }
}

void add_fans(std::vector<Row>& rows) {
  const auto add = [&](std::string family, const std::vector<int>& to, double low, double high) {
    std::string name = "to";
    for (const int d : to) name += fmt::format(" {}", d);
    rows.push_back({std::move(family), name, fan(to), Reading::total, {(low + high) / 2}, low, high});
  };
  add("two destinations", {0, 1}, 64, 64);
  add("two destinations", {2, 5}, 64, 64);
  for (const int d : {2, 3, 4, 5}) add("two destinations", {d, d + 6}, 49, 51);
  add("two destinations", {1, 7}, 56, 57);
  add("two destinations", {1, 13}, 56, 57);
  add("two destinations", {0, 6}, 59, 60);
  add("two destinations", {0, 12}, 59, 60);
  add("three destinations", {0, 6, 12}, 61, 61);
  add("three destinations", {2, 8, 14}, 61, 61);
  add("three destinations", {0, 6, 3}, 72, 77);
  add("three destinations", {2, 8, 5}, 72, 77);
  add("three destinations", {0, 1, 2}, 96, 97);
  add("three destinations", {3, 4, 5}, 96, 97);
}

void add_probes(std::vector<Row>& rows) {
  const auto add = [&](std::string name, const Pairs& pairs, std::vector<double> measured, Reading reading) {
    rows.push_back(
        {"six of one CPC", std::move(name), pattern(Op::put, pairs), reading, std::move(measured)});
  };
  const auto equal = [](std::size_t n, double rate) { return std::vector<double>(n, rate); };
  add("X1", {{0, 1}, {6, 7}, {12, 13}, {1, 2}, {7, 8}, {13, 4}}, equal(6, 17.9), Reading::each);
  add("X2", {{0, 2}, {1, 5}, {6, 8}, {7, 11}, {12, 14}, {13, 15}}, equal(6, 19.0), Reading::each);
  std::vector<double> x3 = equal(6, 17.1);
  x3.insert(x3.end(), {21.5, 21.5});
  add("X3", {{0, 1}, {6, 7}, {12, 13}, {1, 2}, {7, 8}, {13, 0}, {4, 6}, {10, 12}}, x3, Reading::each);
  add("X4", {{0, 4}, {6, 10}, {12, 5}, {1, 11}, {7, 2}, {13, 3}}, {20.2}, Reading::mean);
}

/// Every flow moves `bytes`, each address once if the shared memory of the destinations has room for that,
/// else walking the largest window that has. Warps of a CTA are shared among its loads.
Traffic sized(const Traffic& traffic, std::size_t bytes) {
  Traffic t = traffic;
  int landing = 0;  // flows that need a region at one destination, at most
  for (int rank = 0; rank < t.ranks; ++rank) {
    const auto lands = [&](const Flow& f) { return f.op != Op::load && f.destination == rank; };
    landing = std::max(landing, static_cast<int>(std::ranges::count_if(t.flows, lands)));
  }
  for (Flow& f : t.flows) {
    f.bytes = static_cast<std::int64_t>(bytes);
    const auto same = [&](const Flow& other) { return other.op == Op::load && issuer(other) == issuer(f); };
    if (f.op == Op::load)
      f.warps = std::min<int>(f.warps, kMaxWarps / static_cast<int>(std::ranges::count_if(t.flows, same)));
    if (landing > 1) f.window = landing <= 4 ? 32768 : 8192;
  }
  return t;
}

double median(std::vector<double> v) {
  std::ranges::sort(v);
  return v[v.size() / 2];
}

Cycle duration(const FlowResult& f) { return f.stop - f.start; }

Cycle last_stop(const SimulationResult& r) {
  return std::ranges::max_element(r.flows, {}, &FlowResult::stop)->stop;
}

}  // namespace

std::vector<Row> rows() {
  std::vector<Row> rows;
  add_pairs(rows);
  add_mixes(rows);
  add_rings(rows);
  add_incasts(rows);
  add_fans(rows);
  add_probes(rows);
  return rows;
}

std::vector<double> simulated(const Row& row, const Parameters& parameters) {
  constexpr std::size_t kSmall = 32 * 1024;
  constexpr std::size_t kLarge = 96 * 1024;
  const int cpc = row.short_cpc;
  const Topology topology(std::vector<Slot>{{cpc, 2, 0}, {cpc, 2, 1}}, row.traffic.ranks);
  const std::size_t flows = row.traffic.flows.size();
  std::vector<std::vector<double>> rates(row.reading == Reading::total ? 1 : flows);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const SimulationOptions options{.seed = seed};
    const auto small = simulate(sized(row.traffic, kSmall), parameters, topology, options);
    const auto large = simulate(sized(row.traffic, kLarge), parameters, topology, options);
    const auto slope = [](std::size_t bytes, Cycle cycles) {
      return static_cast<double>(bytes) / static_cast<double>(cycles);
    };
    if (row.reading == Reading::total) {
      rates[0].push_back(slope(flows * (kLarge - kSmall), last_stop(large) - last_stop(small)));
      continue;
    }
    for (std::size_t i = 0; i < flows; ++i)
      rates[i].push_back(slope(kLarge - kSmall, duration(large.flows[i]) - duration(small.flows[i])));
  }
  std::vector<double> each;
  for (const auto& r : rates) each.push_back(median(r));
  if (row.reading != Reading::mean) return each;
  return {std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size())};
}

double deviation(const Row& row, std::size_t index, double simulated) {
  double measured = row.measured[index];
  if (row.high != 0.0) measured = std::clamp(simulated, row.low, row.high);
  return simulated / measured - 1.0;
}

}  // namespace plumb::fabric::validation

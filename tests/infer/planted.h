// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <vector>

#include "infer/observed.h"

namespace plumb::infer::test {

/// Cases of small clusters whose durations depend on the costs of the front ends and on what a pair of SMs
/// does both ways: loads in flight, trains of bulk copies, stores, two directions.
inline std::vector<Case> small_cases() {
  std::vector<Case> cases;
  const auto add = [&](std::string experiment, std::string name, std::vector<Flow> flows) {
    cases.push_back({.experiment = std::move(experiment),
                     .axes = {{"name", std::move(name)}},
                     .work = Traffic{.ranks = 4, .flows = std::move(flows)},
                     .samples = 3});
  };
  for (const std::int64_t bytes : {4096, 16384, 65536}) {
    for (const int warps : {1, 4, 8}) {
      const Flow load{
          .source = 1, .destination = 0, .op = Op::load, .bytes = bytes, .warps = warps, .in_flight = 1};
      add("loads", std::to_string(bytes) + "x" + std::to_string(warps), {load});
    }
    const Flow one{.source = 0, .destination = 1, .bytes = bytes};
    const Flow two{.source = 1, .destination = 0, .bytes = bytes};
    for (const Op op : {Op::load, Op::store, Op::put}) {
      Flow a = one;
      Flow b = two;
      a.op = b.op = op;
      const std::string name = std::to_string(bytes) + std::string(name_of(op));
      add("one way", name, {a});
      add("two ways", name, {a, b});
    }
    for (const std::int64_t command : {256, 512, 1024}) {
      Flow train = one;
      train.op = Op::put;
      train.command = command;
      add("trains", std::to_string(bytes) + "/" + std::to_string(command), {train});
    }
  }
  return cases;
}

/// What a card with these parameters would have recorded, every duration off by a normal relative error.
inline std::vector<ObservedCase> recorded(const SimMachine& truth, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0.0, 1.0);
  std::vector<Measurement> measurements;
  for (const Case& c : small_cases()) measurements.push_back(SimBackend(truth, seed + 100).run(c));
  std::vector<ObservedCase> cases = observe(measurements, {});
  for (ObservedCase& c : cases) {
    for (Observed& o : c.rows) {
      o.cycles *= 1.0 + noise * normal(random);
      o.error = noise * o.cycles;
    }
  }
  return cases;
}

inline SimMachine machine_with(void (*change)(fabric::Parameters&)) {
  SimMachine m;
  change(m.parameters);
  return m;
}

}  // namespace plumb::infer::test

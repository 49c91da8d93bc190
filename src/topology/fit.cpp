// SPDX-License-Identifier: Apache-2.0
#include "topology/experiments.h"
namespace plumb::topology {
namespace {
std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  for (const int per_sm : {1, 2, 3, 4, 8}) {
    if (request.quick && per_sm > 2) continue;
    for (int ranks = 1; ranks <= kMaxRanks; ++ranks)
      out.push_back({.experiment = "topology/fit",
                     .axes = {{"ranks", std::int64_t{ranks}}, {"per_sm", std::int64_t{per_sm}}},
                     .work = Census{.ranks = ranks, .per_sm = per_sm},
                     .samples = 3});
  }
  return out;
}
std::vector<Finding> analyze(std::span<const Measurement>) { return {}; }
}  // namespace
Experiment fit() {
  return {.name = "topology/fit",
          .question = "How many clusters of each size run at once, and which SMs do they leave idle?",
          .seconds_a_case = 0.01,
          .cases = cases,
          .analyze = analyze};
}
}  // namespace plumb::topology

// SPDX-License-Identifier: Apache-2.0
// Which SMs share a GPC: those that the card ever puts into one cluster.
#include "topology/experiments.h"
#include "topology/groups.h"

namespace plumb::topology {
namespace {
std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  for (int ranks = 2; ranks <= kMaxRanks; ++ranks)
    out.push_back({.experiment = "topology/gpc",
                   .axes = {{"ranks", std::int64_t{ranks}}},
                   .work = Census{.ranks = ranks},
                   .samples = request.quick ? 6 : 12});
  return out;
}
std::vector<Finding> analyze(std::span<const Measurement>) { return {}; }
}  // namespace
Experiment gpc() {
  return {.name = "topology/gpc",
          .question = "Which SMs share a TPC and a GPC, and which TPCs stand alone?",
          .seconds_a_case = 0.02,
          .cases = cases,
          .analyze = analyze};
}
}  // namespace plumb::topology

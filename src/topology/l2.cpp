// SPDX-License-Identifier: Apache-2.0
#include "topology/experiments.h"
namespace plumb::topology {
namespace {
std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  const auto add = [&](const char* what, const Lookup& lookup, int samples) {
    out.push_back({.experiment = "topology/l2",
                   .axes = {{"addresses", std::string(what)}},
                   .work = lookup,
                   .samples = request.quick ? 6 : samples});
  };
  add("random", {.addresses = request.quick ? 96 : 192}, 20);
  add("stride-64", {.addresses = 128, .stride = 64}, 6);
  add("random-together", {.addresses = 96, .together = true}, 9);
  return out;
}
std::vector<Finding> analyze(std::span<const Measurement>) { return {}; }
}  // namespace
Experiment l2() {
  return {.name = "topology/l2",
          .question = "How far is each SM from each part of L2, and which SMs see it alike?",
          .seconds_a_case = 2,
          .cases = cases,
          .analyze = analyze};
}
}  // namespace plumb::topology

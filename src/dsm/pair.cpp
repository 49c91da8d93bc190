// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "dsm/experiments.h"
#include "dsm/slopes.h"

namespace plumb::dsm {
namespace {

/// Warps that issue, and 16-byte accesses of each thread back to back.
struct Issue {
  int warps, in_flight;
};

// Loads need about 8 KiB in flight to reach the fabric's rate. Alone, the grid goes from a quarter of that to
// twice; two ways, only what saturates: below, the two directions fall in and out of step and are on no line.
constexpr std::array kLoadIssue{Issue{4, 1},  Issue{4, 2}, Issue{8, 1}, Issue{4, 4},
                                Issue{16, 1}, Issue{8, 2}, Issue{16, 2}};
constexpr std::array kSaturatingIssue{Issue{4, 4}, Issue{16, 1}, Issue{8, 2}};
constexpr std::array kStoreIssue{Issue{8, 2}, Issue{16, 1}};

std::vector<Case> cases(const Request& request) {
  const Sizes sizes = sizes_for(request);
  std::vector<Case> out;
  const auto add = [&](Op op, std::string_view way, const Issue* issue) {
    Traffic traffic{.ranks = 2, .flows = {{.source = 1, .destination = 0, .op = op}}};
    Axes axes{{"op", std::string(name_of(op))}, {"way", std::string(way)}};
    if (issue != nullptr) {
      traffic.flows[0].warps = issue->warps;
      traffic.flows[0].in_flight = issue->in_flight;
      axes["issue"] = std::to_string(issue->warps) + "x" + std::to_string(issue->in_flight);
    }
    if (way == "two-way") {
      traffic.flows.push_back(traffic.flows[0]);
      std::swap(traffic.flows[1].source, traffic.flows[1].destination);
    }
    append(out, slope_cases("dsm/pair", axes, traffic, sizes));
  };
  for (const Issue& issue : kLoadIssue) add(Op::load, "one-way", &issue);
  for (const Issue& issue : kSaturatingIssue) add(Op::load, "two-way", &issue);
  for (const std::string_view way : {"one-way", "two-way"}) {
    for (const Issue& issue : kStoreIssue) add(Op::store, way, &issue);
    add(Op::put, way, nullptr);
  }
  return out;
}

}  // namespace

Experiment pair() {
  static const std::vector<std::string> kOrder{"op", "way", "issue"};
  return {.name = "dsm/pair",
          .question =
              "How fast does one SM read, write and put the shared memory of another, alone and while "
              "the other does the same?",
          .seconds_a_case = 0.003,
          .cases = cases,
          .analyze = [](std::span<const Measurement> m) { return slope_findings(m, kOrder); }};
}

}  // namespace plumb::dsm

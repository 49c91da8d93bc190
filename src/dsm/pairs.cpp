// SPDX-License-Identifier: Apache-2.0
// Every pair of ranks alone, and how the load rate of a pair depends on what is in flight.
#include "dsm/experiments.h"
#include "dsm/slopes.h"

namespace plumb::dsm {
namespace {

std::vector<Case> all_pairs_cases(const Request& request) {
  Sizes sizes = few_sizes_for(request);
  sizes.bytes = {sizes.bytes.front(), sizes.bytes.back()};
  std::vector<Case> out;
  for (const Op op : {Op::load, Op::put}) {
    for (int source = 0; source < kMaxRanks; source += request.quick ? 5 : 1) {
      for (int destination = 0; destination < kMaxRanks; ++destination) {
        if (source == destination) continue;
        append(out, slope_cases("dsm/all-pairs",
                                {{"op", std::string(name_of(op))},
                                 {"source", std::int64_t{source}},
                                 {"destination", std::int64_t{destination}}},
                                {.ranks = kMaxRanks,
                                 .flows = {{.source = source, .destination = destination, .op = op}}},
                                sizes));
      }
    }
  }
  return out;
}

std::vector<Case> in_flight_cases(const Request& request) {
  const Sizes sizes{.bytes = few_sizes_for(request).bytes, .samples = sizes_for(request).samples};
  std::vector<Case> out;
  for (const int warps : {1, 2, 4, 8, 16}) {
    for (const int in_flight : {1, 2, 4, 8}) {
      append(
          out,
          slope_cases(
              "dsm/in-flight", {{"warps", std::int64_t{warps}}, {"in_flight", std::int64_t{in_flight}}},
              {.ranks = 2,
               .flows =
                   {{.source = 1, .destination = 0, .op = Op::load, .warps = warps, .in_flight = in_flight}}},
              sizes));
    }
  }
  return out;
}

}  // namespace

Experiment all_pairs() {
  static const std::vector<std::string> kOrder{"op", "source", "destination"};
  return {
      .name = "dsm/all-pairs",
      .question = "Is every directed pair of a cluster of 16 SMs as fast as every other while it is alone?",
      .seconds_a_case = 0.003,
      .cases = all_pairs_cases,
      .analyze = [](std::span<const Measurement> m) { return slope_findings(m, kOrder); }};
}

Experiment in_flight() {
  static const std::vector<std::string> kOrder{"warps", "in_flight"};
  return {.name = "dsm/in-flight",
          .question = "How many bytes of loads must an SM have in flight to fill its way in?",
          .seconds_a_case = 0.003,
          .cases = in_flight_cases,
          .analyze = [](std::span<const Measurement> m) { return slope_findings(m, kOrder); }};
}

}  // namespace plumb::dsm

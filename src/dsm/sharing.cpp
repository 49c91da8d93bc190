// SPDX-License-Identifier: Apache-2.0
// Many SMs and one: onto one destination, and out of one source.
#include <algorithm>

#include "dsm/experiments.h"
#include "dsm/slopes.h"
#include "plumb/core/named_pattern.h"

namespace plumb::dsm {
namespace {

// Fifteen regions of 8 KiB and a tile fit into the payload memory of one SM.
constexpr std::int64_t kWindow = 8192;
constexpr int kWarps = 8;      // of a flow that is alone at its issuer
constexpr int kAllWarps = 30;  // of all flows of one issuer

/// Rank 0 and the next `others` ranks of a full cluster; the flows that one rank issues share its warps.
Traffic shared(std::string_view pattern, Op op, int others) {
  Traffic traffic = make_pattern(pattern, {}, {.op = op, .window = kWindow});
  traffic.flows.resize(static_cast<std::size_t>(others));
  const bool one_issuer = op == (pattern == "incast" ? Op::load : Op::store);
  for (Flow& f : traffic.flows) f.warps = one_issuer ? std::min(kWarps, kAllWarps / others) : kWarps;
  return traffic;
}

std::vector<Case> cases(const Request& request, const std::string& experiment, std::string_view pattern) {
  std::vector<Case> out;
  for (const Op op : {Op::load, Op::store, Op::put}) {
    for (const int others : request.quick ? std::vector{1, 3, 15} : std::vector{1, 2, 3, 4, 6, 8, 12, 15}) {
      append(out,
             slope_cases(experiment, {{"op", std::string(name_of(op))}, {"others", std::int64_t{others}}},
                         shared(pattern, op, others), few_sizes_for(request)));
    }
  }
  return out;
}

Experiment experiment(const std::string& name, const std::string& question, std::string_view pattern) {
  static const std::vector<std::string> kOrder{"op", "others"};
  return {.name = name,
          .question = question,
          .seconds_a_case = 0.004,
          .cases = [name, pattern](const Request& request) { return cases(request, name, pattern); },
          .analyze = [](std::span<const Measurement> m) { return slope_findings(m, kOrder); }};
}

}  // namespace

Experiment incast() {
  return experiment("dsm/incast", "How much gets into one SM from 1 to 15 others?", "incast");
}

Experiment fan_out() {
  return experiment("dsm/fan-out", "How much gets out of one SM to 1 to 15 others?", "scatter");
}

}  // namespace plumb::dsm

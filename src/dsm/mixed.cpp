// SPDX-License-Identifier: Apache-2.0

#include "dsm/experiments.h"
#include "dsm/slopes.h"

namespace plumb::dsm {
namespace {

std::vector<Case> cases(const Request& request) {
  const Sizes sizes = sizes_for(request);
  std::vector<Case> out;
  for (const Op with : {Op::store, Op::put}) {
    for (const std::string_view direction : {"same", "opposite"}) {
      // 8 warps with 2 accesses in flight: what saturates the wires alone (dsm/pair).
      const Flow read{.source = 1, .destination = 0, .op = Op::load};
      Flow second = read;
      second.op = with;
      if (direction == "opposite") std::swap(second.source, second.destination);
      const Axes axes{{"with", std::string(name_of(with))}, {"direction", std::string(direction)}};
      append(out, slope_cases("dsm/mixed", axes, {.ranks = 2, .flows = {read, second}}, sizes));
    }
  }
  return out;
}

}  // namespace

Experiment mixed() {
  static const std::vector<std::string> kOrder{"with", "direction"};
  return {.name = "dsm/mixed",
          .question =
              "What does an SM's read get while a store or a put carries a second payload, in the same "
              "direction of the wires or in the opposite one?",
          .seconds_a_case = 0.003,
          .cases = cases,
          .analyze = [](std::span<const Measurement> m) { return slope_findings(m, kOrder); }};
}

}  // namespace plumb::dsm

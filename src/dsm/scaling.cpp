// SPDX-License-Identifier: Apache-2.0
// Rings: of every size, and of 16 SMs with every stride.
#include <array>

#include "dsm/experiments.h"
#include "dsm/slopes.h"
#include "plumb/core/named_pattern.h"

namespace plumb::dsm {
namespace {

constexpr std::array kOps{Op::load, Op::store, Op::put};

std::vector<Case> scaling_cases(const Request& request) {
  std::vector<Case> out;
  for (const Op op : kOps) {
    for (int ranks = 2; ranks <= kMaxRanks; ranks += request.quick ? 2 : 1) {
      append(out,
             slope_cases("dsm/scaling", {{"op", std::string(name_of(op))}, {"ranks", std::int64_t{ranks}}},
                         make_pattern("ring", {.ranks = ranks}, {.op = op}), few_sizes_for(request)));
    }
  }
  return out;
}

std::vector<Case> stride_cases(const Request& request) {
  std::vector<Case> out;
  for (const Op op : kOps) {
    const Axes axes{{"op", std::string(name_of(op))}};
    const auto add = [&](AxisValue stride, const Traffic& traffic) {
      Axes here = axes;
      here["stride"] = std::move(stride);
      append(out, slope_cases("dsm/stride", here, traffic, few_sizes_for(request)));
    };
    for (int stride = 1; stride < kMaxRanks; stride += request.quick ? 7 : 1)
      add(std::int64_t{stride}, make_pattern("ring", {.stride = stride}, {.op = op}));
    add(std::string("neighbours"), make_pattern("pairs", {}, {.op = op}));
  }
  return out;
}

}  // namespace

Experiment scaling() {
  static const std::vector<std::string> kOrder{"op", "ranks"};
  return {.name = "dsm/scaling",
          .question = "What does each SM of a ring get as the ring grows from 2 to 16 SMs?",
          .seconds_a_case = 0.004,
          .cases = scaling_cases,
          .analyze = [](std::span<const Measurement> m) { return slope_findings(m, kOrder); }};
}

Experiment stride() {
  static const std::vector<std::string> kOrder{"op", "stride"};
  return {.name = "dsm/stride",
          .question =
              "Does it matter how far apart the partners of a ring of 16 SMs are, or that they are "
              "neighbours which exchange?",
          .seconds_a_case = 0.005,
          .cases = stride_cases,
          .analyze = [](std::span<const Measurement> m) { return slope_findings(m, kOrder); }};
}

}  // namespace plumb::dsm

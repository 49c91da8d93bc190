// SPDX-License-Identifier: Apache-2.0
// One instruction, from its issue to its completion as the issuer sees it.
#include <array>
#include <iterator>

#include "mma/cases.h"
#include "mma/experiments.h"
#include "stats/describe.h"

namespace plumb::mma {
namespace {

const std::string kName = "mma/latency";
constexpr std::array<int, 5> kNs{8, 32, 64, 128, 256};
constexpr std::array<int, 7> kTcgen05Ns{16, 64, 80, 96, 112, 128, 256};

std::vector<Mma> works() {
  std::vector<Mma> out;
  for (const auto& [input, output] : wgmma_formats())
    for (const Operands operands : {Operands::ss, Operands::rs})
      for (const int n : kNs) out.push_back({.input = input, .output = output, .n = n, .operands = operands});
  for (const auto& [input, output] : tcgen05_formats()) {
    auto more = tcgen05_shapes(input, output, kTcgen05Ns);
    out.insert(out.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
  return legal(std::move(out));
}

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  for (const Mma& w : works()) out.push_back(case_of(kName, w, request.quick ? 30 : 90));
  return out;
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Finding> out;
  for (const Measurement& m : measurements) {
    const std::vector<double> cycles = cycles_of(m);
    if (cycles.empty()) continue;
    out.push_back(finding(m, "latency", median_of(cycles), "cycles"));
    for (const auto& [what, q] : {std::pair{"latency-p5", 0.05}, {"latency-p95", 0.95}}) {
      const double v = stats::quantile(cycles, q);
      out.push_back(finding(m, what, {.value = v, .low = v, .high = v}, "cycles", "quantile"));
    }
  }
  return out;
}

}  // namespace

Experiment latency() {
  return {.name = kName,
          .question =
              "How long does one instruction take from issue to observed completion, by format, layout "
              "and N?",
          .seconds_a_case = 0.03,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::mma

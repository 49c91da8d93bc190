// SPDX-License-Identifier: Apache-2.0
// What the numbers do to power, and power to the clock.
#include "mma/cases.h"
#include "mma/chip.h"
#include "mma/experiments.h"

namespace plumb::mma {
namespace {

const std::string kName = "mma/data";
constexpr int kHeat = 300;      // ms of random numbers, so that power management has seen a load
constexpr int kBatches = 3000;  // 30 ms a sample

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  for (const auto& [input, output] :
       Formats{{Number::bf16, Number::f32}, {Number::e4m3, Number::f32}, {Number::s8, Number::s32}})
    for (const MmaData data : {MmaData::zeros, MmaData::constant, MmaData::activations, MmaData::random}) {
      Mma w{.input = input, .output = output, .n = 256, .groups = 2, .in_flight = 64, .batches = kBatches};
      w.data = data;
      Case c = case_of(kName, w, request.quick ? 3 : 9);
      c.axes["data"] = std::string(name_of(data));
      c.site = {.clusters = 0, .heat_ms = kHeat};
      out.push_back(std::move(c));
    }
  return out;
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Finding> out;
  for (const Measurement& m : measurements)
    for (Finding& f : chip_findings(m)) out.push_back(std::move(f));
  return out;
}

}  // namespace

Experiment data() {
  return {.name = kName,
          .question = "What do the numbers in A and B do to rate, clock and power when every SM multiplies?",
          .seconds_a_case = 2.0,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::mma

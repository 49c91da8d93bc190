// SPDX-License-Identifier: Apache-2.0
// Both paths at the same bytes in flight: which one is ahead, and where that changes.
#include "copy/envelope.h"
#include "copy/experiments.h"
#include "copy/rates.h"
#include "copy/ways.h"

namespace plumb::copy {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr int kOccasions = 3;

std::vector<Case> cases(const Request& request) {
  const std::vector<std::int64_t> sizes =
      request.quick ? std::vector<std::int64_t>{2, 8, 16, 32, 64, 128}
                    : std::vector<std::int64_t>{1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192};
  std::vector<Case> out;
  for (const Memory from : {Memory::dram, Memory::l2})
    for (const CopyPath path : {CopyPath::ldgsts, CopyPath::tma})
      for (const std::int64_t kib : sizes)
        for (const auto& [config, copy] : ways(path, from, kib * kKiB))
          for (int occasion = 1; occasion <= (request.quick ? 1 : kOccasions); ++occasion) {
            Axes axes{{"from", std::string(name_of(from))},
                      {"path", std::string(name_of(path))},
                      {"KiB", kib},
                      {"config", config},
                      {"occasion", std::int64_t{occasion}},
                      {"what", std::string("rate")}};
            out.push_back(whole_chip("copy/compare", axes, steady(copy), samples_of(request)));
            if (copy.stages != 1 || (path == CopyPath::ldgsts && copy.ctas == 2)) continue;
            axes["what"] = std::string("wave");
            out.push_back(whole_chip("copy/compare", axes, one_wave(copy),
                                     wave_samples_of(request) / (request.quick ? 1 : 2)));
          }
  return out;
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  return envelope_findings(measurements);
}

}  // namespace

Experiment compare() {
  return {.name = "copy/compare",
          .question =
              "At equal bytes in flight, which path is ahead, cp.async or the copy engine, and where does "
              "that change?",
          .seconds_a_case = 0.03,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::copy

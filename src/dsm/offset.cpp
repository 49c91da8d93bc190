// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dsm/experiments.h"
#include "dsm/times.h"

namespace plumb::dsm {
namespace {

constexpr std::int64_t kRange = 4096;
constexpr std::int64_t kBytes = 65536;
const std::vector<std::string> kOrder{"op", "offset"};

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  const std::int64_t step = request.quick ? 256 : 32;
  for (const Op op : {Op::load, Op::put}) {
    for (std::int64_t offset = 0; offset < kRange; offset += step) {
      Flow flow{.source = 1, .destination = 0, .op = op, .bytes = kBytes};
      (op == Op::load ? flow.source_skew : flow.destination_skew) = offset;
      out.push_back({.experiment = "dsm/offset",
                     .axes = {{"op", std::string(name_of(op))}, {"offset", offset}},
                     .work = Traffic{.ranks = 2, .flows = {flow}},
                     .samples = request.quick ? 12 : 30});
    }
  }
  return out;
}

/// dsm/offset/OP/spread: the slowest offset over the fastest, in %; and each offset's time.
std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Finding> out;
  for (const Op op : {Op::load, Op::put}) {
    std::vector<Finding> times;
    for (const Measurement& m : measurements) {
      if (axis(m.point, "op") != name_of(op)) continue;
      if (auto time = time_finding(m, kOrder)) times.push_back(std::move(*time));
    }
    if (times.empty()) continue;
    const auto [fast, slow] = std::minmax_element(
        times.begin(), times.end(), [](const Finding& a, const Finding& b) { return a.value < b.value; });
    out.push_back({.name = "dsm/offset/" + std::string(name_of(op)) + "/spread",
                   .value = 100.0 * (slow->value / fast->value - 1.0),
                   .low = std::max(0.0, 100.0 * (slow->low / fast->high - 1.0)),
                   .high = 100.0 * (slow->high / fast->low - 1.0),
                   .unit = "%",
                   .estimator = "median",
                   .cases = {slow->cases.front(), fast->cases.front()},
                   .notes = {}});
    out.insert(out.end(), times.begin(), times.end());
  }
  return out;
}

}  // namespace

Experiment offset() {
  return {.name = "dsm/offset",
          .question = "Does it matter where in shared memory a tile begins, in steps of 32 bytes over 4 KiB?",
          .seconds_a_case = 0.002,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::dsm

// SPDX-License-Identifier: Apache-2.0
// The most that each memory gives and takes, by ordinary accesses.
#include "copy/experiments.h"
#include "copy/rates.h"

namespace plumb::copy {
namespace {

const std::vector<std::string> kOrder{"memory", "op", "sms", "MiB"};

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  for (const Memory memory : {Memory::dram, Memory::l2, Memory::shared})
    for (const StreamOp op : {StreamOp::read, StreamOp::write, StreamOp::copy})
      for (const bool whole : {true, false}) {
        const std::int64_t steps = memory == Memory::dram && whole ? 128 : 64;
        const Axes axes{{"memory", std::string(name_of(memory))},
                        {"op", std::string(name_of(op))},
                        {"sms", std::string(whole ? "chip" : "one-sm")}};
        out.push_back({.experiment = "copy/ceilings",
                       .axes = axes,
                       .work = Stream{.op = op, .memory = memory, .bytes = steps * kStreamStep},
                       .samples = samples_of(request),
                       .site = {.clusters = whole ? 0 : 1}});
      }
  if (request.quick) return out;
  // How much the L2 holds, and what its parts give.
  for (const std::int64_t mib : {1, 2, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128, 256}) {
    const Axes axes{{"memory", std::string("set")},
                    {"op", std::string("read")},
                    {"sms", std::string("chip")},
                    {"MiB", mib}};
    out.push_back({.experiment = "copy/ceilings",
                   .axes = axes,
                   .work = Stream{.op = StreamOp::read,
                                  .memory = Memory::l2,
                                  .footprint = mib << 20,
                                  .bytes = 64 * kStreamStep},
                   .samples = samples_of(request),
                   .site = {.clusters = 0}});
  }
  return out;
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  return path_findings(measurements, kOrder);
}

}  // namespace

Experiment ceilings() {
  return {.name = "copy/ceilings",
          .question =
              "What are the most that DRAM, L2 and shared memory give and take, of one SM and of the whole "
              "chip?",
          .seconds_a_case = 0.05,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::copy

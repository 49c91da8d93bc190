// SPDX-License-Identifier: Apache-2.0
// What it gives that several SMs want the same tile.
#include "copy/experiments.h"
#include "copy/rates.h"

namespace plumb::copy {
namespace {

const std::vector<std::string> kOrder{"from", "sharing", "cluster", "box", "stages"};

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  const std::vector<std::vector<int>> boxes =
      request.quick ? std::vector<std::vector<int>>{{128, 16}, {128, 64}}
                    : std::vector<std::vector<int>>{{32, 8}, {64, 16}, {128, 16}, {128, 32}, {128, 64}};
  for (const Memory from : {Memory::dram, Memory::l2})
    for (const auto& box : boxes)
      for (const Sharing sharing : {Sharing::none, Sharing::implicit, Sharing::multicast, Sharing::across})
        for (const int cluster : {1, 2, 4, 8, 16}) {
          if (cluster == 1 && sharing != Sharing::none) continue;
          Copy c{.path = CopyPath::tma,
                 .from = from,
                 .threads = 32,
                 .stages = 4,
                 .box = box,
                 .cluster = cluster,
                 .sharing = sharing};
          const Axes axes{{"from", std::string(name_of(from))},
                          {"sharing", std::string(name_of(sharing))},
                          {"cluster", std::int64_t{cluster}},
                          {"box", box_text(c)},
                          {"stages", std::int64_t{c.stages}}};
          out.push_back(whole_chip("copy/multicast", axes, steady(c), samples_of(request)));
        }
  return out;
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  return path_findings(measurements, kOrder);
}

}  // namespace

Experiment multicast() {
  return {.name = "copy/multicast",
          .question =
              "How fast is shared memory filled where the SMs of a cluster want the same tile, by multicast, "
              "by reading it each, or across clusters?",
          .seconds_a_case = 0.03,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::copy

// SPDX-License-Identifier: Apache-2.0
// Many SMs and one: onto one destination, and out of one source.
#include <algorithm>
#include <iterator>
#include <numeric>

#include "dsm/experiments.h"
#include "dsm/slopes.h"
#include "plumb/core/patterns.h"

namespace plumb::dsm {
namespace {

// Fifteen regions of 8 KiB and a tile fit into the payload memory of one SM.
constexpr std::int64_t kWindow = 8 * 1024;
constexpr int kWarps = 8;      // of a flow that is alone at its issuer
constexpr int kAllWarps = 30;  // of all flows of one issuer

/// Warps of each of `flows` flows that one rank issues.
int shared_warps(int flows) { return std::min(kWarps, kAllWarps / flows); }

template <class Make>
std::vector<Case> cases(const Request& request, const std::string& experiment, Make&& make) {
  std::vector<Case> out;
  for (const Op op : {Op::load, Op::store, Op::put}) {
    for (const int others : request.quick ? std::vector{1, 3, 15} : std::vector{1, 2, 3, 4, 6, 8, 12, 15}) {
      std::vector<int> ranks(static_cast<std::size_t>(others));
      std::iota(ranks.begin(), ranks.end(), 1);
      const Flow flow{.op = op, .window = kWindow};
      auto more =
          slope_cases(experiment, {{"op", std::string(name_of(op))}, {"others", std::int64_t{others}}},
                      make(ranks, flow), few_sizes_for(request));
      out.insert(out.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
    }
  }
  return out;
}

Experiment experiment(const std::string& name, const std::string& question,
                      std::function<std::vector<Case>(const Request&)> make) {
  static const std::vector<std::string> kOrder{"op", "others"};
  return {.name = name,
          .question = question,
          .seconds_a_case = 0.004,
          .cases = std::move(make),
          .analyze = [](std::span<const Measurement> m) { return slope_findings(m, kOrder); }};
}

}  // namespace

Experiment incast() {
  return experiment("dsm/incast", "How much gets into one SM from 1 to 15 others?",
                    [](const Request& request) {
                      return cases(request, "dsm/incast", [](const std::vector<int>& sources, Flow flow) {
                        if (flow.op == Op::load) flow.warps = shared_warps(static_cast<int>(sources.size()));
                        return plumb::incast(kMaxRanks, sources, 0, flow);
                      });
                    });
}

Experiment fan_out() {
  return experiment(
      "dsm/fan-out", "How much gets out of one SM to 1 to 15 others?", [](const Request& request) {
        return cases(request, "dsm/fan-out", [](const std::vector<int>& destinations, Flow flow) {
          if (flow.op == Op::store) flow.warps = shared_warps(static_cast<int>(destinations.size()));
          return plumb::fan_out(kMaxRanks, 0, destinations, flow);
        });
      });
}

}  // namespace plumb::dsm

// SPDX-License-Identifier: Apache-2.0
// Does the network follow the SM clock? The card itself lowers it under a tensor-core load.
#include <fmt/format.h>

#include "dsm/experiments.h"
#include "dsm/slopes.h"
#include "plumb/core/named_pattern.h"

namespace plumb::dsm {
namespace {

constexpr int kHeat = 100;  // milliseconds: what the power management of an H200 takes to act
const std::vector<std::string> kOrder{"pattern", "op", "ranks", "heat"};

std::vector<Case> cases(const Request& request) {
  Sizes sizes = few_sizes_for(request);
  sizes.bytes = {sizes.bytes.front(), sizes.bytes.back()};
  std::vector<Case> out;
  const auto add = [&](const std::string& pattern, int ranks, Op op) {
    Flow flow{.op = op};
    if (pattern == "incast") flow.window = 8192;
    const Traffic traffic = make_pattern(pattern, {.ranks = ranks}, flow);
    for (const int heat : {0, kHeat}) {
      for (Case& c : slope_cases("dsm/clock",
                                 {{"pattern", pattern},
                                  {"op", std::string(name_of(op))},
                                  {"ranks", std::int64_t{ranks}},
                                  {"heat", std::string(heat == 0 ? "cool" : "hot")}},
                                 traffic, sizes)) {
        c.site.heat_ms = heat;
        out.push_back(std::move(c));
      }
    }
  };
  for (const int ranks : {2, 8, 12, 16}) add("ring", ranks, Op::put);
  for (const int ranks : {2, 16}) add("ring", ranks, Op::load);
  add("incast", 4, Op::put);
  return out;
}

/// NAME/hot-over-cool and /hot-over-cool-ns: ratios of the rates and of the clocks.
void add_ratios(std::vector<Finding>& findings) {
  std::map<std::string, Finding> by_name;
  for (const Finding& f : findings)
    if (f.estimator != "steady") by_name[f.name] = f;
  for (const auto& [name, hot] : by_name) {
    const std::size_t at = name.find("/hot/");
    if (at == std::string::npos ||
        std::count(name.begin() + static_cast<std::ptrdiff_t>(at), name.end(), '/') != 2)
      continue;
    const std::string what = name.substr(at + 5);
    if (what != "rate" && what != "rate-ns" && what != "clock") continue;
    const auto cool = by_name.find(fmt::format("{}/cool/{}", name.substr(0, at), what));
    if (cool == by_name.end()) continue;
    const Finding& c = cool->second;
    Finding ratio = hot;
    ratio.name = fmt::format("{}/hot-over-cool/{}", name.substr(0, at), what);
    ratio.value = hot.value / c.value;
    ratio.low = hot.low / c.high;
    ratio.high = hot.high / c.low;
    ratio.unit = "ratio";
    ratio.cases.insert(ratio.cases.end(), c.cases.begin(), c.cases.end());
    findings.push_back(std::move(ratio));
  }
}

}  // namespace

Experiment clock() {
  return {
      .name = "dsm/clock",
      .question =
          "Does the network between SMs run on the SM clock: do rates per SM cycle stay when the card lowers "
          "that clock under a tensor-core load?",
      .seconds_a_case = 0.3,
      .cases = cases,
      .analyze = [](std::span<const Measurement> m) {
        std::vector<Finding> out = slope_findings(m, kOrder);
        add_ratios(out);
        return out;
      }};
}

}  // namespace plumb::dsm

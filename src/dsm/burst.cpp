// SPDX-License-Identifier: Apache-2.0
// Little and often: single transfers after a pause, trains of small commands, bursts with gaps.
#include <fmt/format.h>

#include "dsm/experiments.h"
#include "dsm/slopes.h"
#include "dsm/times.h"

namespace plumb::dsm {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr int kBursts = 8;
const std::vector<std::string> kTimeOrder{"kind", "op", "bytes", "burst", "gap"};
const std::vector<std::string> kTrainOrder{"kind", "command"};

Case base(const Request& request, Axes axes, const Flow& flow) {
  return {.experiment = "dsm/burst",
          .axes = std::move(axes),
          .work = Traffic{.ranks = 2, .flows = {flow}},
          .samples = request.quick ? 12 : 90};
}

/// One transfer, alone after thousands of idle cycles; a put is one command.
void add_singles(const Request& request, std::vector<Case>& out) {
  for (const Op op : {Op::load, Op::store, Op::put}) {
    for (const std::int64_t bytes : {16, 512, 1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384}) {
      out.push_back(base(request, {{"kind", "single"}, {"op", std::string(name_of(op))}, {"bytes", bytes}},
                         {.source = 1, .destination = 0, .op = op, .bytes = bytes, .command = bytes}));
    }
  }
}

/// Trains of equal commands, 16 to 64 of them: the slope over the count is the cost of a command.
void add_trains(const Request& request, std::vector<Case>& out) {
  for (std::int64_t command = 16; command <= 4 * kKiB; command *= 2) {
    for (std::int64_t count = 8; count <= 24; count += 4) {
      out.push_back(
          base(request, {{"kind", "train"}, {"command", command}, {"bytes", command * count}},
               {.source = 1, .destination = 0, .op = Op::put, .bytes = command * count, .command = command}));
    }
  }
}

/// Bursts with pauses: what a limiter that saves up while idle would speed up.
void add_gaps(const Request& request, std::vector<Case>& out) {
  for (const std::int64_t burst : {4 * kKiB, 8 * kKiB}) {
    for (const std::int64_t gap : {0, 500, 1000, 2000, 4000}) {
      out.push_back(base(request, {{"kind", "gap"}, {"burst", burst}, {"gap", gap}},
                         {.source = 1,
                          .destination = 0,
                          .op = Op::put,
                          .bytes = kBursts * burst,
                          .command = burst,
                          .burst = burst,
                          .gap = gap}));
    }
  }
}

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  add_singles(request, out);
  add_trains(request, out);
  add_gaps(request, out);
  return out;
}

/// NAME/command: cycles that each command of a train takes, from the train's rate.
void add_command_costs(std::vector<Finding>& findings) {
  const std::string suffix = "/rate";
  const std::vector<Finding> rates = findings;
  for (const Finding& rate : rates) {
    if (!rate.name.ends_with(suffix) || rate.estimator != "published") continue;
    const std::string name = rate.name.substr(0, rate.name.size() - suffix.size());
    const double bytes = std::stod(name.substr(name.rfind('/') + 1));
    Finding cost = rate;
    cost.name = name + "/command";
    cost.unit = "cycles";
    cost.value = bytes / rate.value;
    cost.low = bytes / rate.high;
    cost.high = bytes / rate.low;
    findings.push_back(std::move(cost));
  }
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Measurement> trains;
  std::vector<Finding> times;
  for (const Measurement& m : measurements) {
    if (axis(m.point, "kind") == "train") {
      trains.push_back(m);
    } else if (auto time = time_finding(m, kTimeOrder)) {
      times.push_back(std::move(*time));
    }
  }
  std::vector<Finding> out = slope_findings(trains, kTrainOrder);
  add_command_costs(out);
  out.insert(out.end(), times.begin(), times.end());
  return out;
}

}  // namespace

Experiment burst() {
  return {.name = "dsm/burst",
          .question =
              "What does one small transfer cost, what does each command of a train cost, and does an "
              "SM that was idle get a faster start?",
          .seconds_a_case = 0.002,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::dsm

// SPDX-License-Identifier: Apache-2.0
// The most that each memory gives and takes, by whichever way gives most.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "copy/experiments.h"
#include "copy/rates.h"
#include "copy/ways.h"
#include "core/validity.h"
#include "stats/describe.h"

namespace plumb::copy {
namespace {

const std::vector<std::string> kOrder{"check", "memory", "op", "sms", "way", "KiB", "config", "MiB"};
constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kLong = std::int64_t{64} << 20;    // of one SM: the start is a thousandth of it
constexpr std::int64_t kLongest = std::int64_t{1} << 30;  // so that a launch is nothing but copying

Axes read_axes(Memory memory, std::string way) {
  return {{"memory", std::string(name_of(memory))},
          {"op", std::string("read")},
          {"sms", std::string("chip")},
          {"way", std::move(way)}};
}

std::int64_t multiple(const Copy& c, std::int64_t bytes) { return bytes / flight_bytes(c) * flight_bytes(c); }

/// Reads by the whole chip into shared memory, with as much on its way as gives most.
void add_copies(std::vector<Case>& to, const Request& request) {
  for (const Memory from : {Memory::dram, Memory::l2})
    for (const CopyPath path : {CopyPath::ldgsts, CopyPath::tma})
      for (const std::int64_t kib :
           from == Memory::dram ? std::vector<std::int64_t>{128, 192} : std::vector<std::int64_t>{32, 64})
        for (auto& [config, copy] : ways(path, from, kib * kKiB)) {
          // What the L2 holds is read by several SMs at once where they have time to drift apart.
          if (from == Memory::l2)
            copy = steady(copy);
          else
            copy.bytes = multiple(copy, kLong / copy.ctas);
          Axes axes = read_axes(from, std::string(name_of(path)));
          axes["KiB"] = kib;
          axes["config"] = config;
          to.push_back(whole_chip("copy/ceilings", axes, copy, samples_of(request)));
          if (path != CopyPath::ldgsts || from != Memory::dram || copy.ctas > 1 || copy.stages < 8) continue;
          copy.in_step = true;
          axes["way"] = std::string("ldgsts-in-step");
          to.push_back(whole_chip("copy/ceilings", axes, copy, samples_of(request)));
        }
}

/// Launches so long that CUDA events around them time the copies alone.
void add_clock(std::vector<Case>& to) {
  constexpr int kSamples = 3;
  for (Copy c : {Copy{.threads = 1024, .stages = 8},
                 Copy{.path = CopyPath::tma, .threads = 128, .stages = 2, .box = {128, 32}}}) {
    c.bytes = multiple(c, kLongest);
    to.push_back(whole_chip("copy/ceilings",
                            {{"check", std::string("clock")}, {"way", std::string(name_of(c.path))}}, c,
                            kSamples));
  }
}

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  for (const Memory memory : {Memory::dram, Memory::l2, Memory::shared})
    for (const StreamOp op : {StreamOp::read, StreamOp::write, StreamOp::copy})
      for (const bool whole : {true, false}) {
        const bool beside = whole && op == StreamOp::read && memory != Memory::shared;  // other ways
        const bool dram = whole && memory == Memory::dram;
        const std::int64_t steps = dram && beside ? kLong / kStreamStep : dram ? 128 : 64;
        Axes axes = read_axes(memory, "load");
        axes["op"] = std::string(name_of(op));
        axes["sms"] = std::string(whole ? "chip" : "one-sm");
        if (!beside) axes.erase("way");
        out.push_back({.experiment = "copy/ceilings",
                       .axes = axes,
                       .work = Stream{.op = op, .memory = memory, .bytes = steps * kStreamStep},
                       .samples = samples_of(request),
                       .site = {.clusters = whole ? 0 : 1}});
      }
  add_copies(out, request);
  add_clock(out);
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

/// The best of each way, and of all: that is the ceiling.
void add_best(std::span<const Measurement> measurements, Memory memory, std::vector<Finding>& out) {
  std::map<std::string, std::pair<double, const Measurement*>> ways;
  for (const Measurement& m : measurements) {
    const std::string way = axis(m.point, "way");
    if (axis(m.point, "memory") != name_of(memory) || way.empty()) continue;
    const std::vector<double> rates = grid_rates(m);
    if (rates.empty()) continue;
    auto& best = ways[way];
    if (const double rate = stats::median(rates); best.second == nullptr || rate > best.first)
      best = {rate, &m};
  }
  if (ways.empty()) return;
  const auto most = std::max_element(
      ways.begin(), ways.end(), [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  const std::string name = fmt::format("copy/ceilings/{}/read/chip", name_of(memory));
  for (Finding& f : rate_findings(name, *most->second.second)) {
    f.notes.push_back(fmt::format("the best way: {}", name_by_axes(most->second.second->point, kOrder)));
    out.push_back(std::move(f));
  }
  constexpr double kPercent = 100.0;
  for (const auto& [way, best] : ways) {
    const double part = kPercent * best.first / most->second.first;
    out.push_back(finding(fmt::format("{}/{}/of-best", name, way), {part, part, part}, "%", "median",
                          {id_of(best.second->point), id_of(most->second.second->point)}));
  }
}

/// The time of launches by CUDA events over that of their rounds by %globaltimer.
std::optional<Finding> events_finding(const Measurement& m) {
  const auto event = row(m.samples, column::event_ns, 0);
  const auto rounds = row(m.samples, column::round_ns, 0);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < event.size() && i < rounds.size(); ++i)
    if (rounds[i] > 0) ratios.push_back(static_cast<double>(event[i]) / static_cast<double>(rounds[i]));
  if (ratios.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return finding(name_by_axes(m.point, kOrder) + "/events-over-rounds",
                 {stats::median(ratios), *least, *most}, "", "launches", {id_of(m.point)});
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Finding> out = path_findings(measurements, kOrder);
  for (const Memory memory : {Memory::dram, Memory::l2}) add_best(measurements, memory, out);
  for (const Measurement& m : measurements)
    if (axis(m.point, "check") == "clock")
      if (auto found = events_finding(m)) out.push_back(std::move(*found));
  return out;
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

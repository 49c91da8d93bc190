// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/catalog.h"
#include "cli/verbs.h"
#include "config/tensor_cores.h"
#include "plumb/core/error.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

using model::MmaLimit;
using model::MmaStages;
constexpr double kMostOfIt = 0.9;
constexpr int kWarpgroupRows = 64;
constexpr int kManyInFlight = 64;

struct Options {
  std::string machine = "h200";
  std::string dtype = "bf16";
  std::string output;
  int m = 0;
  int n = 128;
  std::string layout = "ss";
  int sms = 1;
  int in_flight = 0;
  bool sparse = false;
  bool json = false;
};

Number output_of(const Options& o, Number input) {
  if (!o.output.empty()) return number_from(o.output);
  return is_integer(input) ? Number::s32 : Number::f32;
}

/// The rows of the tile: of one or more warpgroups on Hopper, of one instruction on Blackwell.
Mma work_of(const Options& o, const config::TensorCoreFile& machine) {
  const Number input = number_from(o.dtype);
  Mma w{.family = machine.cores.family,
        .input = input,
        .output = output_of(o, input),
        .n = o.n,
        .operands = operands_from(o.layout),
        .sparse = o.sparse};
  if (w.family == MmaFamily::tcgen05) {
    w.groups = o.sms;
    w.m = o.m == 0 ? 2 * kWarpgroupRows * o.sms : o.m;
  } else {
    if (o.sms != 1)
      throw Error(Fault::caller, fmt::format("--sms {}: {} has no pairs of SMs.", o.sms, machine.name));
    const int m = o.m == 0 ? kWarpgroupRows : o.m;
    if (m % kWarpgroupRows != 0)
      throw Error(Fault::caller,
                  fmt::format("--m {}: a warpgroup has {} rows; give a multiple.", m, kWarpgroupRows));
    w.groups = m / kWarpgroupRows;
  }
  if (o.in_flight > 0) w.in_flight = o.in_flight;
  validate(w);
  return w;
}

/// With many in flight, or as many as were asked for.
Mma asked(Mma w, const Options& o) {
  w.in_flight = o.in_flight > 0 ? o.in_flight : kManyInFlight;
  return w;
}

struct Answer {
  Mma work;
  MmaStages stages;
  double interval = 0;
  MmaLimit limit = MmaLimit::math;
  double cycles = 0;
  double rate = 0;
  double peak = 0;
  double latency = 0;
  std::optional<int> depth;
  std::optional<int> unlimited_n;
};

Answer answer(const Mma& work, const Options& o, const model::TensorCores& tc) {
  Answer a{.work = asked(work, o), .stages = model::stages_of(work, tc), .depth = {}, .unlimited_n = {}};
  a.interval = model::interval_of(a.stages);
  a.limit = model::limit_of(a.stages);
  a.cycles = model::cycles_of(a.work, tc);
  a.rate = model::rate_of(a.work, tc);
  a.peak = model::peak_of(work, tc);
  a.latency = model::latency_of(work, tc);
  a.depth = model::depth_for(work, tc, kMostOfIt);
  a.unlimited_n = model::unlimited_n(work, tc);
  return a;
}

std::string shared_line(const MmaStages& s) {
  if (s.fetch_a == 0) return fmt::format("{:.1f} for B", s.fetch_b);
  return fmt::format("{:.1f} = {:.1f} for A + {:.1f} for B", s.fetch_a + s.fetch_b, s.fetch_a, s.fetch_b);
}

std::string advice(const Answer& a) {
  if (a.limit == MmaLimit::math) return "nothing else is in the way";
  if (!a.unlimited_n) return "so at every N";
  return fmt::format("not from n = {} on", *a.unlimited_n);
}

void print(const Answer& a, const config::TensorCoreFile& machine) {
  const bool colours = report::colours_on(stdout);
  const Mma& w = a.work;
  const std::string where = w.family == MmaFamily::tcgen05
                                ? (w.groups == 2 ? "a pair of SMs" : "one SM")
                                : fmt::format("{} warpgroup{} of one SM", w.groups, w.groups == 1 ? "" : "s");
  fmt::print("{}\n", report::paint(fmt::format("{} on {}, {}", instruction_of(w), machine.name, where),
                                   report::Tone::bold, colours));
  fmt::print("  an instruction every   {:.1f} SM cycles, limited by the {}; {}\n", a.interval,
             name_of(a.limit), advice(a));
  fmt::print("    tensor cores         {:.1f}\n", a.stages.math);
  fmt::print("    shared memory        {}\n", shared_line(a.stages));
  if (a.stages.issue > 0) fmt::print("    issue from registers {:.1f}\n", a.stages.issue);
  if (a.stages.pair > 0) fmt::print("    hand-over of a pair  {:.1f}\n", a.stages.pair);
  fmt::print("  with {} in flight      {:.1f} SM cycles each, {:.0f} FLOP/cycle/SM, {:.1f} % of {:.0f}\n",
             w.in_flight, a.cycles, a.rate, 100 * a.rate / a.peak, a.peak);
  fmt::print("  one alone              {:.0f} SM cycles from issue to observed completion\n", a.latency);
  if (a.depth)
    fmt::print("  for 90 %               {} in flight{}\n", *a.depth,
               w.family == MmaFamily::wgmma && w.groups > 1 ? " in each warpgroup" : "");
}

nlohmann::ordered_json to_json(const Answer& a, const config::TensorCoreFile& machine) {
  nlohmann::ordered_json json{{"instruction", instruction_of(a.work)},
                              {"machine", machine.name},
                              {"groups", a.work.groups},
                              {"interval_cycles", a.interval},
                              {"limit", name_of(a.limit)},
                              {"math_cycles", a.stages.math},
                              {"shared_memory_cycles", a.stages.fetch_a + a.stages.fetch_b},
                              {"issue_cycles", a.stages.issue},
                              {"pair_cycles", a.stages.pair},
                              {"in_flight", a.work.in_flight},
                              {"cycles", a.cycles},
                              {"flop_per_cycle_per_sm", a.rate},
                              {"peak_flop_per_cycle_per_sm", a.peak},
                              {"latency_cycles", a.latency}};
  json["depth_for_90_percent"] = a.depth ? nlohmann::ordered_json(*a.depth) : nlohmann::ordered_json();
  json["unlimited_from_n"] =
      a.unlimited_n ? nlohmann::ordered_json(*a.unlimited_n) : nlohmann::ordered_json();
  return json;
}

}  // namespace

void add_predict_mma(CLI::App& predict) {
  auto o = std::make_shared<Options>();
  CLI::App* verb = predict.add_subcommand(
      "mma", "One instruction of the tensor cores: cycles, what limits it, how many must be in flight");
  verb->add_option("--machine", o->machine, "h200, b200, or a file with [tensor_cores]")
      ->capture_default_str();
  verb->add_option("--dtype", o->dtype,
                   "What A and B hold: bf16, f16, tf32, e4m3, e5m2, s8, u8, mxf8, mxf4, nvf4, ...")
      ->capture_default_str();
  verb->add_option("--out", o->output, "What D is added in: f32, f16, s32; the widest where none is given");
  verb->add_option(
      "--m", o->m,
      "Rows of D: on Hopper 64 for each warpgroup of the SM; on Blackwell of the instruction, 64 to 256");
  verb->add_option("--n", o->n, "Columns of D")->capture_default_str();
  verb->add_option("--layout", o->layout,
                   "ss: A in shared memory; rs: in registers (Hopper); ts: in tensor memory (Blackwell)")
      ->capture_default_str();
  verb->add_option("--sms", o->sms, "SMs that share one instruction (Blackwell): 1 or 2")
      ->capture_default_str();
  verb->add_option("--in-flight", o->in_flight, "Instructions in flight; many where it is not given")
      ->check(CLI::PositiveNumber);
  verb->add_flag("--sparse", o->sparse, "2:4 sparse A (Hopper)");
  verb->add_flag("--json", o->json, "For machines");
  verb->callback([o] {
    const config::TensorCoreFile machine = config::read_tensor_cores(o->machine, data_folder());
    const Answer a = answer(work_of(*o, machine), *o, machine.cores);
    if (o->json)
      fmt::print("{}\n", to_json(a, machine).dump(2));
    else
      print(a, machine);
  });
}

}  // namespace plumb::cli

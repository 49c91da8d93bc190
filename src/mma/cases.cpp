// SPDX-License-Identifier: Apache-2.0
#include "mma/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/validity.h"
#include "plumb/core/error.h"

namespace plumb::mma {
namespace {

constexpr std::uint64_t kBootstrapSeed = 20260104;
constexpr int kManyInFlight = 64;
constexpr int kManyTcgen05 = 256;  // one thread issues, and nothing hides what a batch costs
constexpr int kSteadyCycles = 200'000;
constexpr int kFewestCycles = 16;  // that an instruction takes, whatever its N
constexpr double kHopperPeak = 4096;
constexpr double kBlackwellPeak = 8192;

bool is_legal(const Mma& work) {
  try {
    validate(work);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string layout_of(const Mma& work) {
  std::string out = work.sparse ? "sparse" : "";
  const auto add = [&](std::string_view part) { out += fmt::format("{}{}", out.empty() ? "" : "-", part); };
  if (work.a_mn_major) add("a-mn");
  if (work.b_mn_major) add("b-mn");
  if (work.swizzle != Swizzle::b128) add(name_of(work.swizzle));
  return out;
}

}  // namespace

const Formats& wgmma_formats() {
  using enum Number;
  static const Formats kAll{{bf16, f32}, {f16, f32},  {f16, f16},  {tf32, f32}, {e4m3, f32},
                            {e4m3, f16}, {e5m2, f32}, {e5m2, f16}, {s8, s32},   {u8, s32}};
  return kAll;
}

const Formats& tcgen05_formats() {
  using enum Number;
  static const Formats kAll{{bf16, f32}, {tf32, f32}, {e4m3, f32}, {s8, s32},
                            {e2m1, f32}, {mxf8, f32}, {mxf4, f32}, {nvf4, f32}};
  return kAll;
}

std::vector<Mma> legal(std::vector<Mma> works) {
  std::erase_if(works, [](const Mma& w) { return !is_legal(w); });
  return works;
}

std::vector<Mma> tcgen05_shapes(Number input, Number output, std::span<const int> ns) {
  std::vector<Mma> out;
  for (const Operands operands : {Operands::ss, Operands::ts})
    for (const auto& [sms, m] : {std::pair{1, 64}, {1, 128}, {2, 128}, {2, 256}})
      for (const int n : ns)
        out.push_back({.family = MmaFamily::tcgen05,
                       .input = input,
                       .output = output,
                       .m = m,
                       .n = n,
                       .operands = operands,
                       .groups = sms});
  return legal(std::move(out));
}

Mma steady(Mma work) {
  const bool one_thread = work.family == MmaFamily::tcgen05;
  work.in_flight = one_thread ? kManyTcgen05 : kManyInFlight;
  const int cycles = std::max(work.n / 2, kFewestCycles) * (one_thread ? 1 : work.groups) * work.in_flight;
  work.batches = std::clamp(kSteadyCycles / cycles, 4, 256);
  return work;
}

Case case_of(const std::string& experiment, const Mma& work, int samples) {
  Axes axes{{"family", std::string(name_of(work.family))},
            {"format", fmt::format("{}.{}", name_of(work.input), name_of(work.output))},
            {"operands", std::string(name_of(work.operands))},
            {"m", fmt::format("m{}", work.m)},
            {"n", fmt::format("n{}", work.n)},
            {"groups", fmt::format("{}g", work.groups)},
            {"flight", fmt::format("f{}", work.in_flight)}};
  if (const std::string layout = layout_of(work); !layout.empty()) axes["layout"] = layout;
  if (work.data != MmaData::random) axes["data"] = std::string(name_of(work.data));
  return {.experiment = experiment, .axes = std::move(axes), .work = work, .samples = samples};
}

const std::vector<std::string>& axes_order() {
  static const std::vector<std::string> kOrder{"family", "format", "operands", "layout", "m",
                                               "n",      "groups", "flight",   "data"};
  return kOrder;
}

std::vector<double> cycles_of(const Measurement& m, std::size_t row_index) {
  const std::vector<bool> good = usable(m.samples);
  const auto start = row(m.samples, column::start_cycles, row_index);
  const auto stop = row(m.samples, column::stop_cycles, row_index);
  std::vector<double> out;
  for (std::size_t s = 0; s < good.size() && s < start.size() && s < stop.size(); ++s)
    if (good[s]) out.push_back(static_cast<double>(stop[s] - start[s]));
  return out;
}

const Mma& mma_of(const Measurement& m) { return std::get<Mma>(m.point.work); }

double peak_of(const Mma& work) noexcept {
  const double peak = work.family == MmaFamily::tcgen05 ? kBlackwellPeak : kHopperPeak;
  constexpr double kHalf = 16;
  // kind::f8f6f4 takes as many of its narrow numbers as of bytes.
  return peak * kHalf / bits_of(work.input) * (work.sparse ? 2 : 1);
}

stats::Estimate median_of(const std::vector<double>& values) {
  return stats::estimate_median(values, kBootstrapSeed);
}

stats::Estimate scaled(const stats::Estimate& e, double factor) {
  return {.value = e.value * factor, .low = e.low * factor, .high = e.high * factor};
}

stats::Estimate inverse(double numerator, const stats::Estimate& e) {
  return {.value = numerator / e.value, .low = numerator / e.high, .high = numerator / e.low};
}

Finding finding(const Measurement& m, std::string_view what, const stats::Estimate& e, std::string_view unit,
                std::string_view estimator) {
  return {.name = fmt::format("{}/{}", name_by_axes(m.point, axes_order()), what),
          .value = e.value,
          .low = e.low,
          .high = e.high,
          .unit = std::string(unit),
          .estimator = std::string(estimator),
          .cases = {id_of(m.point)},
          .notes = m.conditions.flags};
}

std::vector<Finding> rate_findings(const Measurement& m) {
  const std::vector<double> cycles = cycles_of(m);
  if (cycles.empty()) return {};
  const Mma& work = mma_of(m);
  const stats::Estimate one = scaled(median_of(cycles), 1.0 / static_cast<double>(instructions(work)));
  // An instruction of a pair keeps two SMs busy.
  const double sms = work.family == MmaFamily::tcgen05 ? work.groups : 1;
  const stats::Estimate rate = inverse(static_cast<double>(flop_of(work)) / sms, one);
  return {finding(m, "cycles", one, "cycles"), finding(m, "rate", rate, "FLOP/cycle/SM"),
          finding(m, "peak", scaled(rate, 100.0 / peak_of(work)), "%")};
}

}  // namespace plumb::mma

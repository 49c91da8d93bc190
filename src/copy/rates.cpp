// SPDX-License-Identifier: Apache-2.0
#include "copy/rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/validity.h"
#include "stats/describe.h"

namespace plumb::copy {
namespace {

constexpr std::uint64_t kBootstrapSeed = 20260103;
constexpr std::size_t kGridRow = 1;

/// Bytes that one CTA moves in a sample, and CTAs that an SM has.
struct Load {
  double bytes = 0.0;
  int ctas = 1;
};

std::optional<Load> load_of(const Case& c) {
  if (const auto* copy = std::get_if<Copy>(&c.work))
    return Load{static_cast<double>(copy->bytes), copy->ctas};
  if (const auto* stream = std::get_if<Stream>(&c.work)) return Load{static_cast<double>(stream->bytes), 1};
  return std::nullopt;
}

stats::Estimate scaled(const stats::Estimate& e, double by) {
  return {e.value * by, e.low * by, e.high * by};
}

/// The median of a wave's many values, with the order statistics that hold the median of what they were drawn
/// from in 95 of 100 draws (binomial; normal approximation): as good as a bootstrap here, and at once.
stats::Estimate median_of_many(std::span<const double> values) {
  const double half = 0.98 / std::sqrt(static_cast<double>(values.size()));
  return {stats::median(values), stats::quantile(values, std::max(0.0, 0.5 - half)),
          stats::quantile(values, std::min(1.0, 0.5 + half))};
}

/// What a reader must know of the samples of a case.
std::vector<std::string> notes_on(const Measurement& m, std::span<const double> values) {
  std::vector<std::string> notes = m.conditions.flags;
  const auto good = usable(m.samples);
  const auto unusable = std::count(good.begin(), good.end(), false);
  if (unusable > 0) notes.push_back(fmt::format("{} samples could not be used", unusable));
  const auto modes = stats::modes(values, 0.02 * stats::median(values));
  if (modes.bimodal)
    notes.push_back(fmt::format("two modes, {:.4g} and {:.4g}, the upper with {:.0f} %", modes.low,
                                modes.high, 100 * modes.share));
  return notes;
}

}  // namespace

int samples_of(const Request& request) { return request.quick ? 9 : 30; }

int wave_samples_of(const Request& request) { return request.quick ? 3 : 6; }

Case whole_chip(const std::string& experiment, Axes axes, const Copy& copy, int samples) {
  return {.experiment = experiment,
          .axes = std::move(axes),
          .work = copy,
          .samples = samples,
          .site = {.clusters = 0}};
}

Copy one_wave(Copy copy) {
  copy.bytes = flight_bytes(copy);
  return copy;
}

Copy steady(Copy copy) {
  constexpr std::int64_t kLeastWalks = 128;
  constexpr std::int64_t kMuch = std::int64_t{16} * 1024;
  constexpr std::int64_t kLeastBytes = std::int64_t{16} * 1024 * 1024;
  std::int64_t walks = kLeastWalks;
  if (sm_flight_bytes(copy) >= kMuch) walks = std::max(walks, kLeastBytes / sm_flight_bytes(copy));
  copy.bytes = walks * flight_bytes(copy);
  return copy;
}

int sms_of(const Measurement& m) {
  const auto sms = row(m.samples, column::sms, 0);
  return sms.empty() ? 0 : static_cast<int>(*std::min_element(sms.begin(), sms.end()));
}

double clock_of(const Measurement& m) {
  constexpr std::int64_t kLongEnough = 20000;  // ns: a tick of 32 is then 0.2 %
  const auto start = row(m.samples, column::start_ns, 0);
  const auto stop = row(m.samples, column::stop_ns, 0);
  const auto it = m.conditions.readings.find("sm_clock_GHz");
  if (it == m.conditions.readings.end()) return 0.0;
  if (start.empty() || stop.empty()) return it->second;  // stated, not measured
  return stop.front() - start.front() >= kLongEnough ? it->second : 0.0;
}

double clock_of(std::span<const Measurement> measurements) {
  std::vector<double> clocks;
  for (const Measurement& m : measurements)
    if (const double clock = clock_of(m); clock > 0.0) clocks.push_back(clock);
  return clocks.empty() ? 0.0 : stats::median(clocks);
}

std::vector<double> grid_rates(const Measurement& m) {
  const auto load = load_of(m.point);
  const auto good = usable(m.samples);
  const auto start = row(m.samples, column::start_ns, kGridRow);
  const auto stop = row(m.samples, column::stop_ns, kGridRow);
  const auto sms = row(m.samples, column::sms, 0);
  std::vector<double> out;
  constexpr double kGiga = 1e9;
  for (const std::int64_t given : row(m.samples, column::given_bps, 0))
    out.push_back(static_cast<double>(given) / kGiga);
  if (!load || !out.empty()) return out;
  for (std::size_t s = 0; s < good.size() && s < start.size() && s < sms.size(); ++s) {
    if (!good[s] || sms[s] == 0 || stop[s] <= start[s]) continue;
    out.push_back(load->bytes * load->ctas * static_cast<double>(sms[s]) /
                  static_cast<double>(stop[s] - start[s]));
  }
  return out;
}

std::vector<double> wave_cycles(const Measurement& m) {
  const auto good = usable(m.samples);
  const auto it = m.samples.find(column::wave_cycles);
  std::vector<double> out;
  if (it == m.samples.end()) return out;
  for (const auto& cta : it->second)
    for (std::size_t s = 0; s < good.size() && s < cta.size(); ++s)
      if (good[s]) out.push_back(static_cast<double>(cta[s]));
  return out;
}

std::optional<Latency> latency_of(const Measurement& m, double clock_ghz) {
  constexpr double kPicoseconds = 1000.0;
  const auto given = [&](std::size_t r) {
    const auto values = row(m.samples, column::given_ps, r);
    return values.empty() ? 0.0 : static_cast<double>(values.front()) / kPicoseconds;
  };
  if (const double ns = given(0); ns > 0.0) return Latency{ns, given(1), given(2)};
  const std::vector<double> cycles = wave_cycles(m);
  if (cycles.empty() || !(clock_ghz > 0.0)) return std::nullopt;
  const auto [least, most] = std::minmax_element(cycles.begin(), cycles.end());
  return Latency{stats::median(cycles) / clock_ghz, *least / clock_ghz, *most / clock_ghz};
}

Finding finding(std::string name, const stats::Estimate& e, std::string unit, std::string estimator,
                std::vector<std::string> cases, std::vector<std::string> notes) {
  return {.name = std::move(name),
          .value = e.value,
          .low = e.low,
          .high = e.high,
          .unit = std::move(unit),
          .estimator = std::move(estimator),
          .cases = std::move(cases),
          .notes = std::move(notes)};
}

std::vector<Finding> rate_findings(const std::string& name, const Measurement& m) {
  const std::vector<double> rates = grid_rates(m);
  if (rates.empty()) return {};
  const stats::Estimate e = stats::estimate_median(rates, kBootstrapSeed);
  const std::vector<std::string> notes = notes_on(m, rates);
  std::vector<Finding> out{finding(name + "/rate", e, "GB/s", "median", {id_of(m.point)}, notes)};
  if (const double clock = clock_of(m) * sms_of(m); clock > 0)
    out.push_back(
        finding(name + "/rate-sm", scaled(e, 1 / clock), "B/cycle", "median", {id_of(m.point)}, notes));
  return out;
}

std::vector<Finding> latency_findings(const std::string& name, const Measurement& m, double clock_ghz) {
  if (const auto given = latency_of(m, clock_ghz); given && m.samples.contains(column::given_ps))
    return {finding(name + "/latency-ns", {given->ns, given->least, given->most}, "ns", "as given",
                    {id_of(m.point)}, m.conditions.flags)};
  const std::vector<double> cycles = wave_cycles(m);
  if (cycles.empty()) return {};
  const std::vector<std::string> notes = notes_on(m, cycles);
  const std::vector<std::string> cases{id_of(m.point)};
  const stats::Estimate e = median_of_many(cycles);
  std::vector<Finding> out{finding(name + "/latency", e, "cycles", "median", cases, notes)};
  if (clock_ghz > 0)
    out.push_back(finding(name + "/latency-ns", scaled(e, 1 / clock_ghz), "ns", "median", cases, notes));
  const auto at = [&](const char* what, double q) {
    const double v = stats::quantile(cycles, q);
    out.push_back(finding(name + what, {v, v, v}, "cycles", "quantile", cases));
  };
  at("/latency-least", 0.0);
  at("/latency-p5", 0.05);
  at("/latency-p95", 0.95);
  return out;
}

bool is_wave_of(const Measurement& m) {
  return m.samples.contains(column::wave_cycles) || m.samples.contains(column::given_ps);
}

std::vector<Finding> path_findings(std::span<const Measurement> measurements,
                                   std::span<const std::string> order) {
  std::vector<Finding> out;
  const double clock = clock_of(measurements);
  for (const Measurement& m : measurements) {
    const std::string name = name_by_axes(m.point, order);
    for (Finding& f : is_wave_of(m) ? latency_findings(name, m, clock) : rate_findings(name, m))
      out.push_back(std::move(f));
  }
  return out;
}

}  // namespace plumb::copy

// SPDX-License-Identifier: Apache-2.0
#include "dsm/slopes.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "core/validity.h"
#include "dsm/times.h"
#include "stats/describe.h"
#include "stats/line.h"

namespace plumb::dsm {
namespace {

constexpr std::uint64_t kBootstrapSeed = 20260101;
constexpr double kOutlierWidth = 5.0;
constexpr double kLeastGapShare = 0.01;     // two modes closer than 1 % of the median are not worth a note
constexpr double kLeastSigmaShare = 0.002;  // nor is a sample within 5 x 0.2 % of it

/// Which clock the times are read from.
struct Clock {
  std::string_view start, stop, rate_unit, time_unit, suffix;
};
constexpr Clock kCycles{column::start_cycles, column::stop_cycles, "B/cycle", "cycles", ""};
constexpr Clock kNanoseconds{column::start_ns, column::stop_ns, "GB/s", "ns", "-ns"};

/// Which samples of each measurement may be used: every flow on both clocks asks.
using Usable = std::map<const Measurement*, std::vector<bool>>;

std::vector<double> durations(const Measurement& m, const std::vector<bool>& good, std::size_t flow,
                              const Clock& clock) {
  const auto start = row(m.samples, clock.start, flow);
  const auto stop = row(m.samples, clock.stop, flow);
  std::vector<double> out;
  for (std::size_t s = 0; s < good.size(); ++s)
    if (good[s]) out.push_back(static_cast<double>(stop[s] - start[s]));
  return out;
}

/// Participants whose payload a series counts.
std::size_t flows_of(const Case& c) {
  const auto* traffic = std::get_if<Traffic>(&c.work);
  return traffic == nullptr ? 1 : traffic->flows.size();
}

std::vector<double> slowest(const Measurement& m, const std::vector<bool>& good, const Clock& clock) {
  std::vector<double> out = durations(m, good, 0, clock);
  for (std::size_t f = 1; f < flows_of(m.point); ++f) {
    const std::vector<double> more = durations(m, good, f, clock);
    for (std::size_t s = 0; s < out.size(); ++s) out[s] = std::max(out[s], more[s]);
  }
  return out;
}

template <class Times>
stats::Series series_of(const SizeSeries& group, Times&& times) {
  stats::Series series;
  for (const auto& [bytes, m] : group) {
    std::vector<double> samples = times(*m);
    if (samples.empty()) continue;
    series.x.push_back(static_cast<double>(bytes));
    series.samples.push_back(std::move(samples));
  }
  return series;
}

std::string kib(double bytes) { return fmt::format("{:g} KiB", bytes / 1024); }

std::size_t count_of(const stats::Series& series) {
  std::size_t count = 0;
  for (const auto& samples : series.samples) count += samples.size();
  return count;
}

/// What a reader must know of the samples behind a series.
std::vector<std::string> notes_on(const SizeSeries& group, const Usable& usable_samples,
                                  const stats::Series& series) {
  std::size_t unusable = 0;
  std::set<std::string> flags;
  for (const auto& [bytes, m] : group) {
    const auto& good = usable_samples.at(m);
    unusable += static_cast<std::size_t>(std::count(good.begin(), good.end(), false));
    flags.insert(m->conditions.flags.begin(), m->conditions.flags.end());
  }
  std::size_t outliers = 0;
  std::vector<double> gaps;
  for (const auto& samples : series.samples) {
    const double center = stats::median(samples);
    outliers += stats::count_outliers(samples, kOutlierWidth, kLeastSigmaShare * center);
    const auto modes = stats::modes(samples, kLeastGapShare * center);
    if (modes.bimodal) gaps.push_back(modes.high - modes.low);
  }
  std::vector<std::string> notes(flags.begin(), flags.end());
  if (unusable > 0) notes.push_back(fmt::format("{} samples could not be used", unusable));
  if (outliers > 0) notes.push_back(fmt::format("{} outliers of {} samples", outliers, count_of(series)));
  if (!gaps.empty()) {
    const auto [least, most] = std::minmax_element(gaps.begin(), gaps.end());
    notes.push_back(fmt::format("two modes at {} of {} sizes, {:.0f} to {:.0f} cycles apart", gaps.size(),
                                series.x.size(), *least, *most));
  }
  return notes;
}

class SeriesFindings {
 public:
  SeriesFindings(std::string name, const SizeSeries& group, const Usable& usable_samples,
                 std::vector<Finding>& out)
      : name_(std::move(name)), group_(group), usable_(usable_samples), out_(out) {
    for (const auto& [bytes, m] : group) cases_.push_back(id_of(m->point));
  }

  /// Rate, intercept and residual on both clocks. The region of the steady estimator is found on the cycle
  /// clock and serves both: a tick of 32 ns would hide a curve. Returns the rate in B/cycle; none where the
  /// estimator finds no region to fit.
  template <class Times>
  std::optional<stats::Estimate> add(std::string_view estimator, Times&& times) {
    const stats::Series series =
        series_of(group_, [&](const Measurement& m) { return times(m, usable_.at(&m), kCycles); });
    if (series.x.size() < 2) return std::nullopt;
    stats::Region region;
    std::vector<std::string> notes = notes_on(group_, usable_, series);
    const bool steady = estimator == "steady";
    const auto center = steady ? stats::Center::midmean : stats::Center::median;
    if (steady) {
      region = stats::linear_region(series, center, kBootstrapSeed);
      if (!region.linear) return std::nullopt;
      if (region.first > 0) notes.push_back("fitted from " + kib(series.x[region.first]));
    }
    const auto rate = fit(series, region.first, center, kCycles, estimator, notes);
    fit(series_of(group_, [&](const Measurement& m) { return times(m, usable_.at(&m), kNanoseconds); }),
        region.first, center, kNanoseconds, estimator, notes);
    return rate;
  }

  void add_clock() {
    std::vector<double> ghz;
    for (const auto& [bytes, m] : group_) {
      const auto it = m->conditions.readings.find("sm_clock_GHz");
      if (it != m->conditions.readings.end()) ghz.push_back(it->second);
    }
    if (ghz.empty()) return;
    const auto e = stats::estimate_median(ghz, kBootstrapSeed);
    out_.push_back({name_ + "/clock", e.value, e.low, e.high, "cycle/ns", "median", cases_, {}});
  }

  void add_total(std::string_view estimator, std::span<const stats::Estimate> parts) {
    const stats::Estimate sum = stats::sum_of(parts);
    out_.push_back({.name = name_ + "/total",
                    .value = sum.value,
                    .low = sum.low,
                    .high = sum.high,
                    .unit = "B/cycle",
                    .estimator = std::string(estimator),
                    .cases = cases_,
                    .notes = {}});
  }

 private:
  stats::Estimate fit(const stats::Series& series, std::size_t first, stats::Center center,
                      const Clock& clock, std::string_view estimator, const std::vector<std::string>& notes) {
    const auto line = stats::estimate_line(series, first, center, kBootstrapSeed);
    const auto finding = [&](std::string_view what, const stats::Estimate& e, std::string_view unit) {
      out_.push_back({.name = fmt::format("{}/{}{}", name_, what, clock.suffix),
                      .value = e.value,
                      .low = e.low,
                      .high = e.high,
                      .unit = std::string(unit),
                      .estimator = std::string(estimator),
                      .cases = cases_,
                      .notes = notes});
    };
    finding("rate", line.rate, clock.rate_unit);
    finding("intercept", line.intercept, clock.time_unit);
    finding("rmse", {line.rmse_percent, line.rmse_percent, line.rmse_percent}, "%");
    return line.rate;
  }

  std::string name_;
  const SizeSeries& group_;
  const Usable& usable_;
  std::vector<Finding>& out_;
  std::vector<std::string> cases_;
};

std::string flow_label(const Traffic& traffic, std::size_t index) {
  const Flow& f = traffic.flows[index];
  return fmt::format("{}-{}-{}to{}", index, name_of(f.op), f.source, f.destination);
}

std::vector<Finding> findings_of(const std::string& name, const SizeSeries& group) {
  std::vector<Finding> out;
  const Case& point = group.begin()->second->point;
  const std::size_t flows = flows_of(point);
  Usable usable_samples;
  for (const auto& [bytes, m] : group) usable_samples[m] = usable(m->samples);
  SeriesFindings whole(name, group, usable_samples, out);
  for (const std::string_view estimator : {"steady", "published"}) {
    whole.add(estimator, slowest);
    if (flows < 2) continue;
    std::vector<stats::Estimate> parts;
    for (std::size_t f = 0; f < flows; ++f) {
      SeriesFindings one(name + "/" + flow_label(traffic_of(point), f), group, usable_samples, out);
      const auto rate = one.add(estimator, [&](const Measurement& m, const std::vector<bool>& good,
                                               const Clock& clock) { return durations(m, good, f, clock); });
      if (rate) parts.push_back(*rate);
    }
    if (parts.size() == flows) whole.add_total(estimator, parts);
  }
  whole.add_clock();
  return out;
}

template <class Kind, class Resize>
std::vector<Case> resized(const std::string& experiment, const Axes& axes, Kind work, const Sizes& sizes,
                          Resize&& resize) {
  std::vector<Case> cases;
  for (const std::int64_t bytes : sizes.bytes) {
    resize(work, bytes);
    Case c{.experiment = experiment, .axes = axes, .work = work, .samples = sizes.samples};
    c.axes["bytes"] = bytes;
    cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace

Sizes sizes_for(const Request& request) {
  constexpr std::int64_t kKiB = 1024;
  Sizes sizes{.bytes = {}, .samples = request.quick ? 12 : 90};
  for (std::int64_t bytes = 16 * kKiB; bytes <= 96 * kKiB; bytes += (request.quick ? 16 : 8) * kKiB)
    sizes.bytes.push_back(bytes);
  return sizes;
}

Sizes few_sizes_for(const Request& request) {
  constexpr std::int64_t kKiB = 1024;
  if (request.quick) return {.bytes = {32 * kKiB, 96 * kKiB}, .samples = 12};
  return {.bytes = {32 * kKiB, 64 * kKiB, 96 * kKiB}, .samples = 30};
}

std::vector<Case> slope_cases(const std::string& experiment, const Axes& axes, const Traffic& traffic,
                              const Sizes& sizes) {
  return resized(experiment, axes, traffic, sizes, [](Traffic& t, std::int64_t bytes) {
    for (Flow& f : t.flows) f.bytes = bytes;
  });
}

std::vector<Case> slope_cases(const std::string& experiment, const Axes& axes, const Access& access,
                              const Sizes& sizes) {
  return resized(experiment, axes, access, sizes, [](Access& a, std::int64_t bytes) { a.bytes = bytes; });
}

std::vector<Finding> findings_by_series(
    std::span<const Measurement> measurements, std::span<const std::string> order,
    const std::function<std::vector<Finding>(const std::string&, const SizeSeries&)>& findings_of_one) {
  std::map<std::string, SizeSeries> groups;
  for (const Measurement& m : measurements) {
    const auto bytes = m.point.axes.find("bytes");
    if (bytes == m.point.axes.end() || !std::holds_alternative<std::int64_t>(bytes->second)) continue;
    groups[name_by_axes(m.point, order)][std::get<std::int64_t>(bytes->second)] = &m;
  }
  const std::vector<std::pair<std::string, SizeSeries>> series(groups.begin(), groups.end());
  std::vector<std::vector<Finding>> found(series.size());
  tbb::parallel_for(std::size_t{0}, series.size(),
                    [&](std::size_t i) { found[i] = findings_of_one(series[i].first, series[i].second); });
  std::vector<Finding> out;
  for (auto& some : found) append(out, std::move(some));
  return out;
}

std::vector<Finding> slope_findings(std::span<const Measurement> measurements,
                                    std::span<const std::string> order) {
  return findings_by_series(measurements, order, findings_of);
}

}  // namespace plumb::dsm

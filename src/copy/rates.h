// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/experiment.h"
#include "core/finding.h"
#include "stats/line.h"

namespace plumb::copy {

/// Samples of a case: 30, of a quick look 9.
[[nodiscard]] int samples_of(const Request& request);
/// Of waves, each of which has a value for every CTA.
[[nodiscard]] int wave_samples_of(const Request& request);

/// A case on the whole chip .
[[nodiscard]] Case whole_chip(const std::string& experiment, Axes axes, const Copy& copy, int samples);

/// `copy` with bytes for one wave, whose time is a latency.
[[nodiscard]] Copy one_wave(Copy copy);
/// `copy` with bytes for a rate: 128 times what is on its way at once, and where that is 16 KiB or more in an
/// SM, at least 16 MiB for each SM. So the first and the last fill, which have nothing beside them, and the 1
/// us within which the SMs start, are less than 1 % of it.
[[nodiscard]] Copy steady(Copy copy);

/// Bytes that the grid moved over the time from its first start to its last stop, in GB/s, one value for each
/// usable sample. Empty where an SM had not the CTAs that it should.
[[nodiscard]] std::vector<double> grid_rates(const Measurement& m);

/// SM cycles from a CTA's start to its stop, of all CTAs in all usable samples of a wave.
[[nodiscard]] std::vector<double> wave_cycles(const Measurement& m);

/// Of a wave, over all CTAs; least and most 0 where they are not known.
struct Latency {
  double ns = 0.0;  ///< median
  double least = 0.0;
  double most = 0.0;
};
[[nodiscard]] std::optional<Latency> latency_of(const Measurement& m, double clock_ghz);
/// Whether its time is a latency.
[[nodiscard]] bool is_wave_of(const Measurement& m);

/// SMs that worked; 0 where that is not known.
[[nodiscard]] int sms_of(const Measurement& m);
/// SM clock as the case saw it, cycles a nanosecond; 0 where that is not known: a launch of a single wave is
/// a few ticks of %globaltimer long and says nothing of the clock.
[[nodiscard]] double clock_of(const Measurement& m);
/// The median of what cases that are long enough saw: for waves. 0 where there is none.
[[nodiscard]] double clock_of(std::span<const Measurement> measurements);

[[nodiscard]] Finding finding(std::string name, const stats::Estimate& e, std::string unit,
                              std::string estimator, std::vector<std::string> cases,
                              std::vector<std::string> notes = {});

/// NAME/rate (GB/s) and NAME/rate-sm (B/cycle and SM), medians; none where no sample can be used.
[[nodiscard]] std::vector<Finding> rate_findings(const std::string& name, const Measurement& m);

/// NAME/latency (cycles, the median over all CTAs), /latency-ns, /latency-p5, /latency-p95, /latency-least.
[[nodiscard]] std::vector<Finding> latency_findings(const std::string& name, const Measurement& m,
                                                    double clock_ghz);

/// rate_findings or latency_findings of each case, named by its axes in `order`.
[[nodiscard]] std::vector<Finding> path_findings(std::span<const Measurement> measurements,
                                                 std::span<const std::string> order);

}  // namespace plumb::copy

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/lookup.h"

namespace plumb::report::html {

/// What one configuration of a path did at so many bytes in flight: the median over the occasions, low and
/// high the least and the most of their intervals.
struct CopyPoint {
  double kib = 0.0;
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
  std::string config;
};

struct Envelope {
  std::vector<CopyPoint> points;  ///< of copy/compare, by KiB
  std::vector<CopyPoint> best;    ///< one for each KiB
  double most = 0.0;              ///< of `best`
};

/// From findings copy/compare/WHAT/FROM/PATH/KIB/CONFIG/OCCASION/FINDING. Best is the highest or the lowest.
[[nodiscard]] Envelope envelope_of(const Lookup& found, std::string_view what, std::string_view from, std::string_view path,
                                   std::string_view finding, bool highest);

/// Where the envelope first comes to `share` of its most, on a straight line between its points.
[[nodiscard]] std::optional<CopyPoint> knee_of(const Envelope& envelope, double share);

struct Crossover {
  double low = 0.0;   ///< KiB: the last point where the other led
  double high = 0.0;  ///< KiB: the first where this one leads
  bool first_leads = false;  ///< from there on, whether the first has the higher value
};
/// Where one envelope overtakes the other, among the KiB that both have and where their intervals are apart.
[[nodiscard]] std::vector<Crossover> crossovers(const Envelope& first, const Envelope& second);

}  // namespace plumb::report::html

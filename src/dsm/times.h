// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/finding.h"
#include "stats/line.h"

namespace plumb::dsm {

/// Cycles from start to stop of one flow, one value for each usable sample.
[[nodiscard]] std::vector<double> cycles_of(const Measurement& m, std::size_t flow = 0);

/// NAME/time: the median of cycles_of with its interval; none where no sample can be used. `name` is the
/// experiment and the values of the axes in `order`, as in slope_findings.
[[nodiscard]] std::optional<Finding> time_finding(const Measurement& m, std::span<const std::string> order);

}  // namespace plumb::dsm

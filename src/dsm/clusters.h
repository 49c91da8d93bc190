// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/finding.h"

namespace plumb::dsm {

/// For traffic that several clusters run side by side, at two sizes or more. For each series, as in
/// slope_findings, by the published estimator with 95 % intervals:
///
///   NAME/rate             B/cycle   median over the flows of all clusters
///   NAME/slowest-flow     B/cycle   /fastest-flow likewise
///   NAME/total            B/cycle   of all flows: the whole chip
///   NAME/active-sms       SMs       that took part
///   NAME/sm-N/rate        B/cycle   mean over the flows of the cluster whose lowest SM is N
///
/// The hardware may place clusters differently from one launch to the next: times count by the SMs they were
/// taken on, and a place that was not seen at two sizes is left out. The notes say how many places there
/// were.
[[nodiscard]] std::vector<Finding> cluster_findings(std::span<const Measurement> measurements,
                                                    std::span<const std::string> order);

}  // namespace plumb::dsm

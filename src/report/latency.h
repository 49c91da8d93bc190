// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/finding.h"

namespace plumb::report {

/// The findings of dsm/latency: a table with one row for each operation between SMs, one of the legs of the
/// loads with one row for each GPC and the SMs in the order of their ranks, one of the cluster barriers with
/// one column for each size of cluster, and single numbers below.
[[nodiscard]] std::string latency_table(std::span<const Finding> findings, bool colours);

}  // namespace plumb::report

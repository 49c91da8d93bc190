// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/finding.h"
#include "core/provenance.h"

namespace plumb::report {

/// One line on where samples are from: "NVIDIA H200, 132 SMs, driver 580.1, ... 2026-01-01".
[[nodiscard]] std::string provenance_line(const Provenance& provenance);

/// Up to three tables. One row for each series that was fitted ("load/one-way/8x2" of dsm/pair): its steady
/// and published rates, intercept, residual and rate per second, and below it the rates flow by flow where
/// there are more than two alike, and the notes. One row for each series of clusters side by side. And one
/// for each other finding. Where there are more than 64 of a kind, their least, median and greatest stand for
/// them.
[[nodiscard]] std::string findings_table(std::string_view experiment, std::string_view question,
                                         std::span<const Finding> findings, bool colours);

}  // namespace plumb::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/finding.h"

namespace plumb::report {

/// Whether `experiment` is of tensor cores, whose findings have a table of their own.
[[nodiscard]] bool is_mma(std::string_view experiment);

/// The findings of an experiment on tensor cores: a row for each format and layout, a column for each N (or
/// each number in flight), and below it what stands for a whole row; for whole chips a row for each case.
[[nodiscard]] std::string mma_table(std::string_view experiment, std::span<const Finding> findings,
                                    bool colours);

}  // namespace plumb::report

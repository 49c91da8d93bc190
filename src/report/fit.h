// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/finding.h"

namespace plumb::report {

/// The findings of topology/fit: a row for each cluster size; for each number of CTAs that an SM holds, the
/// clusters that are on the card at once and the SMs that they leave idle.
[[nodiscard]] std::string fit_table(std::span<const Finding> findings, bool colours);

}  // namespace plumb::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plumb/core/sample.h"

namespace plumb {

/// The row of a column; empty where there is none.
[[nodiscard]] std::span<const std::int64_t> row(const Samples& samples, std::string_view column,
                                                std::size_t participant);

/// For each sample, whether it may be used: every rank on an SM of its own, every byte right, no clock that
/// ran backwards. Columns that are missing or shorter than the longest make their samples unusable.
[[nodiscard]] std::vector<bool> usable(const Samples& samples);

[[nodiscard]] std::size_t count_shared_sms(const Samples& samples);
[[nodiscard]] std::size_t count_wrong_payload(const Samples& samples);

/// SM cycles per nanosecond from the first start to the last stop of the first flow.
[[nodiscard]] double clock_ghz(const Samples& samples);

/// Counts the clocks of each flow from its first start, which is all that they mean.
void rebase_clocks(Samples& samples);

}  // namespace plumb

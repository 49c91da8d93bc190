// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/site.h"
#include "plumb/core/mma.h"
#include "plumb/core/sample.h"

namespace plumb::mma {

/// Runs `samples` samples of `work` in one launch on the current device where `site` says (a cluster is an
/// SM, or the pair of tcgen05), after two untimed rounds. Before that a launch of a few instructions on the
/// same matrices must give the host's product, element by element; and every timed round is compared again.
///
/// Returns the columns that plumb/core/sample.h names, one row for each SM or pair. Throws Error (caller) for
/// work that is not legal, for which no kernel was made, or whose instructions the card does not have;
/// (device) where a product is wrong, CUDA fails or a completion does not come.
[[nodiscard]] Samples run_mma(const Mma& work, const Site& site, int samples, std::uint64_t seed);

}  // namespace plumb::mma

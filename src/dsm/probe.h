// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/site.h"
#include "plumb/core/probe.h"
#include "plumb/core/sample.h"

namespace plumb::dsm {

/// Runs `samples` samples of `probe` in one launch on the current device where `site` says, the clusters of
/// the site independently of one another. `seed` picks the order of the chains.
///
/// Returns the columns that plumb/core/sample.h names, with the participants of the probe where it speaks of
/// flows. bad_bytes is 4 for each end of the steps that is not what it must be: the element that a chase ends
/// at, what the last message left behind at each side, the count of barriers that held.
/// Throws Error (caller) for a probe that the card cannot run, and (device) where CUDA fails or a step has no
/// effect within 40 million SM cycles (20 ms).
[[nodiscard]] Samples run_probe(const Probe& probe, const Site& site, int samples, std::uint64_t seed);

}  // namespace plumb::dsm

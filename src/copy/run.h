// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/site.h"
#include "plumb/core/chase.h"
#include "plumb/core/copy.h"
#include "plumb/core/sample.h"
#include "plumb/core/stream.h"

namespace plumb::copy {

/// Runs `samples` samples of `copy` in one launch on the current device, after untimed rounds. What the last
/// `stages` fills of every CTA brought is compared with the source after the stop clock of each sample.
///
/// Returns the columns that plumb/core/copy.h names. A copy by clusters of which one sample is asked for is
/// launched once more, for hardware counters; where they are refused, cuda::Counters::here() says why.
/// Throws Error (caller) for a copy that is not legal or
/// that the site cannot hold, and (device) where CUDA fails or a completion does not come within 40 million
/// SM cycles.
[[nodiscard]] Samples run_copy(const Copy& copy, const Site& site, int samples, std::uint64_t seed);

/// Likewise for a stream: sums of everything that was read, and what was written last.
[[nodiscard]] Samples run_stream(const Stream& stream, const Site& site, int samples, std::uint64_t seed);

/// Likewise for a chase, whose columns plumb/core/chase.h names. Throws Error (caller) also where the card's
/// memory does not hold the chain.
[[nodiscard]] Samples run_chase(const Chase& chase, const Site& site, int samples, std::uint64_t seed);

}  // namespace plumb::copy

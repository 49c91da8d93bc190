// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/site.h"
#include "plumb/core/access.h"
#include "plumb/core/sample.h"

namespace plumb::dsm {

/// Runs `samples` samples of `access` in one launch on the current device where `site` says, after two
/// untimed rounds that warm the instruction cache. Fresh payload for each sample from `seed`; what was
/// loaded, and every word that was written, is compared with what it must be, after the stop clock.
///
/// Returns the columns that plumb/core/sample.h names, with one participant. Throws Error (caller) for an
/// access that is not legal, and (device) where CUDA fails or a completion does not come within 40 million SM
/// cycles.
[[nodiscard]] Samples run_access(const Access& access, const Site& site, int samples, std::uint64_t seed);

}  // namespace plumb::dsm

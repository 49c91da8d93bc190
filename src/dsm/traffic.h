// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/site.h"
#include "plumb/core/sample.h"
#include "plumb/core/traffic.h"

namespace plumb::dsm {

/// Runs `samples` samples of `traffic` in one launch on the current device where `site` says, after two
/// untimed rounds that warm the instruction cache. Fresh payload for each sample from `seed`; every byte
/// that was moved is compared with what it must be, after the stop clock.
///
/// Returns the columns that plumb/core/sample.h names. Throws Error (caller) for traffic that the card
/// cannot run, and (device) where CUDA fails or a completion does not come within 40 million SM cycles (20
/// ms).
[[nodiscard]] Samples run_traffic(const Traffic& traffic, const Site& site, int samples, std::uint64_t seed);

}  // namespace plumb::dsm

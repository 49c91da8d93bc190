// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/core/access.h"

namespace plumb::dsm {

/// Where each thread's accesses lie: bytes from the start of the window, at
/// [(warp * in_flight + access) * lanes_of(form) + lane]. This table is all that a kernel knows of a pattern,
/// so that every pattern runs the same instructions. Throws Error (caller) where `access` is not legal.
[[nodiscard]] std::vector<std::uint32_t> lane_offsets(const Access& access);

/// Aligned blocks of `grain` bytes that one warp instruction touches, as a mean over the window: 128 for the
/// lines that a request names, 32 for the sectors that hold what was asked for. Not for bulk copies.
[[nodiscard]] double blocks_touched(const Access& access, std::int64_t grain);

}  // namespace plumb::dsm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cuda/grid.h"
#include "dsm/traffic_kernel.h"
#include "plumb/core/access.h"

namespace plumb::dsm {

/// What the kernel reads and writes; all pointers are to device memory. Slots are the clusters that work.
struct AccessLaunch {
  cuda::Grid grid;
  const std::uint32_t* offsets;  // lane_offsets of the access
  Clocks* clocks;                // [slot][round]
  std::uint32_t* bad_bytes;      // [slot][round]
  std::uint32_t* smid;           // [slot][rank]
  std::uint32_t* timed_out;      // [slot]: kLate, kNoStart; 0: neither
  std::uint64_t seed;
  std::uint32_t target;     // rank whose memory is the target
  std::uint32_t mapped;     // 1 where it is addressed through the cluster's window
  std::uint32_t warps;      // that issue
  std::uint32_t in_flight;  // of each thread; bulk copies alone look at it
  std::uint32_t width;      // likewise
  std::uint32_t window;     // bytes
  std::uint32_t walks;      // of the window in a sample
  std::uint32_t hits;       // of one walk on each access that it touches
  std::uint32_t spacing;    // accesses between two that are touched: 1 but for broadcasts
  std::uint32_t rounds;
};

/// In timed_out: a completion did not come.
inline constexpr std::uint32_t kLate = 1;

/// Warps that look in turn whether an mbarrier is complete. A look that finds it incomplete lasts about
/// kLookCycles.
inline constexpr std::uint32_t kAccessWaiters = 7;
inline constexpr int kAccessThreads = (kMostAccessWarps + static_cast<int>(kAccessWaiters) + 1) * kLanes;

/// The kernel for a legal access; it takes an AccessLaunch.
[[nodiscard]] const void* access_kernel_for(const Access& access);

}  // namespace plumb::dsm

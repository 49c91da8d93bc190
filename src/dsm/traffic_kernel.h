// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cuda/grid.h"
#include "dsm/schedule.h"

namespace plumb::dsm {

/// Of one flow in one round, on the clocks of its observer.
struct Clocks {
  std::int64_t start_cycles, start_ns, stop_cycles, stop_ns;
};

/// What the kernel reads and writes; all pointers are to device memory. Slots are the clusters that work;
/// participants are the flows and then the backgrounds.
struct Launch {
  cuda::Grid grid;
  const Job* jobs;
  const std::uint32_t* first_job;  // [ranks + 1]
  const Landing* landings;
  const std::uint32_t* first_landing;  // [ranks + 1]
  const std::uint32_t* tile_bytes;     // [ranks]
  const void* global;                  // what backgrounds read: kDramBytes
  Clocks* clocks;                      // [slot][round][participant]
  std::uint32_t* bad_bytes;            // [slot][round][flow]
  std::uint32_t* read_bytes;           // [slot][round][background]
  std::uint32_t* smid;                 // [slot][rank]
  std::uint32_t* timed_out;            // [slot]: flow + 1 of a completion that did not come; 0: none
  std::uint64_t seed;
  std::uint32_t flows;
  std::uint32_t backgrounds;
  std::uint32_t background_ranks;  // a bit for each rank that has one
  std::uint32_t rounds;
};

/// In timed_out: the clusters of the grid did not all come to start a sample together.
inline constexpr std::uint32_t kNoStart = 0xFFFFFFFFU;

/// Distinct bytes that backgrounds read: far larger than the L2 of any card so far, and a part that fits.
inline constexpr std::int64_t kDramBytes = std::int64_t{1} << 30;
inline constexpr std::int64_t kL2Bytes = std::int64_t{1} << 24;

/// The kernel for CTAs of `threads`; it takes a Launch.
[[nodiscard]] const void* traffic_kernel_for(int threads);

}  // namespace plumb::dsm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "dsm/schedule.h"

namespace plumb::dsm {

/// Of one flow in one round, on the clocks of its observer.
struct Clocks {
  std::int64_t start_cycles, start_ns, stop_cycles, stop_ns;
};

/// What the kernel reads and writes; all pointers are to device memory.
struct Launch {
  const Job* jobs;
  const std::uint32_t* first_job;  // [ranks + 1]
  const Landing* landings;
  const std::uint32_t* first_landing;  // [ranks + 1]
  const std::uint32_t* tile_bytes;     // [ranks]
  Clocks* clocks;                      // [round][flow]
  std::uint32_t* bad_bytes;            // [round][flow]
  std::uint32_t* smid;                 // [rank]
  std::uint32_t* timed_out;            // flow + 1 of a completion that did not come; 0: none
  std::uint64_t seed;
  std::uint32_t flows;
  std::uint32_t rounds;
};

/// A completion that has not come after this long never will.
inline constexpr std::int64_t kTimeoutCycles = 40'000'000;

/// Launches one cluster of `ranks` CTAs on the current device and waits for it. Throws Error (device).
void launch_traffic(const Launch& launch, int ranks, int threads);

}  // namespace plumb::dsm

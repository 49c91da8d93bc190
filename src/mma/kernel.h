// SPDX-License-Identifier: Apache-2.0
// What the host tells the kernels of src/mma. Pointers are to device memory.
#pragma once

#include <cstdint>

#include "backend/cuda/grid.h"
#include "plumb/core/mma.h"

namespace plumb::mma {

/// One sample of one SM on its clocks.
struct MmaClocks {
  std::int64_t start_cycles, stop_cycles, start_ns, stop_ns;
};

/// Why a kernel gave up; the host turns it into an error.
enum Failure : std::uint32_t { kNoFailure, kNoStart, kLate };

struct MmaLaunch {
  cuda::Grid grid;
  const void* image;               ///< what shared memory holds: the A of every group, then B
  const std::uint32_t* fragments;  ///< [group][step][register][thread]: A of those who have it in registers
  const std::uint32_t* expected;   ///< [group][register][thread]: bits of D
  MmaClocks* clocks;               ///< [slot][round]
  std::uint32_t* wrong;            ///< [slot][round]: elements of D beyond the bound
  std::uint32_t* smid;             ///< [slot][rank]
  std::uint32_t* failed;           ///< [slot]: Failure
  // NOLINTBEGIN(modernize-avoid-c-arrays): device code indexes them
  std::uint64_t a_tile[kMmaSteps];  ///< descriptors as if shared memory began at 0
  std::uint64_t b_tile[kMmaSteps];
  // NOLINTEND(modernize-avoid-c-arrays)
  std::uint32_t image_bytes;  ///< of one rank
  std::uint32_t group_bytes;  ///< from the A of one group to that of the next
  std::uint32_t metadata;     ///< sparse
  std::uint32_t groups;
  std::uint32_t in_flight;
  std::uint32_t batches;
  std::uint32_t rounds;
  float bound;
};

/// Dynamic shared memory: more than half of an SM's, so that no two CTAs share one.
inline constexpr std::uint32_t kMmaShared = 132 * 1024;

/// The kernel that was made for this work; null where none was. Hopper alone.
[[nodiscard]] const void* wgmma_kernel_for(const Mma& work);
[[nodiscard]] const void* mma_sync_kernel_for(const Mma& work);

}  // namespace plumb::mma

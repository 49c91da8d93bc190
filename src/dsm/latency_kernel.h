// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cuda/grid.h"
#include "plumb/core/probe.h"

namespace plumb::dsm {

/// Around the timed steps of one participant, on the clocks of its SM.
struct Span {
  std::int64_t start_cycles, start_ns, stop_cycles, stop_ns;
};

/// What the kernels read and write; all pointers are to device memory. Slots are the clusters that work.
struct ProbeLaunch {
  cuda::Grid grid;
  std::uint32_t* flags;      // [slot][rank][side], kFlagWords apart: where hand-offs through L2 land
  Span* spans;               // [slot][round][row]
  std::uint32_t* ends;       // [slot][round][row][side]: what the steps led to, kNothing where it is not used
  std::uint32_t* smid;       // [slot][rank]
  std::uint32_t* timed_out;  // [slot]: row + 1 of a step whose effect did not come; 0: none
  std::uint32_t links;
  std::uint32_t rounds;
  std::uint32_t step;  // of the order of a chain: element k is followed by (k * step + 1) % kChain
  std::uint32_t zero;  // which the compiler cannot know to be zero
};

inline constexpr std::uint32_t kNothing = 0xFFFFFFFFU;
inline constexpr std::uint32_t kFlagWords = 32;  ///< a line of 128 bytes of its own for each flag
inline constexpr std::uint32_t kChain = 256;     ///< elements of a chain, 16 bytes each
inline constexpr std::int64_t kProbeSharedBytes = std::int64_t{120} * 1024;  ///< above half: one CTA an SM

/// The words of a put's payload are 1, 3, 5 and 7 times its number.
inline constexpr std::uint32_t kPutSum = 16;

/// The kernel of an operation; it takes a ProbeLaunch.
[[nodiscard]] const void* probe_kernel_for(ProbeOp op);

}  // namespace plumb::dsm

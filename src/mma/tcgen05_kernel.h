// SPDX-License-Identifier: Apache-2.0
// What the host tells the kernels that time tcgen05.mma. Assembled for Blackwell; never run on it.
#pragma once

#include <cstdint>

#include "mma/kernel.h"

namespace plumb::mma {

inline constexpr int kTmemLanes = 128;
inline constexpr std::uint32_t kTmemColumns = 512;
/// Columns of tensor memory: D first, then A (TS), then the scales of A and of B.
inline constexpr std::uint32_t kTmemA = 256;
inline constexpr std::uint32_t kTmemScalesA = 288;
inline constexpr std::uint32_t kTmemScalesB = 304;
inline constexpr std::uint32_t kAColumns = 32;       ///< kMmaSteps times 32 bytes of a row
inline constexpr std::uint32_t kScaleColumnsA = 16;  ///< 4 a block of 128 rows, up to 4 blocks of K
inline constexpr std::uint32_t kScaleColumnsB = 32;  ///< of up to 256 columns

struct Tcgen05Launch {
  cuda::Grid grid;
  const void* image;              ///< [rank]: A, then B, of each SM
  const std::uint32_t* a;         ///< [rank][lane][kAColumns]: A in tensor memory
  const std::uint32_t* scales_a;  ///< [rank][lane][kScaleColumnsA]
  const std::uint32_t* scales_b;  ///< [rank][lane][kScaleColumnsB]
  const std::uint32_t* expected;  ///< [rank][lane][columns]: bits of D
  MmaClocks* clocks;              ///< [slot][round]
  std::uint32_t* wrong;           ///< [slot][round]
  std::uint32_t* smid;            ///< [slot][rank]
  std::uint32_t* failed;          ///< [slot]: Failure
  // NOLINTBEGIN(modernize-avoid-c-arrays): device code indexes them
  std::uint64_t a_tile[kMmaSteps];
  std::uint64_t b_tile[kMmaSteps];
  std::uint32_t instruction[kMmaSteps];  ///< descriptors, which select the scales of each step
  std::uint32_t scale_a[kMmaSteps];      ///< columns of tensor memory
  std::uint32_t scale_b[kMmaSteps];
  // NOLINTEND(modernize-avoid-c-arrays)
  std::uint32_t image_bytes;  ///< of one rank
  std::uint32_t columns;      ///< of D in tensor memory
  std::uint32_t rows;         ///< of D in the 32 lanes of a warp: 16 or 32
  std::uint32_t in_flight;
  std::uint32_t batches;
  std::uint32_t rounds;
  std::uint32_t integers;  ///< D is of s32, not f32
  float bound;
};

/// The kernel of a kind, of one SM or two, with A in shared or tensor memory.
[[nodiscard]] const void* tcgen05_kernel_for(const Mma& work);

}  // namespace plumb::mma

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cuda/grid.h"
#include "plumb/core/walk.h"

namespace plumb::topology {

/// Around what one SM does in one sample, on its clocks.
struct Span {
  std::int64_t start_cycles, start_ns, stop_cycles, stop_ns;
};

inline constexpr std::int64_t kOneCtaPerSm = std::int64_t{120} * 1024;  ///< above half of shared memory

/// All pointers are to device memory.
struct CensusLaunch {
  std::uint32_t* smid;    // [CTA]
  std::int64_t* arrived;  // [CTA], %globaltimer
  std::int64_t hold;      // ns
};

struct LookupLaunch {
  cuda::Grid grid;
  const std::uint32_t* memory;
  const std::uint32_t* offsets;  // [address], in words
  Span* spans;                   // [sample][SM]
  std::uint32_t* cycles;         // [sample][SM][address]
  std::uint32_t* bad;            // [sample][SM]: look-ups that brought another value than is there
  std::uint32_t addresses;
  std::uint32_t samples;
  std::uint32_t sms;
  std::uint32_t target;  // the SM that looks up; kAllSms: all at once
};
inline constexpr std::uint32_t kAllSms = 0xFFFFFFFFU;
inline constexpr int kLookupThreads = 32;

struct WalkLaunch {
  cuda::Grid grid;
  const std::uint8_t* walks;  // [SM]: whether it does
  void* memory;
  std::uint32_t words;  // of 16 bytes in a window, a power of two
  std::uint64_t apart;  // words from the window of one SM to that of the next; 0: all have the same
  Span* spans;          // [sample][SM]
  std::uint32_t* sums;  // [sample][SM]: reads: the sum of all words of 4 bytes; writes: how many are wrong
  std::uint32_t rounds;
  std::uint32_t samples;
  std::uint32_t sms;
  std::uint32_t walkers;  // how many SMs walk
};

/// What a word of 4 bytes holds, counted from the start of the memory, where walks read.
[[nodiscard]] constexpr std::uint32_t payload(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word) * 0x9E3779B9U ^ static_cast<std::uint32_t>(word >> 7);
}

/// Kernels that take the structures above.
[[nodiscard]] const void* census_kernel_entry();
[[nodiscard]] const void* lookup_kernel_entry();
[[nodiscard]] const void* walk_kernel_for(WalkOp op);

}  // namespace plumb::topology

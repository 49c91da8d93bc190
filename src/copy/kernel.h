// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cuda/device.h"
#include "backend/cuda/grid.h"
#include "plumb/core/chase.h"
#include "plumb/core/copy.h"
#include "plumb/core/stream.h"

namespace plumb::copy {

/// Of one CTA in one round.
struct Clocks {
  std::int64_t start_cycles, start_ns, stop_cycles, stop_ns;
};

/// In `failed`: the clusters did not start together; a completion did not come.
inline constexpr std::uint32_t kNoStart = 1;
inline constexpr std::uint32_t kLate = 2;

/// What every kernel of this folder writes. A CTA's number is slot * ranks + rank; slots are the clusters
/// that work. Pointers are to device memory.
struct Results {
  Clocks* clocks;            // [cta][round]
  std::uint32_t* bad_bytes;  // [cta][round]
  std::uint32_t* smid;       // [cta]
  std::uint32_t* failed;     // one word; 0: nothing failed
};

/// The memory that is walked: word i of it holds word_of(i).
struct Route {
  const std::uint32_t* source;
  std::uint32_t tiles;       // in the part that is walked
  std::uint32_t multiplier;  // tile of number n is n * multiplier mod tiles
  std::uint32_t tile_bytes;
  std::uint64_t first;  // number of the first tile of this launch
  std::uint32_t warm;   // 1: every CTA reads all of it before the first round
};

struct CopyLaunch {
  alignas(64) cuda::EncodedMap map;  // where there is a tensor
  cuda::Grid grid;
  Results results;
  Route route;
  std::uint32_t streams;  // sequences of tiles, one for each CTA or for each group that shares
  Sharing sharing;
  std::uint32_t box_rows;  // of the outermost extent: a tile's coordinate is its index times this
  std::uint32_t swizzle;   // 0: none; else 1, 2, 3 for 32, 64, 128 bytes
  std::uint32_t stages;
  std::uint32_t fills;  // of one thread or warp, in a round
  std::uint32_t rounds;
};

struct StreamLaunch {
  cuda::Grid grid;
  Results results;
  Route route;            // tiles of kStreamThreads * 16 bytes
  std::uint32_t* target;  // what is written
  std::uint32_t seed;
  std::uint32_t steps;  // of kStreamInFlight tiles, in a round
  std::uint32_t rounds;
};

struct ChaseLaunch {
  cuda::Grid grid;
  Results results;
  void* chain;  // in global memory
  std::uint64_t nodes;
  std::uint64_t stride;
  std::uint32_t step;   // nodes from one to the next
  std::uint32_t links;  // in a round; a multiple of 4
  std::uint32_t warm;   // 1: the chain is walked once before
  std::uint32_t rounds;
};

/// The kernels for legal work; each takes the launch structure of its kind.
[[nodiscard]] const void* ldgsts_kernel_for(const Copy& copy);
[[nodiscard]] const void* engine_kernel_for(const Copy& copy);
[[nodiscard]] const void* multicast_kernel_for(const Copy& copy);
[[nodiscard]] const void* stream_kernel_for(const Stream& stream);
[[nodiscard]] const void* chase_kernel_for(const Chase& chase);

/// Writes word_of(i) into the first `words` words. Throws Error (device).
void fill_source(std::uint32_t* source, std::uint64_t words);

/// A pointer every `stride` bytes to the node `step` further on, the last ones to the first; to itself where
/// step is 0. Throws Error (device).
void write_chain(void* chain, std::uint64_t nodes, std::uint64_t stride, std::uint64_t step);

/// Reads `bytes` of other memory, so that nothing else stays in the L2. Throws Error (device).
void flush_l2(const std::uint32_t* source, std::uint64_t bytes, std::uint32_t* scratch);

}  // namespace plumb::copy

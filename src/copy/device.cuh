// SPDX-License-Identifier: Apache-2.0
// What the kernels of this folder have in common: payload, walk, clocks, and the instructions that they time.
#pragma once

#include "backend/cuda/grid.cuh"
#include "copy/kernel.h"

namespace plumb::copy {

namespace ptx = cuda::ptx;

inline constexpr std::uint32_t kWarp = 32;
inline constexpr std::uint32_t kMostWarps = kMostCopyThreads / kWarp;
inline constexpr std::uint32_t kPoison = 0x5A5A5A5AU;

/// What word i of the source holds: no two words are alike.
__device__ __forceinline__ std::uint32_t word_of(std::uint32_t i) {
  i *= 0x9E3779B1U;
  return i ^ (i >> 15);
}

/// Where in the source the fill `fill` of `stream` is, of `streams` that take turns.
__device__ __forceinline__ std::uint32_t tile_of(const Route& walk, std::uint64_t fill, std::uint32_t stream,
                                                 std::uint32_t streams) {
  const std::uint64_t number = (walk.first + fill * streams + stream) % walk.tiles;
  return static_cast<std::uint32_t>(number * walk.multiplier % walk.tiles);
}

/// From one fill of a stream to its next.
__device__ __forceinline__ std::uint32_t step_of(const Route& walk, std::uint32_t streams) {
  return static_cast<std::uint32_t>(std::uint64_t{streams % walk.tiles} * walk.multiplier % walk.tiles);
}

__device__ __forceinline__ std::uint32_t next_tile(const Route& walk, std::uint32_t tile,
                                                   std::uint32_t step) {
  tile += step;  // both below tiles, which is below 2^31
  return tile >= walk.tiles ? tile - walk.tiles : tile;
}

/// Which sequence of tiles a CTA reads.
__device__ __forceinline__ std::uint32_t stream_of(Sharing sharing, std::uint32_t slot, std::uint32_t ranks,
                                                   std::uint32_t rank) {
  if (sharing == Sharing::none) return slot * ranks + rank;
  return sharing == Sharing::across ? slot / ranks * ranks + rank : slot;
}

/// The clocks of the warps of a CTA, in shared memory.
struct Timing {
  std::int64_t start[kMostWarps];
  std::int64_t stop[kMostWarps];
  std::int64_t start_ns, stop_ns;
  std::uint32_t done;  // warps
  std::uint32_t bad_bytes;
  std::uint32_t slot;  // of this cluster
};

/// For all threads, before the start: the CTA's part of a round begins.
__device__ __forceinline__ void begin_round(Timing& timing) {
  if (threadIdx.x != 0) return;
  timing.done = 0;
  timing.bad_bytes = 0;
}

__device__ __forceinline__ void note_start(Timing& timing) {
  if (threadIdx.x == 0) timing.start_ns = ptx::globaltimer();
  const std::int64_t now = ptx::clock();
  if (threadIdx.x % kWarp == 0) timing.start[threadIdx.x / kWarp] = now;
}

/// For a warp that is done; `warps` of the CTA take part.
__device__ __forceinline__ void note_stop(Timing& timing, std::uint32_t warps) {
  __syncwarp();
  const std::int64_t now = ptx::clock();
  if (threadIdx.x % kWarp != 0) return;
  timing.stop[threadIdx.x / kWarp] = now;
  if (atomicAdd(&timing.done, 1) == warps - 1) timing.stop_ns = ptx::globaltimer();
}

/// For thread 0, after all have met.
__device__ inline void write_round(const Results& results, const Timing& timing, std::uint32_t warps,
                                   std::uint32_t sample) {
  Clocks c{timing.start[0], timing.start_ns, timing.stop[0], timing.stop_ns};
  for (std::uint32_t w = 1; w < warps; ++w) {
    c.start_cycles = min(c.start_cycles, timing.start[w]);
    c.stop_cycles = max(c.stop_cycles, timing.stop[w]);
  }
  results.clocks[sample] = c;
  results.bad_bytes[sample] = timing.bad_bytes;
}

/// All CTAs read all of the walk, so that it is in the L2, in whichever part of it an SM reads.
__device__ inline void warm_up(const Route& walk) {
  if (walk.warm == 0) return;
  const auto* from = reinterpret_cast<const uint4*>(walk.source);
  const std::uint64_t count = std::uint64_t{walk.tiles} * walk.tile_bytes / sizeof(uint4);
  std::uint32_t sum = 0;
#pragma unroll 8
  for (std::uint64_t i = threadIdx.x; i < count; i += blockDim.x) sum ^= ptx::load_global(from + i).x;
  ptx::wait_for(sum);
}

/// Bytes of `words` words at `at` in shared memory that are not those of the source from word `first` on.
template <class Place>
__device__ inline std::uint32_t wrong_bytes(const std::uint32_t* at, std::uint32_t first, std::uint32_t words,
                                            std::uint32_t from, std::uint32_t step, Place&& place) {
  std::uint32_t bad = 0;
#pragma unroll 1
  for (std::uint32_t i = from; i < words; i += step) bad += at[place(i)] != word_of(first + i) ? 4 : 0;
  return bad;
}

/// PTX ISA, cp.async: 16 bytes pass the L1 by, fewer cannot.
template <int W>
__device__ __forceinline__ void copy_async(std::uint32_t to, const void* from) {
  if constexpr (W == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(W) : "memory");
  }
}
__device__ __forceinline__ void commit_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ __forceinline__ void wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/// One look, which the hardware may hold back for a while where the phase is not complete.
__device__ __forceinline__ bool try_wait(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}

/// For a whole warp in step: one thread that looks too early costs its warp almost three times as much
/// (dsm/latency). False after kTimeoutCycles.
__device__ __forceinline__ bool wait_in_step(std::uint32_t barrier, std::uint32_t parity) {
  if (__any_sync(0xFFFFFFFFU, try_wait(barrier, parity)) != 0) return true;
  const std::int64_t start = ptx::clock();
  while (__any_sync(0xFFFFFFFFU, try_wait(barrier, parity)) == 0)
    if (ptx::clock() - start > cuda::kTimeoutCycles) return false;
  return true;
}

__device__ __forceinline__ void bulk_load(std::uint32_t to, const void* from, std::uint32_t bytes,
                                          std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void bulk_load_all(std::uint32_t to, const void* from, std::uint32_t bytes,
                                              std::uint32_t barrier, std::uint16_t mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
      "[%3], %4;" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier), "h"(mask)
      : "memory");
}
__device__ __forceinline__ void tensor_load_2d(std::uint32_t to, const void* map, std::uint32_t y,
                                               std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], "
      "[%4];" ::"r"(to),
      "l"(map), "r"(0), "r"(y), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void tensor_load_2d_all(std::uint32_t to, const void* map, std::uint32_t y,
                                                   std::uint32_t barrier, std::uint16_t mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(map), "r"(0), "r"(y), "r"(barrier), "h"(mask)
      : "memory");
}
__device__ __forceinline__ void tensor_load_3d(std::uint32_t to, const void* map, std::uint32_t z,
                                               std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, "
      "%3}], [%4];" ::"r"(to),
      "l"(map), "r"(0), "r"(z), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void prefetch_map(const void* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

}  // namespace plumb::copy

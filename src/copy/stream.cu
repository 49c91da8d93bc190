// SPDX-License-Identifier: Apache-2.0
// Ordinary accesses of 16 bytes, eight of them back to back, as fast as a memory gives and takes them.
#include "copy/device.cuh"

namespace plumb::copy {
namespace {

constexpr std::uint32_t kDepth = kStreamInFlight;

__device__ __forceinline__ uint4 load_once(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p)
               : "memory");
  return v;
}
__device__ __forceinline__ void store_once(uint4* p, uint4 v) {
  asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}
// Volatile for the assembler too: it merges plain loads of one address.
__device__ __forceinline__ uint4 load_own(std::uint32_t address) {
  uint4 v;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address)
               : "memory");
  return v;
}
__device__ __forceinline__ void store_own(std::uint32_t address, uint4 v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x), "r"(v.y), "r"(v.z),
               "r"(v.w)
               : "memory");
}

/// The 16 bytes at word i of the source, with `key` added to each word.
__device__ __forceinline__ uint4 payload(std::uint32_t i, std::uint32_t key) {
  return {word_of(i) + key, word_of(i + 1) + key, word_of(i + 2) + key, word_of(i + 3) + key};
}
__device__ __forceinline__ std::uint32_t sum_of(uint4 v) { return v.x + v.y + v.z + v.w; }

__device__ __forceinline__ std::uint64_t unit(std::uint32_t tile) {
  return std::uint64_t{tile} * kStreamThreads + threadIdx.x;
}

template <StreamOp Op, Memory From>
__global__ void __launch_bounds__(kStreamThreads, 1)
    stream_kernel(const __grid_constant__ StreamLaunch launch) {
  extern __shared__ __align__(1024) uint4 own[];
  __shared__ Timing timing;

  const std::uint32_t slot = cuda::take_place(launch.grid, &timing.slot);
  if (slot == cuda::kIdle) return;
  if (threadIdx.x == 0) launch.results.smid[slot] = ptx::smid();
  constexpr bool kShared = From == Memory::shared;
  const auto* source = reinterpret_cast<const uint4*>(launch.route.source);
  auto* target = reinterpret_cast<uint4*>(launch.target);
  const std::uint32_t mine = ptx::shared_address(own + threadIdx.x);
  constexpr std::uint32_t kTile = kStreamThreads * sizeof(uint4);
  const std::uint32_t step = step_of(launch.route, launch.grid.workers);
  if constexpr (kShared)
    for (std::uint32_t u = 0; u < kDepth; ++u)
      own[u * kStreamThreads + threadIdx.x] = payload((u * kStreamThreads + threadIdx.x) * 4, 0);
  warm_up(launch.route);

#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    const std::uint32_t key = launch.seed + round;
    begin_round(timing);
    const std::uint64_t fills = std::uint64_t{launch.steps} * kDepth;
    const std::uint32_t first = kShared ? 0 : tile_of(launch.route, round * fills, slot, launch.grid.workers);
    std::uint32_t tile = first;
    std::uint32_t sum = 0;
    const uint4 value = payload(threadIdx.x * 4, key);
    __syncthreads();
    if (!cuda::start_together(launch.grid, round)) *launch.results.failed = kNoStart;
    ptx::cluster_sync();

    note_start(timing);
#pragma unroll 1
    for (std::uint32_t i = 0; i < launch.steps; ++i) {
      uint4 v[kDepth];
      std::uint32_t at[kDepth];
#pragma unroll
      for (std::uint32_t u = 0; u < kDepth; ++u) {
        at[u] = tile;
        if constexpr (!kShared) tile = next_tile(launch.route, tile, step);
        if constexpr (Op != StreamOp::write)
          v[u] = kShared ? load_own(mine + u * kTile) : load_once(source + unit(at[u]));
      }
#pragma unroll
      for (std::uint32_t u = 0; u < kDepth; ++u) {
        if constexpr (Op == StreamOp::read) {
          sum += sum_of(v[u]);
        } else {
          const uint4 out = Op == StreamOp::copy ? v[u] : value;
          if constexpr (kShared)
            store_own(mine + u * kTile, out);
          else
            store_once(target + unit(at[u]), out);
        }
      }
    }
    // What was loaded has come, and what was stored has been taken, before the clock is read.
    if constexpr (Op == StreamOp::read)
      ptx::wait_for(sum);
    else if constexpr (kShared)
      asm volatile("fence.acq_rel.cta;" ::: "memory");
    else
      __threadfence();
    note_stop(timing, kStreamThreads / kWarp);
    __syncthreads();

    std::uint32_t bad = 0;
    if constexpr (Op == StreamOp::read) {
      std::uint32_t must = 0;
      tile = first;
      if constexpr (kShared) {
        for (std::uint32_t u = 0; u < kDepth; ++u)
          must += sum_of(payload((u * kStreamThreads + threadIdx.x) * 4, 0));
        must *= launch.steps;
      } else {
#pragma unroll 1
        for (std::uint64_t f = 0; f < fills; ++f) {
          must += sum_of(payload(static_cast<std::uint32_t>(unit(tile)) * 4, 0));
          tile = next_tile(launch.route, tile, step);
        }
      }
      if (must != sum) bad = 16;
    } else {
      // The places written last.
#pragma unroll 1
      for (std::uint32_t u = 0; u < kDepth; ++u) {
        std::uint32_t last = 0;
        if constexpr (!kShared)
          last = tile_of(launch.route, (round + 1) * fills - kDepth + u, slot, launch.grid.workers);
        const auto word =
            static_cast<std::uint32_t>(kShared ? (u * kStreamThreads + threadIdx.x) * 4 : unit(last) * 4);
        const uint4 must = Op == StreamOp::copy ? payload(word, 0) : value;
        const uint4 is =
            kShared ? own[u * kStreamThreads + threadIdx.x] : ptx::load_global(target + unit(last));
        bad += (is.x != must.x) * 4 + (is.y != must.y) * 4 + (is.z != must.z) * 4 + (is.w != must.w) * 4;
      }
    }
    if (bad != 0) atomicAdd(&timing.bad_bytes, bad);
    __syncthreads();
    if (threadIdx.x == 0)
      write_round(launch.results, timing, kStreamThreads / kWarp, slot * launch.rounds + round);
    __syncthreads();
  }
  ptx::cluster_sync();
}

template <Memory From>
const void* by_op(StreamOp op) {
  switch (op) {
    case StreamOp::read:
      return reinterpret_cast<const void*>(&stream_kernel<StreamOp::read, From>);
    case StreamOp::write:
      return reinterpret_cast<const void*>(&stream_kernel<StreamOp::write, From>);
    default:
      return reinterpret_cast<const void*>(&stream_kernel<StreamOp::copy, From>);
  }
}

__global__ void fill_kernel(std::uint32_t* source, std::uint64_t words) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += step)
    source[i] = word_of(static_cast<std::uint32_t>(i));
}

}  // namespace

const void* stream_kernel_for(const Stream& s) {
  return s.memory == Memory::shared ? by_op<Memory::shared>(s.op) : by_op<Memory::dram>(s.op);
}

void fill_source(std::uint32_t* source, std::uint64_t words) {
  fill_kernel<<<1024, 256>>>(source, words);
  cuda::check(cudaGetLastError(), "launching the kernel that fills the source");
  cuda::check(cudaDeviceSynchronize(), "filling the source");
}

}  // namespace plumb::copy

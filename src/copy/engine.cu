// SPDX-License-Identifier: Apache-2.0
// One thread of each warp lets the copy engine fill tiles of shared memory, `stages` of them on their way at
// once, each with an mbarrier at which the whole warp waits.
#include "copy/device.cuh"

namespace plumb::copy {
namespace {

enum class Kind { bulk, tensor_2d, tensor_3d };

/// Where word i of a tile lies in shared memory. A swizzle exchanges 16-byte units within rows of 128 bytes:
/// address bits 4 and up are xored with bits 7 and up, one, two or three of them (PTX ISA, swizzling modes).
__device__ __forceinline__ std::uint32_t place_of(std::uint32_t i, std::uint32_t swizzle) {
  const std::uint32_t bits = (1U << swizzle) - 1;
  return i ^ ((i >> 5 & bits) << 2);
}

template <Kind K>
__device__ __forceinline__ void load_tile(const CopyLaunch& launch, std::uint32_t to, std::uint32_t tile,
                                          std::uint32_t barrier) {
  const std::uint32_t bytes = launch.route.tile_bytes;
  ptx::expect_bytes(barrier, bytes);
  if constexpr (K == Kind::bulk)
    bulk_load(to, launch.route.source + std::uint64_t{tile} * (bytes / 4), bytes, barrier);
  else if constexpr (K == Kind::tensor_2d)
    tensor_load_2d(to, &launch.map, tile * launch.box_rows, barrier);
  else
    tensor_load_3d(to, &launch.map, tile * launch.box_rows, barrier);
}

template <Kind K>
__global__ void __launch_bounds__(kMostCopyWarps* kWarp, 1)
    engine_kernel(const __grid_constant__ CopyLaunch launch) {
  extern __shared__ __align__(1024) std::uint32_t tiles[];
  __shared__ Timing timing;
  __shared__ std::uint64_t full[kMostFills];

  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t warps = blockDim.x / kWarp;
  // By a shuffle, so that the compiler knows it to be the same in the whole warp.
  const std::uint32_t warp = __shfl_sync(0xFFFFFFFFU, threadIdx.x / kWarp, 0);
  const bool leader = threadIdx.x % kWarp == 0;
  const std::uint32_t slot = cuda::take_place(launch.grid, &timing.slot);
  if (slot == cuda::kIdle) return;
  const std::uint32_t cta = slot * launch.grid.ranks + rank;
  const std::uint32_t streams = launch.streams * warps;
  const std::uint32_t stream = stream_of(launch.sharing, slot, launch.grid.ranks, rank) * warps + warp;
  if (threadIdx.x == 0) {
    launch.results.smid[cta] = ptx::smid();
    if constexpr (K != Kind::bulk) prefetch_map(&launch.map);
    for (std::uint32_t b = 0; b < warps * launch.stages; ++b)
      ptx::init_barrier(ptx::shared_address(full + b));
  }
  ptx::fence_barrier_init();
  warm_up(launch.route);
  __syncthreads();

  const std::uint32_t tile_bytes = launch.route.tile_bytes;
  const std::uint32_t tile_words = tile_bytes / 4;
  const std::uint32_t stages = launch.stages;
  const std::uint32_t barriers = ptx::shared_address(full + warp * stages);
  const std::uint32_t to = ptx::shared_address(tiles) + warp * stages * tile_bytes;
  const std::uint32_t step = step_of(launch.route, streams);
  std::uint32_t parity = 0;
  bool late = false;

#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    for (std::uint32_t i = threadIdx.x; i < warps * stages * tile_words; i += blockDim.x) tiles[i] = kPoison;
    begin_round(timing);
    std::uint32_t tile = tile_of(launch.route, std::uint64_t{round} * launch.fills, stream, streams);
    ptx::fence_async_proxy();
    __syncthreads();
    if (!cuda::start_together(launch.grid, round)) *launch.results.failed = kNoStart;
    ptx::cluster_sync();

    note_start(timing);
#pragma unroll 1
    for (std::uint32_t s = 0; s < stages; ++s) {
      if (leader) load_tile<K>(launch, to + s * tile_bytes, tile, barriers + s * 8);
      tile = next_tile(launch.route, tile, step);
    }
#pragma unroll 1
    for (std::uint32_t left = launch.fills - stages; left != 0 && !late; left -= stages) {
#pragma unroll 1
      for (std::uint32_t s = 0; s < stages; ++s) {
        late |= !wait_in_step(barriers + s * 8, parity);
        if (leader) load_tile<K>(launch, to + s * tile_bytes, tile, barriers + s * 8);
        tile = next_tile(launch.route, tile, step);
      }
      parity ^= 1;
    }
#pragma unroll 1
    for (std::uint32_t s = 0; s < stages; ++s) late |= !wait_in_step(barriers + s * 8, parity);
    parity ^= 1;
    note_stop(timing, warps);
    if (late) *launch.results.failed = kLate;
    __syncthreads();

    std::uint32_t bad = 0;
    for (std::uint32_t b = 0; b < warps * stages; ++b) {
      const std::uint32_t last =
          tile_of(launch.route, std::uint64_t{round + 1} * launch.fills - stages + b % stages,
                  stream - warp + b / stages, streams);
      bad += wrong_bytes(tiles + b * tile_words, last * tile_words, tile_words, threadIdx.x, blockDim.x,
                         [&](std::uint32_t i) { return place_of(i, launch.swizzle); });
    }
    if (bad != 0) atomicAdd(&timing.bad_bytes, bad);
    __syncthreads();
    if (threadIdx.x == 0) write_round(launch.results, timing, warps, cta * launch.rounds + round);
    __syncthreads();
    if (late) break;
  }
  ptx::cluster_sync();
  if (threadIdx.x == 0)
    for (std::uint32_t b = 0; b < warps * stages; ++b) ptx::invalidate_barrier(ptx::shared_address(full + b));
}

}  // namespace

const void* engine_kernel_for(const Copy& c) {
  if (c.path == CopyPath::bulk) return reinterpret_cast<const void*>(&engine_kernel<Kind::bulk>);
  return c.box.size() == 2 ? reinterpret_cast<const void*>(&engine_kernel<Kind::tensor_2d>)
                           : reinterpret_cast<const void*>(&engine_kernel<Kind::tensor_3d>);
}

}  // namespace plumb::copy

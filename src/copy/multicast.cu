// SPDX-License-Identifier: Apache-2.0
// The CTAs of a cluster take turns to read a tile for all. Each place for a tile has two warps in every CTA:
// one sees the tile come and says so to the CTA whose turn it is to fill that place again; the other waits,
// in its CTA's turn, until all have said so, and issues. So no place waits for a look at another.
#include "copy/device.cuh"

namespace plumb::copy {
namespace {

/// Without order: nothing was read from the place that becomes free. An arrival that releases at cluster
/// scope carries a fence of a thousand cycles (MEMBAR.ALL.GPU).
__device__ __forceinline__ void arrive_relaxed(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void init_counted(std::uint32_t barrier, std::uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

template <bool kTensor>
__global__ void __launch_bounds__(kMostCopyThreads, 1)
    multicast_kernel(const __grid_constant__ CopyLaunch launch) {
  extern __shared__ __align__(1024) std::uint32_t tiles[];
  __shared__ Timing timing;
  __shared__ std::uint64_t full[kMostCopyStages];
  __shared__ std::uint64_t empty[kMostCopyStages];

  const std::uint32_t ranks = launch.grid.ranks;
  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t warp = __shfl_sync(0xFFFFFFFFU, threadIdx.x / kWarp, 0);
  const bool leader = threadIdx.x % kWarp == 0;
  const std::uint32_t slot = cuda::take_place(launch.grid, &timing.slot);
  if (slot == cuda::kIdle) return;
  const std::uint32_t cta = slot * ranks + rank;
  if (threadIdx.x == 0) {
    launch.results.smid[cta] = ptx::smid();
    if constexpr (kTensor) prefetch_map(&launch.map);
    for (std::uint32_t s = 0; s < launch.stages; ++s) {
      ptx::init_barrier(ptx::shared_address(full + s));
      init_counted(ptx::shared_address(empty + s), ranks);
    }
  }
  ptx::fence_barrier_init();
  warm_up(launch.route);
  ptx::cluster_sync();

  const std::uint32_t tile_bytes = launch.route.tile_bytes;
  const std::uint32_t tile_words = tile_bytes / 4;
  const std::uint32_t stages = launch.stages;
  const std::uint32_t warps = blockDim.x / kWarp;  // two for each place
  const bool consumes = warp < stages;
  const std::uint32_t place = consumes ? warp : warp - stages;
  const std::uint32_t full_barrier = ptx::shared_address(full + place);
  const std::uint32_t empty_barrier = ptx::shared_address(empty + place);
  const std::uint32_t to = ptx::shared_address(tiles) + place * tile_bytes;
  const auto mask = static_cast<std::uint16_t>((1U << ranks) - 1);
  const std::uint32_t step = step_of(launch.route, launch.streams * stages);  // to the next fill of a place
  std::uint32_t full_parity = 0;
  std::uint32_t empty_parity = 0;
  bool late = false;

#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    for (std::uint32_t i = threadIdx.x; i < stages * tile_words; i += blockDim.x) tiles[i] = kPoison;
    begin_round(timing);
    std::uint32_t tile =
        tile_of(launch.route, std::uint64_t{round} * launch.fills + place, slot, launch.streams);
    ptx::fence_async_proxy();
    __syncthreads();
    if (!cuda::start_together(launch.grid, round)) *launch.results.failed = kNoStart;
    ptx::cluster_sync();

    note_start(timing);
    if (consumes) {
      if (leader) ptx::expect_bytes(full_barrier, tile_bytes);
#pragma unroll 1
      for (std::uint32_t fill = place; fill < launch.fills && !late; fill += stages) {
        late |= !wait_in_step(full_barrier, full_parity);
        full_parity ^= 1;
        const std::uint32_t next = fill + stages;
        if (leader && next < launch.fills) {
          ptx::expect_bytes(full_barrier, tile_bytes);
          arrive_relaxed(ptx::map_to_rank(empty_barrier, next % ranks));
        }
      }
    } else {
#pragma unroll 1
      for (std::uint32_t fill = place; fill < launch.fills && !late; fill += stages) {
        if (fill % ranks == rank) {
          if (fill >= stages) {
            late |= !wait_in_step(empty_barrier, empty_parity);
            empty_parity ^= 1;
          }
          if (leader) {
            if constexpr (kTensor)
              tensor_load_2d_all(to, &launch.map, tile * launch.box_rows, full_barrier, mask);
            else
              bulk_load_all(to, launch.route.source + std::uint64_t{tile} * tile_words, tile_bytes,
                            full_barrier, mask);
          }
        }
        tile = next_tile(launch.route, tile, step);
      }
    }
    note_stop(timing, warps);
    if (late) *launch.results.failed = kLate;
    __syncthreads();

    std::uint32_t bad = 0;
    for (std::uint32_t s = 0; s < stages; ++s) {
      const std::uint32_t last =
          tile_of(launch.route, std::uint64_t{round + 1} * launch.fills - stages + s, slot, launch.streams);
      bad += wrong_bytes(tiles + s * tile_words, last * tile_words, tile_words, threadIdx.x, blockDim.x,
                         [](std::uint32_t i) { return i; });
    }
    if (bad != 0) atomicAdd(&timing.bad_bytes, bad);
    __syncthreads();
    if (threadIdx.x == 0) write_round(launch.results, timing, stages, cta * launch.rounds + round);
    // No tile of the next round may come before all have looked at those of this one.
    ptx::cluster_sync();
    if (ptx::load_volatile(launch.results.failed) != 0) break;
  }
  ptx::cluster_sync();
  if (threadIdx.x == 0)
    for (std::uint32_t s = 0; s < stages; ++s) {
      ptx::invalidate_barrier(ptx::shared_address(full + s));
      ptx::invalidate_barrier(ptx::shared_address(empty + s));
    }
}

}  // namespace

const void* multicast_kernel_for(const Copy& c) {
  return c.path == CopyPath::tma ? reinterpret_cast<const void*>(&multicast_kernel<true>)
                                 : reinterpret_cast<const void*>(&multicast_kernel<false>);
}

}  // namespace plumb::copy

// SPDX-License-Identifier: Apache-2.0
// The CTAs of a cluster take turns to read a tile for all. In each, one warp sees tiles come and says so to the
// CTA whose turn it is to fill that place again; another waits, in its turn, until all have said so, and issues.
#include "copy/device.cuh"

namespace plumb::copy {
namespace {

constexpr std::uint32_t kConsumer = 0;
constexpr std::uint32_t kThreads = 2 * kWarp;

__device__ __forceinline__ void init_counted(std::uint32_t barrier, std::uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

template <bool kTensor>
__global__ void __launch_bounds__(kThreads, 1) multicast_kernel(const __grid_constant__ CopyLaunch launch) {
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
  warm_up(launch.walk);
  ptx::cluster_sync();

  const std::uint32_t tile_bytes = launch.walk.tile_bytes;
  const std::uint32_t tile_words = tile_bytes / 4;
  const std::uint32_t stages = launch.stages;
  const std::uint32_t fulls = ptx::shared_address(full);
  const std::uint32_t empties = ptx::shared_address(empty);
  const std::uint32_t to = ptx::shared_address(tiles);
  const auto mask = static_cast<std::uint16_t>((1U << ranks) - 1);
  const std::uint32_t step = step_of(launch.walk, launch.streams);
  std::uint32_t full_parity = 0;   // a bit for each stage
  std::uint32_t empty_parity = 0;  // likewise
  bool late = false;

#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    for (std::uint32_t i = threadIdx.x; i < stages * tile_words; i += kThreads) tiles[i] = kPoison;
    begin_round(timing);
    std::uint32_t tile = tile_of(launch.walk, std::uint64_t{round} * launch.fills, slot, launch.streams);
    ptx::fence_async_proxy();
    __syncthreads();
    if (!cuda::start_together(launch.grid, round)) *launch.results.failed = kNoStart;
    ptx::cluster_sync();

    note_start(timing);
    std::uint32_t stage = 0;
    std::uint32_t turn = 0;  // rank that issues the fill
    if (warp == kConsumer) {
      if (leader)
        for (std::uint32_t s = 0; s < stages; ++s) ptx::expect_bytes(fulls + s * 8, tile_bytes);
      turn = stages % ranks;
#pragma unroll 1
      for (std::uint32_t fill = 0; fill < launch.fills && !late; ++fill) {
        late |= !wait_in_step(fulls + stage * 8, full_parity >> stage & 1);
        full_parity ^= 1U << stage;
        if (leader && fill + stages < launch.fills) {
          ptx::expect_bytes(fulls + stage * 8, tile_bytes);
          ptx::arrive_cluster(ptx::map_to_rank(empties + stage * 8, turn));
        }
        stage = stage + 1 == stages ? 0 : stage + 1;
        turn = turn + 1 == ranks ? 0 : turn + 1;
      }
    } else {
#pragma unroll 1
      for (std::uint32_t fill = 0; fill < launch.fills && !late; ++fill) {
        if (turn == rank) {
          if (fill >= stages) {
            late |= !wait_in_step(empties + stage * 8, empty_parity >> stage & 1);
            empty_parity ^= 1U << stage;
          }
          if (leader) {
            if constexpr (kTensor)
              tensor_load_2d_all(to + stage * tile_bytes, &launch.map, tile * launch.box_rows,
                                 fulls + stage * 8, mask);
            else
              bulk_load_all(to + stage * tile_bytes,
                            launch.walk.source + std::uint64_t{tile} * tile_words, tile_bytes,
                            fulls + stage * 8, mask);
          }
        }
        tile = next_tile(launch.walk, tile, step);
        stage = stage + 1 == stages ? 0 : stage + 1;
        turn = turn + 1 == ranks ? 0 : turn + 1;
      }
    }
    note_stop(timing, kThreads / kWarp);
    if (late) *launch.results.failed = kLate;
    __syncthreads();

    std::uint32_t bad = 0;
    for (std::uint32_t s = 0; s < stages; ++s) {
      const std::uint32_t last =
          tile_of(launch.walk, std::uint64_t{round + 1} * launch.fills - stages + s, slot, launch.streams);
      bad += wrong_bytes(tiles + s * tile_words, last * tile_words, tile_words, threadIdx.x, kThreads,
                         [](std::uint32_t i) { return i; });
    }
    if (bad != 0) atomicAdd(&timing.bad_bytes, bad);
    __syncthreads();
    if (threadIdx.x == 0) write_round(launch.results, timing, 1, cta * launch.rounds + round);
    // No tile of the next round may come before all have looked at those of this one.
    ptx::cluster_sync();
    if (ptx::load_volatile(launch.results.failed) != 0) break;
  }
  ptx::cluster_sync();
}

}  // namespace

const void* multicast_kernel_for(const Copy& c) {
  return c.path == CopyPath::tma ? reinterpret_cast<const void*>(&multicast_kernel<true>)
                                 : reinterpret_cast<const void*>(&multicast_kernel<false>);
}

}  // namespace plumb::copy

// SPDX-License-Identifier: Apache-2.0
// Every thread fills places of its own in shared memory by cp.async, `S` of them on their way at once. The
// number of groups that wait_group leaves is part of the instruction, hence a kernel for each S.
#include "copy/device.cuh"

namespace plumb::copy {
namespace {

constexpr int kTogether = 4;  // fills from one meeting to the next

template <int W, int S, bool InStep>
__global__ void __launch_bounds__(kMostCopyThreads, 1)
    ldgsts_kernel(const __grid_constant__ CopyLaunch launch) {
  extern __shared__ __align__(1024) std::uint32_t tiles[];
  __shared__ Timing timing;

  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t warps = blockDim.x / kWarp;
  const std::uint32_t slot = cuda::take_place(launch.grid, &timing.slot);
  if (slot == cuda::kIdle) return;
  const std::uint32_t cta = slot * launch.grid.ranks + rank;
  const std::uint32_t stream = stream_of(launch.sharing, slot, launch.grid.ranks, rank);
  if (threadIdx.x == 0) launch.results.smid[cta] = ptx::smid();
  warm_up(launch.route);

  const std::uint32_t tile_words = launch.route.tile_bytes / 4;
  const std::uint32_t mine = threadIdx.x * (W / 4);
  const std::uint32_t to = ptx::shared_address(tiles + mine);
  const std::uint32_t step = step_of(launch.route, launch.streams);
  const auto* from = launch.route.source + mine;

#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    for (std::uint32_t i = threadIdx.x; i < S * tile_words; i += blockDim.x) tiles[i] = kPoison;
    begin_round(timing);
    std::uint32_t tile = tile_of(launch.route, std::uint64_t{round} * launch.fills, stream, launch.streams);
    __syncthreads();
    if (!cuda::start_together(launch.grid, round)) *launch.results.failed = kNoStart;
    ptx::cluster_sync();

    note_start(timing);
    const auto issue = [&](int s) {
      copy_async<W>(to + static_cast<std::uint32_t>(s) * launch.route.tile_bytes,
                    from + std::uint64_t{tile} * tile_words);
      commit_group();
      tile = next_tile(launch.route, tile, step);
    };
#pragma unroll
    for (int s = 0; s < S; ++s) issue(s);
#pragma unroll 1
    for (std::uint32_t left = launch.fills - S; left != 0; left -= S) {
#pragma unroll
      for (int s = 0; s < S; ++s) {
        wait_group<S - 1>();
        if constexpr (InStep)
          if (s % kTogether == 0) __syncthreads();
        issue(s);
      }
    }
    wait_group<0>();
    note_stop(timing, warps);
    __syncthreads();

    // The last S fills are still there.
    std::uint32_t bad = 0;
    for (std::uint32_t s = 0; s < S; ++s) {
      const std::uint32_t last =
          tile_of(launch.route, std::uint64_t{round + 1} * launch.fills - S + s, stream, launch.streams);
      bad += wrong_bytes(tiles + s * tile_words, last * tile_words, tile_words, threadIdx.x, blockDim.x,
                         [](std::uint32_t i) { return i; });
    }
    if (bad != 0) atomicAdd(&timing.bad_bytes, bad);
    __syncthreads();
    if (threadIdx.x == 0) write_round(launch.results, timing, warps, cta * launch.rounds + round);
    __syncthreads();
  }
  ptx::cluster_sync();
}

template <int W>
const void* by_stages(int stages) {
  switch (stages) {
    case 1:
      return reinterpret_cast<const void*>(&ldgsts_kernel<W, 1, false>);
    case 2:
      return reinterpret_cast<const void*>(&ldgsts_kernel<W, 2, false>);
    case 4:
      return reinterpret_cast<const void*>(&ldgsts_kernel<W, 4, false>);
    case 8:
      return reinterpret_cast<const void*>(&ldgsts_kernel<W, 8, false>);
    case 12:
      return reinterpret_cast<const void*>(&ldgsts_kernel<W, 12, false>);
    default:
      return reinterpret_cast<const void*>(&ldgsts_kernel<W, 16, false>);
  }
}

const void* in_step(int stages) {
  switch (stages) {
    case 8:
      return reinterpret_cast<const void*>(&ldgsts_kernel<16, 8, true>);
    case 12:
      return reinterpret_cast<const void*>(&ldgsts_kernel<16, 12, true>);
    default:
      return reinterpret_cast<const void*>(&ldgsts_kernel<16, 16, true>);
  }
}

}  // namespace

const void* ldgsts_kernel_for(const Copy& c) {
  if (c.in_step) return in_step(c.stages);
  return c.width == 4   ? by_stages<4>(c.stages)
         : c.width == 8 ? by_stages<8>(c.stages)
                        : by_stages<16>(c.stages);
}

}  // namespace plumb::copy

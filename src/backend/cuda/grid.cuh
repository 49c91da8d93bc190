// SPDX-License-Identifier: Apache-2.0
// How the clusters of one grid agree on who works, and start together.
#pragma once

#include "backend/cuda/grid.h"
#include "backend/cuda/ptx.cuh"

namespace plumb::cuda {

/// Waits until `target` arrivals have been counted, this one included. False after kTimeoutCycles. For one
/// thread of a cluster.
__device__ inline bool meet(const Grid& grid, std::uint32_t target) {
  ptx::arrive_gpu(grid.arrivals);
  const std::int64_t start = ptx::clock();
  while (ptx::load_acquire_gpu(grid.arrivals) < target)
    if (ptx::clock() - start > kTimeoutCycles) return false;
  return true;
}

/// Gives this cluster its place among those that work, or kIdle, once all clusters of the grid are on the
/// card. For all threads; `slot` is in shared memory. A cluster that comes too late works alone: its host
/// sees that others are missing.
__device__ inline std::uint32_t take_place(const Grid& grid, std::uint32_t* slot) {
  // The shared memory of a peer may be written only once that peer has started (CUDA programming guide).
  ptx::cluster_sync();
  if (ptx::cluster_rank() == 0 && threadIdx.x == 0) {
    std::uint32_t mine = blockIdx.x / grid.ranks;
    if (grid.works != nullptr) mine = grid.works[ptx::smid()] != 0 ? atomicAdd(grid.tickets, 1U) : kIdle;
    if (mine >= grid.workers) mine = kIdle;
    for (std::uint32_t r = 0; r < grid.ranks; ++r)
      ptx::store_cluster_word(ptx::map_to_rank(ptx::shared_address(slot), r), mine);
    if (grid.clusters > 1) meet(grid, grid.clusters);
  }
  ptx::cluster_sync();
  return *slot;
}

/// Lets the clusters that work go on together, the `round`th time (from 0). For the thread that meets for its
/// cluster; true for all others, and false where a cluster did not come in time.
__device__ inline bool start_together(const Grid& grid, std::uint32_t round) {
  if (grid.workers == 1 || ptx::cluster_rank() != 0 || threadIdx.x != 0) return true;
  return meet(grid, grid.clusters + (round + 1) * grid.workers);
}

}  // namespace plumb::cuda

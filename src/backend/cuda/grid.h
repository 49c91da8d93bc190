// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cuda/memory.h"
#include "core/site.h"

namespace plumb::cuda {

/// Which clusters of a grid work, and where they meet. Pointers are to device memory; grid.cuh uses it.
struct Grid {
  const std::uint8_t* works;  ///< [SM]: whether a cluster whose rank 0 is there may work; null: all may
  std::uint32_t* tickets;     ///< handed out so far to clusters that work
  std::uint32_t* arrivals;    ///< of clusters at all meetings so far
  std::uint32_t ranks;        ///< CTAs of a cluster
  std::uint32_t clusters;     ///< in the grid, all on the card at once
  std::uint32_t workers;      ///< how many of them work
};

inline constexpr std::uint32_t kIdle = 0xFFFFFFFFU;

/// A completion or a meeting that has not come after this long never will.
inline constexpr std::int64_t kTimeoutCycles = 40'000'000;

/// A grid of clusters.
struct Clusters {
  std::uint32_t ranks = 1;  ///< CTAs of each
  std::uint32_t clusters = 1;
  std::uint32_t preferred = 0;  ///< CTAs of a cluster that the hardware is to try first; 0: no such wish
  int threads = 32;
  std::int64_t shared_bytes = 0;
  Policy policy = Policy::standard;
};

/// Lets a kernel have clusters of 16 and so much dynamic shared memory. Throws Error (device).
void allow_clusters(const void* kernel, std::int64_t shared_bytes, std::string_view what);

/// How many clusters of this kind the driver says are on the card at once. Throws Error (device).
[[nodiscard]] int fitting(const void* kernel, const Clusters& clusters, std::string_view what);

/// Launches `kernel`, which takes the one argument, and waits. Returns the nanoseconds between CUDA events
/// before and after it. Throws Error (device).
double launch(const void* kernel, const Clusters& clusters, const void* argument, std::string_view what);

[[nodiscard]] int sm_count();
/// The dynamic shared memory of a CTA of which an SM holds `per_sm` and no more.
[[nodiscard]] std::int64_t share_of_an_sm(int per_sm);

/// A kernel to be launched in clusters as a Site asks. Every call throws Error: caller for what the card
/// cannot hold, device where CUDA fails.
class ClusterLaunch {
 public:
  /// `kernel` takes one argument, a structure that has `grid()` in it.
  ClusterLaunch(const void* kernel, std::string name, int ranks, int threads, std::int64_t shared_bytes,
                const Site& site);

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] std::size_t workers() const noexcept { return grid_.workers; }

  /// Launches, after the Site's heat, and waits. Returns the nanoseconds of the launch by CUDA events.
  template <class Argument>
  double run(const Argument& argument) {
    return run_with(&argument);
  }

 private:
  double run_with(const void* argument);

  const void* kernel_;
  std::string name_;
  int threads_;
  std::int64_t shared_bytes_;
  Site site_;
  DeviceArray<std::uint32_t> counters_;
  DeviceArray<std::uint8_t> works_;
  Grid grid_{};
};

/// Compute capability of the current device, ten times: 90 is Hopper. Throws Error (device).
[[nodiscard]] int compute_capability();

/// The SMs of each GPC in rising order, by the launch of many clusters of every size: SMs that were ever in
/// one cluster share a GPC. GPCs in the order of their lowest SM. A TPC that is never in a cluster with
/// another stands alone. Found once a process.
[[nodiscard]] const std::vector<std::vector<int>>& gpcs();

}  // namespace plumb::cuda

// SPDX-License-Identifier: Apache-2.0
// One thread's accesses, and the payload that they move. What is timed is here.
#pragma once

#include "backend/cuda/ptx.cuh"
#include "dsm/access_forms.cuh"
#include "dsm/access_kernel.h"

namespace plumb::dsm {

inline constexpr std::uint32_t kWordStep = 0x9E3779B1U;  // odd: all words of a window differ
inline constexpr std::uint32_t kCarry = 0x10001U;  // above the word that is added: a 64-bit add must carry

// What word `index` of a window holds is key + index * kWordStep.
__device__ inline std::uint32_t payload_key(std::uint64_t seed, std::uint32_t round) {
  std::uint64_t x = seed + 0x9E3779B97F4A7C15ULL * (round + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<std::uint32_t>(x >> 32);
}

template <class Form>
inline constexpr int width_of = 16;  // BulkCopy: what a thread compares at once
template <template <int> class Form, int W>
inline constexpr int width_of<Form<W>> = W;

template <int W>
__device__ __forceinline__ Words<W> payload(std::uint32_t key, std::uint32_t offset) {
  Words<W> v;
#pragma unroll
  for (std::uint32_t i = 0; i < W / 4; ++i) v.w[i] = key + (offset / 4 + i) * kWordStep;
  return v;
}

template <int W>
__device__ __forceinline__ Words<W> addend(std::uint32_t key) {
  Words<W> v;
  v.w[0] = key | 1;
  if constexpr (W == 8) v.w[1] = kCarry;
  return v;
}

// One thread's part of a sample. `issue` is all that is timed.
template <class Form, int U>
class Walker {
  static constexpr int kWidth = width_of<Form>;
  using Address = typename Form::Address;

 public:
  __device__ Walker(const std::uint32_t* offsets, std::uint32_t warp, std::uint32_t lane) {
#pragma unroll
    for (std::uint32_t u = 0; u < U; ++u) offset_[u] = offsets[(warp * U + u) * kLanes + lane];
  }

  // Loads return the sum of all words that came.
  __device__ __forceinline__ std::uint32_t issue(Address base, std::uint32_t key, std::uint32_t walks,
                                                 std::uint32_t arrival, Clocks& c) const {
    Address at[U];
#pragma unroll
    for (int u = 0; u < U; ++u) at[u] = base + offset_[u];
    if constexpr (Form::kWay == Way::load) {
      // A sum for each access of a batch: one sum for all would make a chain as long as the batch.
      std::uint32_t sums[U] = {};
      start(c);
#pragma unroll 1
      for (std::uint32_t walk = 0; walk < walks; ++walk) {
        Words<kWidth> v[U];
#pragma unroll
        for (int u = 0; u < U; ++u) v[u] = Form::load(at[u]);
        // Or the assembler would load once and for all. (A store that never happens keeps it from that too,
        // but holds the port of the shared memory for a cycle.)
        cuda::ptx::warp_sync();
#pragma unroll
        for (int u = 0; u < U; ++u)
#pragma unroll
          for (int i = 0; i < kWidth / 4; ++i) sums[u] += v[u].w[i];
      }
      std::uint32_t sum = 0;
#pragma unroll
      for (int u = 0; u < U; ++u) sum += sums[u];
      cuda::ptx::wait_for(sum);
      c.stop_cycles = cuda::ptx::clock();
      return sum;
    } else {
      Words<kWidth> v[U];
#pragma unroll
      for (int u = 0; u < U; ++u) {
        if constexpr (Form::kWay == Way::add)
          v[u] = addend<kWidth>(key);
        else
          v[u] = payload<kWidth>(key, offset_[u]);
      }
      start(c);
#pragma unroll 1
      for (std::uint32_t walk = 0; walk < walks; ++walk) {
#pragma unroll
        for (int u = 0; u < U; ++u) Form::issue(at[u], v[u], arrival);
      }
      if constexpr (!Form::kMbarrier) cuda::ptx::fence_cluster();
      c.stop_cycles = cuda::ptx::clock();
      return 0;
    }
  }

  __device__ std::uint32_t expected(std::uint32_t key, std::uint32_t walks) const {
    std::uint32_t sum = 0;
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const Words<kWidth> v = payload<kWidth>(key, offset_[u]);
#pragma unroll
      for (int i = 0; i < kWidth / 4; ++i) sum += v.w[i];
    }
    return sum * walks;
  }

 private:
  static __device__ __forceinline__ void start(Clocks& c) {
    cuda::ptx::cluster_sync();
    c.start_cycles = cuda::ptx::clock();
  }

  std::uint32_t offset_[U];
};

// Bulk copies: the window is walked command by command, and one thread of each warp does it.
template <int U>
class Walker<BulkCopy, U> {
 public:
  __device__ Walker(const std::uint32_t* offsets, std::uint32_t warp, std::uint32_t /*lane*/)
      : offsets_(offsets), warp_(warp) {}

  __device__ __forceinline__ void issue(const AccessLaunch& launch, std::uint32_t from, std::uint32_t to,
                                        std::uint32_t arrival, Clocks& c) const {
    const std::uint32_t width = launch.width;
    const std::uint32_t walks = launch.walks;
    const std::uint32_t first = offsets_[warp_ * launch.in_flight];
    const std::uint32_t end = first + launch.in_flight * width;
    cuda::ptx::cluster_sync();
    c.start_cycles = cuda::ptx::clock();
    if (threadIdx.x % kLanes == 0) {
#pragma unroll 1
      for (std::uint32_t walk = 0; walk < walks; ++walk)
#pragma unroll 1
        for (std::uint32_t at = first; at < end; at += width)
          cuda::ptx::put(to + at, from + at, width, arrival);
    }
    c.stop_cycles = cuda::ptx::clock();
  }

 private:
  const std::uint32_t* offsets_;
  std::uint32_t warp_;
};

}  // namespace plumb::dsm

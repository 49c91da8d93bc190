// SPDX-License-Identifier: Apache-2.0
// Warps that keep a memory busy while flows run.
#pragma once

#include "backend/cuda/ptx.cuh"
#include "dsm/traffic_kernel.h"

namespace plumb::dsm {

/// What shared-memory backgrounds read: one 32-way bank conflict's worth.
struct alignas(16) Pressure {
  uint4 words[256];
};

/// Counts one flow of the cluster as complete wherever a background waits for that.
__device__ inline void tell_backgrounds(std::uint32_t ranks, std::uint32_t flows_done) {
#pragma unroll 1
  for (; ranks != 0; ranks &= ranks - 1)
    cuda::ptx::add_cluster(cuda::ptx::map_to_rank(flows_done, __ffs(static_cast<int>(ranks)) - 1), 1);
}

/// One warp's reads. Built before the start barrier, so that nothing is looked up in the timed part.
class Reader {
 public:
  __device__ Reader(Memory memory, const void* global, const Pressure* pressure, std::uint32_t warp,
                    std::uint32_t round)
      : memory_(memory), lane_(threadIdx.x % 32), shared_(cuda::ptx::shared_address(pressure)) {
    // Every warp and round begins elsewhere, so that DRAM is not read from L2 by the next round.
    const std::uint64_t scattered = (std::uint64_t{round} * 8191 + warp) * 0x9E3779B97F4A7C15ULL;
    mask_ = (memory == Memory::l2 ? kL2Bytes : kDramBytes) / 16 - 1;
    first_ = static_cast<std::uint32_t>(scattered >> 32) & mask_ & ~std::uint32_t{31};
    global_ = static_cast<const uint4*>(global);
  }

  /// Reads until the word at `done` in shared memory has reached `target`; returns the bytes read.
  __device__ __forceinline__ std::uint32_t run(std::uint32_t done, std::uint32_t target) const {
    switch (memory_) {
      case Memory::shared:
        return repeat<512>(done, target, [&](std::uint32_t, std::uint32_t u) {
          return all_of(cuda::ptx::load_shared(shared_ + ((u * 32 + lane_) % 256) * 16));
        });
      case Memory::shared_conflict:
        return repeat<128>(done, target, [&](std::uint32_t, std::uint32_t u) {
          return cuda::ptx::load_shared_word(shared_ + lane_ * 128 + (u % 32) * 4);
        });
      default:
        return repeat<512>(done, target, [&](std::uint32_t i, std::uint32_t u) {
          return all_of(cuda::ptx::load_global(global_ + ((first_ + (i + u) * 32 + lane_) & mask_)));
        });
    }
  }

 private:
  static constexpr int kInFlight = 4;  // of a thread, in CTAs of any size

  // The assembler makes a 4-byte load of a 16-byte load of which one word is used.
  __device__ static std::uint32_t all_of(uint4 v) { return (v.x ^ v.y) ^ (v.z ^ v.w); }

  template <std::uint32_t Bytes, class Load>
  __device__ __forceinline__ std::uint32_t repeat(std::uint32_t done, std::uint32_t target,
                                                  Load&& load) const {
    std::uint32_t count = 0;
    std::uint32_t sum = 0;
#pragma unroll 1
    while (cuda::ptx::load_shared_word(done) < target) {
      std::uint32_t v[kInFlight];
#pragma unroll
      for (std::uint32_t u = 0; u < kInFlight; ++u) v[u] = load(count, u);
#pragma unroll
      for (std::uint32_t u = 0; u < kInFlight; ++u) sum ^= v[u];
      count += kInFlight;
    }
    cuda::ptx::wait_for(sum);
    return count * Bytes;
  }

  Memory memory_;
  std::uint32_t lane_;
  std::uint32_t shared_;
  std::uint32_t first_;
  std::uint32_t mask_;
  const uint4* global_;
};

}  // namespace plumb::dsm

// SPDX-License-Identifier: Apache-2.0
// All threads of the chosen SMs read or write windows of global memory that sit in L2.
#include "backend/cuda/grid.cuh"
#include "topology/kernels.h"

namespace plumb::topology {
namespace {

namespace ptx = cuda::ptx;

__device__ __forceinline__ void store(uint4* p, uint4 v) {
  asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

// Never the same for two samples, so that what an earlier one wrote cannot stand for what this one should.
__device__ __forceinline__ uint4 written(std::uint32_t word, std::uint32_t sample) {
  return {word, sample, ~word, word ^ sample};
}

struct Read {
  __device__ static std::uint32_t pass(uint4* window, std::uint32_t mask, std::uint32_t from,
                                       std::uint32_t /*sample*/) {
    uint4 v[kWalkAccesses];
#pragma unroll
    for (int i = 0; i < kWalkAccesses; ++i)
      v[i] = ptx::load_global(window + ((from + i * kWalkThreads) & mask));
    std::uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < kWalkAccesses; ++i) sum += v[i].x + v[i].y + v[i].z + v[i].w;
    return sum;
  }
  __device__ static void finish() {}
  __device__ static std::uint32_t wrong(const uint4* /*window*/, std::uint32_t /*words*/,
                                        std::uint32_t /*sample*/) {
    return 0;
  }
};

struct Write {
  __device__ static std::uint32_t pass(uint4* window, std::uint32_t mask, std::uint32_t from,
                                       std::uint32_t sample) {
#pragma unroll
    for (int i = 0; i < kWalkAccesses; ++i) {
      const std::uint32_t word = (from + i * kWalkThreads) & mask;
      store(window + word, written(word, sample));
    }
    return 0;
  }
  __device__ static void finish() { __threadfence(); }
  __device__ static std::uint32_t wrong(const uint4* window, std::uint32_t words, std::uint32_t sample) {
    std::uint32_t count = 0;
    for (std::uint32_t word = threadIdx.x; word < words; word += kWalkThreads) {
      const uint4 is = ptx::load_global(window + word);
      const uint4 must = written(word, sample);
      count += (is.x != must.x) + (is.y != must.y) + (is.z != must.z) + (is.w != must.w);
    }
    return count;
  }
};

template <class Op>
__device__ __forceinline__ std::uint32_t walk(const WalkLaunch& launch, uint4* window, std::uint32_t rounds,
                                              std::uint32_t sample) {
  constexpr std::uint32_t kStep = kWalkThreads * kWalkAccesses;
  const std::uint32_t mask = launch.words - 1;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t r = 0; r < rounds; ++r) {
#pragma unroll 1
    for (std::uint32_t from = threadIdx.x; from < max(launch.words, kStep); from += kStep)
      sum += Op::pass(window, mask, from, sample);
  }
  Op::finish();
  return sum;
}

__device__ __forceinline__ void add(std::uint32_t* total, std::uint32_t mine) {
  const std::uint32_t of_warp = __reduce_add_sync(0xFFFFFFFFU, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(total, of_warp);
}

// The CTAs that walk, the `times`th time (from 0).
__device__ __forceinline__ void meet(const WalkLaunch& launch, std::uint32_t times) {
  __syncthreads();
  if (threadIdx.x == 0) cuda::meet(launch.grid, launch.grid.clusters + (times + 1) * launch.walkers);
  __syncthreads();
}

template <class Op>
__global__ void __launch_bounds__(kWalkThreads, 1) walk_kernel(const __grid_constant__ WalkLaunch launch) {
  __shared__ std::uint32_t slot;
  __shared__ std::uint32_t total;
  cuda::take_place(launch.grid, &slot);
  const std::uint32_t sm = ptx::smid();
  if (launch.walks[sm] == 0) return;
  uint4* const window = static_cast<uint4*>(launch.memory) + launch.apart * sm;
#pragma unroll 1
  for (std::uint32_t sample = 0; sample < launch.samples; ++sample) {
    if (threadIdx.x == 0) total = 0;
    walk<Op>(launch, window, 1, sample);  // brings the window into L2, and the code into its caches
    meet(launch, 2 * sample);
    Span span;
    span.start_ns = ptx::globaltimer();
    span.start_cycles = ptx::clock();
    // What was read is used before the clock is read.
    add(&total, walk<Op>(launch, window, launch.rounds, sample));
    __syncthreads();
    span.stop_cycles = ptx::clock();
    span.stop_ns = ptx::globaltimer();
    add(&total, Op::wrong(window, launch.words, sample));
    // Nobody writes the next sample's words while another still looks at these.
    meet(launch, 2 * sample + 1);
    if (threadIdx.x != 0) continue;
    launch.spans[sample * launch.sms + sm] = span;
    launch.sums[sample * launch.sms + sm] = total;
  }
}

}  // namespace

const void* walk_kernel_for(WalkOp op) {
  return op == WalkOp::read ? reinterpret_cast<const void*>(&walk_kernel<Read>)
                            : reinterpret_cast<const void*>(&walk_kernel<Write>);
}

}  // namespace plumb::topology

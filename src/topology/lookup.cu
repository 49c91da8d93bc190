// SPDX-License-Identifier: Apache-2.0
// One thread of an SM times dependent loads from L2, address by address. Every address holds zero, and
// nothing else does: a load that brings another value has gone wrong.
#include "backend/cuda/grid.cuh"
#include "plumb/core/lookup.h"
#include "topology/kernels.h"

namespace plumb::topology {
namespace {

namespace ptx = cuda::ptx;

constexpr std::uint32_t kWarmUps = 2;         // walks over all addresses that nobody times
constexpr std::int64_t kSettleCycles = 6000;  // for the other SMs to fall silent

__device__ __forceinline__ std::uint32_t load(const std::uint32_t* p) {
  std::uint32_t v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__global__ void __launch_bounds__(kLookupThreads, 1)
    lookup_kernel(const __grid_constant__ LookupLaunch launch) {
  extern __shared__ std::uint32_t cycles[];
  __shared__ std::uint32_t slot;
  __shared__ std::uint32_t seen;
  cuda::take_place(launch.grid, &slot);
  const std::uint32_t sm = ptx::smid();
  if (threadIdx.x != 0 || (launch.target != kAllSms && launch.target != sm)) return;
  const std::int64_t silent = ptx::clock() + kSettleCycles;
  while (ptx::clock() < silent) {
  }
#pragma unroll 1
  for (std::uint32_t walk = 0; walk < kWarmUps + launch.samples; ++walk) {
    std::uint32_t bad = 0;
    Span span;
    span.start_ns = ptx::globaltimer();
    span.start_cycles = ptx::clock();
#pragma unroll 1
    for (std::uint32_t a = 0; a < launch.addresses; ++a) {
      const std::uint32_t* p = launch.memory + launch.offsets[a];
      const std::int64_t start = ptx::clock();
      std::uint32_t v = 0;
#pragma unroll
      for (int i = 0; i < kLookupLoads; ++i) v = load(p + v);
      // The store waits for the last load, and the clock is read after it.
      asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(ptx::shared_address(&seen)), "r"(v) : "memory");
      cycles[a] = static_cast<std::uint32_t>(ptx::clock() - start);
      bad += v != 0 ? 1U : 0U;
    }
    span.stop_cycles = ptx::clock();
    span.stop_ns = ptx::globaltimer();
    if (walk < kWarmUps) continue;
    const std::size_t at = static_cast<std::size_t>(walk - kWarmUps) * launch.sms + sm;
    for (std::uint32_t a = 0; a < launch.addresses; ++a) launch.cycles[at * launch.addresses + a] = cycles[a];
    launch.spans[at] = span;
    launch.bad[at] = bad;
  }
}

}  // namespace

const void* lookup_kernel_entry() { return reinterpret_cast<const void*>(&lookup_kernel); }

}  // namespace plumb::topology

// SPDX-License-Identifier: Apache-2.0
// One thread follows a chain of pointers.
#include "copy/device.cuh"

namespace plumb::copy {
namespace {

constexpr std::uint32_t kUnroll = 4;

struct Here {
  std::uint32_t landing;  // shared address of 16 bytes
  std::uint32_t barrier;
  std::uint32_t parity;
};

__device__ __forceinline__ std::uint64_t load_landing(std::uint32_t at) {
  std::uint64_t v;
  asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(v) : "r"(at) : "memory");
  return v;
}

template <ChaseWay W>
__device__ __forceinline__ std::uint64_t follow(std::uint64_t at, Here& here) {
  std::uint64_t next = at;
  if constexpr (W == ChaseWay::add) {
    asm volatile("add.u64 %0, %0, 16;" : "+l"(next));
  } else if constexpr (W == ChaseWay::shared) {
    next = load_landing(static_cast<std::uint32_t>(at));
  } else if constexpr (W == ChaseWay::load) {
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
  } else if constexpr (W == ChaseWay::load_l2) {
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
  } else if constexpr (W == ChaseWay::ldgsts) {
    copy_async<16>(here.landing, reinterpret_cast<const void*>(at));
    commit_group();
    wait_group<0>();
    next = load_landing(here.landing);
  } else {
    ptx::expect_bytes(here.barrier, 16);
    bulk_load(here.landing, reinterpret_cast<const void*>(at), 16, here.barrier);
    while (!try_wait(here.barrier, here.parity)) {
    }
    here.parity ^= 1;
    next = load_landing(here.landing);
  }
  return next;
}

template <ChaseWay W>
__global__ void __launch_bounds__(kWarp, 1) chase_kernel(const __grid_constant__ ChaseLaunch launch) {
  extern __shared__ __align__(128) std::uint64_t memory[];
  __shared__ Timing timing;
  __shared__ alignas(16) std::uint64_t landing[2];
  __shared__ std::uint64_t barrier;

  const std::uint32_t slot = cuda::take_place(launch.grid, &timing.slot);
  if (slot == cuda::kIdle) return;
  if (threadIdx.x == 0) launch.results.smid[slot] = ptx::smid();
  const bool shared = W == ChaseWay::shared;
  const std::uint64_t base =
      shared ? ptx::shared_address(memory) : reinterpret_cast<std::uint64_t>(launch.chain);
  if (shared)
    for (std::uint64_t i = threadIdx.x; i < launch.nodes; i += kWarp)
      memory[i * launch.stride / 8] = base + (i + launch.step) % launch.nodes * launch.stride;
  if (threadIdx.x == 0) ptx::init_barrier(ptx::shared_address(&barrier));
  ptx::fence_barrier_init();
  __syncthreads();
  if (threadIdx.x != 0) return;

  Here here{ptx::shared_address(landing), ptx::shared_address(&barrier), 0};
  std::uint64_t node = 0;
  std::uint64_t at = base;
  if (launch.warm != 0)
    for (std::uint64_t i = 0; i < launch.nodes; ++i) at = follow<W>(at, here);
#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    // A chain of one node is at another place in each sample.
    if (launch.nodes == 1 && W != ChaseWay::add) {
      at = base + round * launch.stride;
      at = follow<W>(at, here);
    }
    Clocks c{};
    c.start_ns = ptx::globaltimer();
    c.start_cycles = ptx::clock();
    const std::uint64_t first = at;
#pragma unroll 1
    for (std::uint32_t i = 0; i < launch.links; i += kUnroll) {
#pragma unroll
      for (std::uint32_t u = 0; u < kUnroll; ++u) at = follow<W>(at, here);
    }
    ptx::wait_for(static_cast<std::uint32_t>(at));
    c.stop_cycles = ptx::clock();
    c.stop_ns = ptx::globaltimer();
    node = (node + launch.links * std::uint64_t{launch.step}) % launch.nodes;
    const std::uint64_t must = W == ChaseWay::add  ? first + launch.links * 16ULL
                               : launch.nodes == 1 ? first
                                                   : base + node * launch.stride;
    launch.results.clocks[slot * launch.rounds + round] = c;
    launch.results.bad_bytes[slot * launch.rounds + round] = at == must ? 0 : 8;
  }
  ptx::invalidate_barrier(here.barrier);
}

__global__ void chain_kernel(char* chain, std::uint64_t nodes, std::uint64_t stride, std::uint64_t step) {
  const std::uint64_t all = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < nodes; i += all)
    *reinterpret_cast<std::uint64_t*>(chain + i * stride) =
        reinterpret_cast<std::uint64_t>(chain) + (step == 0 ? i : (i + step) % nodes) * stride;
}

__global__ void flush_kernel(const uint4* from, std::uint64_t count, std::uint32_t* to) {
  const std::uint64_t all = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint32_t sum = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all)
    sum ^= ptx::load_global(from + i).x;
  if (sum == 0xDEADBEEFU) *to = sum;  // never, as far as the compiler knows
}

}  // namespace

const void* chase_kernel_for(const Chase& c) {
  switch (c.way) {
    case ChaseWay::add:
      return reinterpret_cast<const void*>(&chase_kernel<ChaseWay::add>);
    case ChaseWay::shared:
      return reinterpret_cast<const void*>(&chase_kernel<ChaseWay::shared>);
    case ChaseWay::load:
      return reinterpret_cast<const void*>(&chase_kernel<ChaseWay::load>);
    case ChaseWay::load_l2:
      return reinterpret_cast<const void*>(&chase_kernel<ChaseWay::load_l2>);
    case ChaseWay::ldgsts:
      return reinterpret_cast<const void*>(&chase_kernel<ChaseWay::ldgsts>);
    default:
      return reinterpret_cast<const void*>(&chase_kernel<ChaseWay::bulk>);
  }
}

void write_chain(void* chain, std::uint64_t nodes, std::uint64_t stride, std::uint64_t step) {
  chain_kernel<<<1024, 256>>>(static_cast<char*>(chain), nodes, stride, step);
  cuda::check(cudaGetLastError(), "launching the kernel that writes a chain");
  cuda::check(cudaDeviceSynchronize(), "writing a chain");
}

void flush_l2(const std::uint32_t* source, std::uint64_t bytes, std::uint32_t* scratch) {
  flush_kernel<<<1024, 256>>>(reinterpret_cast<const uint4*>(source), bytes / sizeof(uint4), scratch);
  cuda::check(cudaGetLastError(), "launching the kernel that flushes the L2");
  cuda::check(cudaDeviceSynchronize(), "flushing the L2");
}

}  // namespace plumb::copy

// SPDX-License-Identifier: Apache-2.0
// The kernels that time mma.sync, the baseline that every card has.
#include "backend/cuda/grid.cuh"
#include "mma/accumulators.cuh"
#include "mma/kernel.h"

namespace plumb::mma {
namespace {

namespace ptx = cuda::ptx;
constexpr int kLanes = 32;
constexpr int kMostWarps = 16;

/// ".m16n8k16.row.col.f32.bf16.bf16.f32" by the number of the format and of the accumulators.
template <Number In, Kind D>
struct Sync {
  static constexpr Kind kD = D;
  static constexpr int kRegisters = D == Kind::f16 ? 2 : 4;
  static constexpr const char* name() {
    switch (In) {
      case Number::bf16:
        return "bf16";
      case Number::f16:
        return "f16";
      case Number::tf32:
        return "tf32";
      case Number::e4m3:
        return "e4m3";
      case Number::e5m2:
        return "e5m2";
      case Number::s8:
        return "s8";
      default:
        return "u8";
    }
  }
  static constexpr const char* output() { return D == Kind::f32 ? ".f32" : D == Kind::f16 ? ".f16" : ".s32"; }
  static constexpr int k() {
    return In == Number::tf32 ? 8 : In == Number::bf16 || In == Number::f16 ? 16 : 32;
  }
  struct Shape {
    static constexpr void write(Writer& w) {
      w << ".m16n8k" << k() << ".row.col" << output() << "." << name() << "." << name() << output();
    }
  };
};

/// acc[4 c] and on += A B. `First` is the number of the first accumulator.
template <class Op, int First>
__device__ __forceinline__ void issue(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned%6 %7, {%0, %1, %2, %3}, {%4, %5}, %7;" ::"r"(a[0]), "r"(a[1]), "r"(a[2]),
               "r"(a[3]), "r"(b[0]), "r"(b[1]), "C"(Text<typename Op::Shape>::text),
               "C"(Text<AccumulatorList<Op::kRegisters, First>>::text));
}

template <class Op, int... Chain>
__device__ __forceinline__ void issue_all(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                          std::integer_sequence<int, Chain...> /*which*/) {
  (issue<Op, Chain * Op::kRegisters>(a, b), ...);
}

template <int... I>
__device__ __forceinline__ void clear(std::integer_sequence<int, I...> /*which*/) {
  (set_accumulator<I>(0), ...);
}

/// Depends on every accumulator, so that who waits for it waits for the last product.
template <int... I>
__device__ __forceinline__ std::uint32_t mixed(std::integer_sequence<int, I...> /*which*/) {
  return (accumulator<I>() ^ ...);
}

struct Shared {
  std::int64_t start, stop, start_ns, stop_ns;
  std::uint32_t wrong;
  std::uint32_t slot;
};

template <Kind D, int Registers, int... I>
__device__ __forceinline__ std::uint32_t wrong_in_chains(const std::uint32_t* must, float bound,
                                                         std::integer_sequence<int, I...> /*which*/) {
  std::uint32_t wrong = 0;
  ((wrong += wrong_in<D>(accumulator<I>(), must[I % Registers * kLanes], bound)), ...);
  return wrong;
}

template <class Op, int Chains>
__global__ void __launch_bounds__(kMostWarps* kLanes, 1)
    mma_sync_kernel(const __grid_constant__ MmaLaunch launch) {
  __shared__ Shared shared;
  using All = std::make_integer_sequence<int, Op::kRegisters * Chains>;
  using Which = std::make_integer_sequence<int, Chains>;
  declare_accumulators<Op::kRegisters * Chains>();
  const std::uint32_t warp = threadIdx.x / kLanes;
  const std::uint32_t lane = threadIdx.x % kLanes;

  std::uint32_t a[kMmaSteps][4];
  std::uint32_t b[kMmaSteps][2];
  const std::uint32_t* of_b = launch.fragments + launch.groups * kMmaSteps * 4 * kLanes;
#pragma unroll
  for (int s = 0; s < kMmaSteps; ++s) {
#pragma unroll
    for (int r = 0; r < 4; ++r) a[s][r] = launch.fragments[((warp * kMmaSteps + s) * 4 + r) * kLanes + lane];
#pragma unroll
    for (int r = 0; r < 2; ++r) b[s][r] = of_b[(s * 2 + r) * kLanes + lane];
  }
  const std::uint32_t slot = cuda::take_place(launch.grid, &shared.slot);
  if (slot == cuda::kIdle) return;
  if (threadIdx.x == 0) launch.smid[slot] = ptx::smid();
  const std::uint32_t* must = launch.expected + warp * Op::kRegisters * kLanes + lane;

#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    if (threadIdx.x == 0) shared = {INT64_MAX, 0, 0, 0, 0, slot};
    if (!cuda::start_together(launch.grid, round)) launch.failed[slot] = kNoStart;
    std::int64_t start_ns = 0;
    std::int64_t start = 0;
    std::int64_t stop = 0;
    std::int64_t stop_ns = 0;
    // The first pass brings this very code into the instruction cache; the second is timed.
#pragma unroll 1
    for (std::uint32_t pass = 0; pass < 2; ++pass) {
      clear(All{});
      __syncthreads();
      start_ns = ptx::globaltimer();
      start = ptx::clock();
      const std::uint32_t batches = pass == 0 ? kMmaSteps : launch.batches;
#pragma unroll 1
      for (std::uint32_t batch = 0; batch < batches; batch += kMmaSteps) {
#pragma unroll
        for (int s = 0; s < kMmaSteps; ++s) issue_all<Op>(a[s], b[s], Which{});
      }
      ptx::wait_for(mixed(All{}));
      stop = ptx::clock();
      stop_ns = ptx::globaltimer();
    }
    const std::uint32_t wrong = wrong_in_chains<Op::kD, Op::kRegisters>(must, launch.bound, All{});
    if (wrong != 0) atomicAdd(&shared.wrong, wrong);
    if (lane == 0) {
      atomicMin(reinterpret_cast<long long*>(&shared.start), static_cast<long long>(start));
      atomicMax(reinterpret_cast<long long*>(&shared.stop), static_cast<long long>(stop));
    }
    if (threadIdx.x == 0) {
      shared.start_ns = start_ns;
      shared.stop_ns = stop_ns;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      launch.clocks[slot * launch.rounds + round] = {shared.start, shared.stop, shared.start_ns,
                                                     shared.stop_ns};
      launch.wrong[slot * launch.rounds + round] = shared.wrong;
    }
    __syncthreads();
    if (ptx::load_volatile(&launch.failed[slot]) != 0) break;
  }
}

template <class Op>
const void* by_chains(int chains) {
  const void* found = nullptr;
  if (chains == 1) found = reinterpret_cast<const void*>(&mma_sync_kernel<Op, 1>);
  if (chains == 2) found = reinterpret_cast<const void*>(&mma_sync_kernel<Op, 2>);
  if (chains == 4) found = reinterpret_cast<const void*>(&mma_sync_kernel<Op, 4>);
  if (chains == 8) found = reinterpret_cast<const void*>(&mma_sync_kernel<Op, 8>);
  return found;
}

}  // namespace

const void* mma_sync_kernel_for(const Mma& work) {
  const int chains = work.in_flight;
  switch (work.input) {
    case Number::bf16:
      return by_chains<Sync<Number::bf16, Kind::f32>>(chains);
    case Number::f16:
      return work.output == Number::f16 ? by_chains<Sync<Number::f16, Kind::f16>>(chains)
                                        : by_chains<Sync<Number::f16, Kind::f32>>(chains);
    case Number::tf32:
      return by_chains<Sync<Number::tf32, Kind::f32>>(chains);
    case Number::e4m3:
      return by_chains<Sync<Number::e4m3, Kind::f32>>(chains);
    case Number::e5m2:
      return by_chains<Sync<Number::e5m2, Kind::f32>>(chains);
    case Number::s8:
      return by_chains<Sync<Number::s8, Kind::s32>>(chains);
    default:
      return by_chains<Sync<Number::u8, Kind::s32>>(chains);
  }
}

}  // namespace plumb::mma

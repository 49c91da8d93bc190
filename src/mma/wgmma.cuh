// SPDX-License-Identifier: Apache-2.0
// The kernels that time wgmma: one for each instruction, made from the parts of its name.
#pragma once

#include "backend/cuda/grid.cuh"
#include "mma/accumulators.cuh"
#include "mma/kernel.h"

namespace plumb::mma {

namespace ptx = cuda::ptx;

/// Formats as PTX writes them, with what they need.
struct Bf16 {
  static constexpr const char* kName = "bf16";
  static constexpr Number kNumber = Number::bf16;
  static constexpr int kK = 16;
};
struct F16 {
  static constexpr const char* kName = "f16";
  static constexpr Number kNumber = Number::f16;
  static constexpr int kK = 16;
};
struct Tf32 {
  static constexpr const char* kName = "tf32";
  static constexpr Number kNumber = Number::tf32;
  static constexpr int kK = 8;
};
struct E4m3 {
  static constexpr const char* kName = "e4m3";
  static constexpr Number kNumber = Number::e4m3;
  static constexpr int kK = 32;
};
struct E5m2 {
  static constexpr const char* kName = "e5m2";
  static constexpr Number kNumber = Number::e5m2;
  static constexpr int kK = 32;
};
struct S8 {
  static constexpr const char* kName = "s8";
  static constexpr Number kNumber = Number::s8;
  static constexpr int kK = 32;
};
struct U8 {
  static constexpr const char* kName = "u8";
  static constexpr Number kNumber = Number::u8;
  static constexpr int kK = 32;
};

constexpr const char* name_of(Kind d) { return d == Kind::f32 ? "f32" : d == Kind::f16 ? "f16" : "s32"; }

/// One instruction of the family.
template <class In, Kind D, int N, bool Rs = false, bool Sparse = false, bool TransposeA = false,
          bool TransposeB = false>
struct Wgmma {
  using Input = In;
  static constexpr Kind kD = D;
  static constexpr int kN = N;
  static constexpr bool kRs = Rs;
  static constexpr bool kSparse = Sparse;
  static constexpr bool kHalf = In::kNumber == Number::bf16 || In::kNumber == Number::f16;
  static constexpr bool kInteger = D == Kind::s32;
  static constexpr int kRegisters = D == Kind::f16 ? N / 4 : N / 2;
  /// Threads of an SM whose registers hold the accumulators and what else a thread needs.
  static constexpr int kThreads = kWarpgroup * most_warpgroups(kRegisters, Rs);

  /// ".m64n128k16.f32.bf16.bf16"
  struct Shape {
    static constexpr void write(Writer& w) {
      w << ".m64n" << N << "k" << In::kK * (Sparse ? 2 : 1) << "." << name_of(D) << "." << In::kName << "."
        << In::kName;
    }
  };
  /// What stands after the predicate: signs, and majors of what is in shared memory.
  struct Tail {
    static constexpr void write(Writer& w) {
      if (!kInteger) w << ",1,1";
      if (kHalf && !Rs) w << "," << (TransposeA ? 1 : 0);
      if (kHalf) w << "," << (TransposeB ? 1 : 0);
    }
  };
  using Accumulators = AccumulatorList<kRegisters>;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// clang-format off
template <class Op>
__device__ __forceinline__ void issue(std::uint64_t a, std::uint64_t b, std::uint32_t add,
                                      std::uint32_t metadata) {
  if constexpr (Op::kSparse)
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %2, 0;\n\t"
                 "wgmma.mma_async.sp.sync.aligned%4 %5, %0, %1, %3, 0, p%6;\n\t}"
                 ::"l"(a), "l"(b), "r"(add), "r"(metadata), "C"(Text<typename Op::Shape>::text),
                 "C"(Text<typename Op::Accumulators>::text), "C"(Text<typename Op::Tail>::text) : "memory");
  else
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %2, 0;\n\t"
                 "wgmma.mma_async.sync.aligned%3 %4, %0, %1, p%5;\n\t}"
                 ::"l"(a), "l"(b), "r"(add), "C"(Text<typename Op::Shape>::text),
                 "C"(Text<typename Op::Accumulators>::text), "C"(Text<typename Op::Tail>::text) : "memory");
}

template <class Op>
__device__ __forceinline__ void issue(const std::uint32_t (&a)[4], std::uint64_t b, std::uint32_t add,
                                      std::uint32_t metadata) {
  if constexpr (Op::kSparse)
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %5, 0;\n\t"
                 "wgmma.mma_async.sp.sync.aligned%7 %8, {%0, %1, %2, %3}, %4, %6, 0, p%9;\n\t}"
                 ::"r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "r"(metadata),
                 "C"(Text<typename Op::Shape>::text), "C"(Text<typename Op::Accumulators>::text),
                 "C"(Text<typename Op::Tail>::text) : "memory");
  else
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %5, 0;\n\t"
                 "wgmma.mma_async.sync.aligned%6 %7, {%0, %1, %2, %3}, %4, p%8;\n\t}"
                 ::"r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add),
                 "C"(Text<typename Op::Shape>::text), "C"(Text<typename Op::Accumulators>::text),
                 "C"(Text<typename Op::Tail>::text) : "memory");
}
// clang-format on

__device__ __forceinline__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit_and_wait() {
  asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/// Where the A of each step is.
struct SharedA {
  std::uint64_t step[kMmaSteps];
};
struct RegisterA {
  std::uint32_t step[kMmaSteps][4];
};

/// All batches of a sample. A batch is one run of straight code: where a branch stood between two
/// instructions, the assembler would put a fence of its own before the second. With A in registers all steps
/// take the first B (draw() makes them equal): the assembler would load a second descriptor between two
/// instructions.
template <class Op, int InFlight, class A>
__device__ __forceinline__ void multiply(const A& a, const std::uint64_t (&b)[kMmaSteps],
                                         std::uint32_t batches, std::uint32_t metadata) {
#pragma unroll 1
  for (std::uint32_t batch = 0; batch < batches; ++batch) {
    fence();
#pragma unroll
    for (int i = 0; i < InFlight; ++i)
      issue<Op>(a.step[i % kMmaSteps], b[Op::kRs ? 0 : i % kMmaSteps], i == 0 ? 0 : 1, metadata);
    commit_and_wait();
  }
}

/// Clocks around all batches. The first pass, of one batch, brings this very code into the instruction cache;
/// the second is timed.
template <class Op, int InFlight, class A>
__device__ __forceinline__ MmaClocks timed(const A& a, const std::uint64_t (&b)[kMmaSteps],
                                           const MmaLaunch& launch) {
  MmaClocks c{};
#pragma unroll 1
  for (std::uint32_t pass = 0; pass < 2; ++pass) {
    const std::uint32_t batches = pass == 0 ? 1 : launch.batches;
    __syncthreads();
    c.start_ns = ptx::globaltimer();
    c.start_cycles = ptx::clock();
    multiply<Op, InFlight>(a, b, batches, launch.metadata);
    c.stop_cycles = ptx::clock();
    c.stop_ns = ptx::globaltimer();
  }
  return c;
}

template <class Op, class A, int... InFlight>
__device__ __forceinline__ MmaClocks timed(const A& a, const std::uint64_t (&b)[kMmaSteps],
                                           const MmaLaunch& launch,
                                           std::integer_sequence<int, InFlight...> /*those that are made*/) {
  MmaClocks c{};
  ((launch.in_flight == InFlight ? (void)(c = timed<Op, InFlight>(a, b, launch)) : (void)0), ...);
  return c;
}
#endif

struct MmaShared {
  std::int64_t start_cycles[4], stop_cycles[4], start_ns[4], stop_ns[4];  // by group
  std::uint32_t wrong;
  std::uint32_t slot;
};

template <class Op, class Depths>
__global__ void __launch_bounds__(Op::kThreads, 1) wgmma_kernel(const __grid_constant__ MmaLaunch launch) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(1024) uint4 tiles[];
  __shared__ MmaShared shared;
  using All = std::make_integer_sequence<int, Op::kRegisters>;
  declare_accumulators<Op::kRegisters>();

  const std::uint32_t group = threadIdx.x / kWarpgroup;
  const std::uint32_t thread = threadIdx.x % kWarpgroup;
  for (std::uint32_t i = threadIdx.x; i < launch.image_bytes / sizeof(uint4); i += blockDim.x)
    tiles[i] = static_cast<const uint4*>(launch.image)[i];
  ptx::fence_async_proxy();

  // From a shuffle: the same in all threads, and nothing that the assembler could compute anew in every
  // batch.
  const std::uint32_t base = __shfl_sync(0xFFFFFFFFU, ptx::shared_address(tiles) >> 4, 0);
  std::uint64_t b[kMmaSteps];
#pragma unroll
  for (int s = 0; s < kMmaSteps; ++s) b[s] = launch.b_tile[s] + base;
  std::conditional_t<Op::kRs, RegisterA, SharedA> a;
#pragma unroll
  for (int s = 0; s < kMmaSteps; ++s) {
    if constexpr (Op::kRs) {
#pragma unroll
      for (int r = 0; r < 4; ++r)
        a.step[s][r] = launch.fragments[((group * kMmaSteps + s) * 4 + r) * kWarpgroup + thread];
    } else {
      const std::uint32_t mine = __shfl_sync(0xFFFFFFFFU, group, 0) * (launch.group_bytes >> 4);
      a.step[s] = launch.a_tile[s] + base + mine;
    }
  }

  const std::uint32_t slot = cuda::take_place(launch.grid, &shared.slot);
  if (slot == cuda::kIdle) return;
  if (threadIdx.x == 0) launch.smid[slot] = ptx::smid();
  const std::uint32_t* must = launch.expected + (group * Op::kRegisters) * kWarpgroup + thread;

#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    if (threadIdx.x == 0) shared.wrong = 0;
    poison_accumulators(All{});
    if (!cuda::start_together(launch.grid, round)) launch.failed[slot] = kNoStart;
    const MmaClocks mine = timed<Op>(a, b, launch, Depths{});
    if (thread == 0) {
      shared.start_cycles[group] = mine.start_cycles;
      shared.stop_cycles[group] = mine.stop_cycles;
      shared.start_ns[group] = mine.start_ns;
      shared.stop_ns[group] = mine.stop_ns;
    }
    __syncthreads();
    const std::uint32_t wrong = wrong_elements<Op::kD>(must, kWarpgroup, launch.bound, All{});
    if (wrong != 0) atomicAdd(&shared.wrong, wrong);
    __syncthreads();
    if (threadIdx.x == 0) {
      MmaClocks c{shared.start_cycles[0], shared.stop_cycles[0], shared.start_ns[0], shared.stop_ns[0]};
      for (std::uint32_t g = 1; g < launch.groups; ++g) {
        c.start_cycles = min(c.start_cycles, shared.start_cycles[g]);
        c.stop_cycles = max(c.stop_cycles, shared.stop_cycles[g]);
        c.start_ns = min(c.start_ns, shared.start_ns[g]);
        c.stop_ns = max(c.stop_ns, shared.stop_ns[g]);
      }
      launch.clocks[slot * launch.rounds + round] = c;
      launch.wrong[slot * launch.rounds + round] = shared.wrong;
    }
    if (ptx::load_volatile(&launch.failed[slot]) != 0) break;
  }
#endif
}

/// Instructions in flight that every kernel has, and those of a sweep.
using FewDepths = std::integer_sequence<int, 1, 4, 64>;
using AllDepths = std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64>;

template <class Op, class Depths>
const void* wgmma_kernel_of() {
  return reinterpret_cast<const void*>(&wgmma_kernel<Op, Depths>);
}

/// Kernels of one kind of instruction for the given N, by N.
template <class In, Kind D, bool Rs, bool Sparse = false, bool TransposeA = false, bool TransposeB = false,
          class Depths = FewDepths, int... N>
const void* find_n(int n, std::integer_sequence<int, N...> /*those that are made*/) {
  const void* found = nullptr;
  ((n == N ? (void)(found = wgmma_kernel_of<Wgmma<In, D, N, Rs, Sparse, TransposeA, TransposeB>, Depths>())
           : (void)0),
   ...);
  return found;
}

}  // namespace plumb::mma

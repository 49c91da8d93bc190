// SPDX-License-Identifier: Apache-2.0
// The kernels that time tcgen05.mma: a kind each, of one SM or a pair, with A in shared or tensor memory.
// Assembled for Blackwell; never run on it.
#include "backend/cuda/grid.cuh"
#include "mma/descriptors.h"
#include "mma/tcgen05.cuh"
#include "mma/tcgen05_kernel.h"

namespace plumb::mma {
namespace {

namespace ptx = cuda::ptx;
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kPoison = 0x7FFF7FFFU;

/// An instruction by its kind.
template <Tcgen05Kind K, int Sms, bool Ts>
struct Tcgen05 {
  static constexpr int kSms = Sms;
  static constexpr bool kTs = Ts;
  static constexpr bool kScaled =
      K == Tcgen05Kind::mxf8f6f4 || K == Tcgen05Kind::mxf4 || K == Tcgen05Kind::mxf4nvf4;
#ifdef __CUDA_ARCH_FEAT_SM103_ALL
  static constexpr bool kThere = K != Tcgen05Kind::i8;  // sm_103a has no integers
#else
  static constexpr bool kThere = true;
#endif
  static constexpr const char* kind() {
    switch (K) {
      case Tcgen05Kind::f16:
        return "f16";
      case Tcgen05Kind::tf32:
        return "tf32";
      case Tcgen05Kind::f8f6f4:
        return "f8f6f4";
      case Tcgen05Kind::i8:
        return "i8";
      case Tcgen05Kind::mxf8f6f4:
        return "mxf8f6f4";
      case Tcgen05Kind::mxf4:
        return "mxf4";
      default:
        return "mxf4nvf4";
    }
  }
  static constexpr const char* kKind = kind();
  static constexpr const char* kScales = !kScaled                     ? ""
                                         : K == Tcgen05Kind::mxf8f6f4 ? ".block_scale.scale_vec::1X"
                                         : K == Tcgen05Kind::mxf4     ? ".block_scale.scale_vec::2X"
                                                                      : ".block_scale.scale_vec::4X";
};

struct Shared {
  std::uint64_t complete;  // mbarrier
  std::uint32_t tmem;
  std::uint32_t wrong;
  std::uint32_t slot;
};

#ifdef PLUMB_HAVE_TCGEN05
/// `count` columns from `column` on, of this thread's lane, from memory.
__device__ void to_tensor_memory(std::uint32_t column, const std::uint32_t* from, std::uint32_t count) {
#pragma unroll 1
  for (std::uint32_t c = 0; c < count; c += 8) {
    std::uint32_t v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = from[c + i];
    tc::store(column + c, v);
  }
}

__device__ void poison(std::uint32_t column, std::uint32_t count) {
  const std::uint32_t v[8] = {kPoison, kPoison, kPoison, kPoison, kPoison, kPoison, kPoison, kPoison};
#pragma unroll 1
  for (std::uint32_t c = 0; c < count; c += 8) tc::store(column + c, v);
}

__device__ std::uint32_t wrong_elements(const Tcgen05Launch& launch, std::uint32_t column,
                                        const std::uint32_t* must) {
  std::uint32_t wrong = 0;
#pragma unroll 1
  for (std::uint32_t c = 0; c < launch.columns; c += 8) {
    std::uint32_t v[8];
    tc::load(column + c, v);
    if (threadIdx.x % kWarp >= launch.rows) continue;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const bool right = launch.integers != 0
                             ? v[i] == must[c + i]
                             : fabsf(__uint_as_float(v[i]) - __uint_as_float(must[c + i])) <= launch.bound;
      wrong += right ? 0U : 1U;
    }
  }
  return wrong;
}

/// All batches of a sample, by one thread. False where a completion did not come.
template <class Op>
__device__ bool multiply_all(const Tcgen05Launch& launch, std::uint32_t base, std::uint32_t tmem,
                             std::uint32_t barrier, std::uint32_t batches, std::uint32_t& parity) {
  const auto issue = [&](int step, std::uint32_t add) {
    const std::uint64_t a = Op::kTs
                                ? tmem + kTmemA + static_cast<std::uint32_t>(step) * (kAColumns / kMmaSteps)
                                : launch.a_tile[step] + base;
    tc::multiply<Op>(tmem, a, launch.b_tile[step] + base, launch.instruction[step],
                     tmem + launch.scale_a[step], tmem + launch.scale_b[step], add);
  };
#pragma unroll 1
  for (std::uint32_t batch = 0; batch < batches; ++batch) {
    std::uint32_t left = launch.in_flight;
    std::uint32_t add = 0;
#pragma unroll 1
    for (; left >= kMmaSteps; left -= kMmaSteps) {
#pragma unroll
      for (int step = 0; step < kMmaSteps; ++step) issue(step, step == 0 ? add : 1);
      add = 1;
    }
#pragma unroll
    for (int step = 0; step < kMmaSteps - 1; ++step)
      if (static_cast<std::uint32_t>(step) < left) issue(step, step == 0 ? add : 1);
    tc::commit<Op::kSms>(barrier);
    const std::int64_t since = ptx::clock();
    while (!ptx::arrived(barrier, parity))
      if (ptx::clock() - since > cuda::kTimeoutCycles) return false;
    parity ^= 1;
  }
  return true;
}

template <class Op>
__device__ __forceinline__ void measure(const Tcgen05Launch& launch) {
  extern __shared__ __align__(1024) uint4 tiles[];
  __shared__ Shared shared;
  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t lane = threadIdx.x;
  const auto* image = static_cast<const uint4*>(launch.image) + rank * (launch.image_bytes / sizeof(uint4));
  for (std::uint32_t i = lane; i < launch.image_bytes / sizeof(uint4); i += kTmemLanes) tiles[i] = image[i];
  ptx::fence_async_proxy();
  const std::uint32_t barrier = ptx::shared_address(&shared.complete);
  if (lane == 0) ptx::init_barrier(barrier);
  ptx::fence_barrier_init();
  const std::uint32_t slot = cuda::take_place(launch.grid, &shared.slot);
  if (slot == cuda::kIdle) return;
  if (lane == 0) launch.smid[slot * Op::kSms + rank] = ptx::smid();
  if (lane < kWarp) tc::allocate<Op::kSms>(ptx::shared_address(&shared.tmem), kTmemColumns);
  tc::fence_before_sync();
  __syncthreads();
  tc::fence_after_sync();
  const std::uint32_t tmem = shared.tmem;
  // Bits 16 and up of an address are the lane; a warp has its own 32.
  const std::uint32_t mine = tmem + (lane / kWarp * kWarp << 16);
  const std::uint32_t at = rank * kTmemLanes + lane;
  if constexpr (Op::kTs) to_tensor_memory(mine + kTmemA, launch.a + at * kAColumns, kAColumns);
  if constexpr (Op::kScaled) {
    to_tensor_memory(mine + kTmemScalesA, launch.scales_a + at * kScaleColumnsA, kScaleColumnsA);
    to_tensor_memory(mine + kTmemScalesB, launch.scales_b + at * kScaleColumnsB, kScaleColumnsB);
  }
  const std::uint32_t base = ptx::shared_address(tiles) >> 4;
  std::uint32_t parity = 0;

#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    if (lane == 0) shared.wrong = 0;
    poison(mine, launch.columns);
    tc::wait_for_stores();
    tc::fence_before_sync();
    if (!cuda::start_together(launch.grid, round)) launch.failed[slot] = kNoStart;
    ptx::cluster_sync();
    tc::fence_after_sync();
    if (rank == 0 && lane == 0) {
      MmaClocks c{};
      bool complete = true;
      // The first pass, of one batch, brings this very code into the instruction cache; the second is timed.
#pragma unroll 1
      for (std::uint32_t pass = 0; pass < 2 && complete; ++pass) {
        c.start_ns = ptx::globaltimer();
        c.start_cycles = ptx::clock();
        complete = multiply_all<Op>(launch, base, tmem, barrier, pass == 0 ? 1 : launch.batches, parity);
        c.stop_cycles = ptx::clock();
        c.stop_ns = ptx::globaltimer();
      }
      if (!complete) launch.failed[slot] = kLate;
      launch.clocks[slot * launch.rounds + round] = c;
      tc::fence_before_sync();
    }
    ptx::cluster_sync();
    tc::fence_after_sync();
    // What has not completed may still be written: nothing of it is read.
    if (ptx::load_volatile(&launch.failed[slot]) != 0) break;
    const std::uint32_t wrong = wrong_elements(launch, mine, launch.expected + at * launch.columns);
    tc::fence_before_sync();
    if (wrong != 0) atomicAdd(&shared.wrong, wrong);
    __syncthreads();
    if (lane == 0) atomicAdd(&launch.wrong[slot * launch.rounds + round], shared.wrong);
  }
  ptx::cluster_sync();
  if (lane < kWarp) tc::release<Op::kSms>(tmem, kTmemColumns);
}
#endif

template <class Op>
__global__ void __launch_bounds__(kTmemLanes, 1)
    tcgen05_kernel(const __grid_constant__ Tcgen05Launch launch) {
#ifdef PLUMB_HAVE_TCGEN05
  if constexpr (Op::kThere)
    measure<Op>(launch);
  else
    static_assert(Op::kSms + Op::kTs + Op::kScaled > 0 && Op::kKind != nullptr && Op::kScales != nullptr);
#endif
}

template <Tcgen05Kind K>
const void* of_kind(const Mma& work) {
  const bool ts = work.operands == Operands::ts;
  if (work.groups == 2)
    return ts ? reinterpret_cast<const void*>(&tcgen05_kernel<Tcgen05<K, 2, true>>)
              : reinterpret_cast<const void*>(&tcgen05_kernel<Tcgen05<K, 2, false>>);
  return ts ? reinterpret_cast<const void*>(&tcgen05_kernel<Tcgen05<K, 1, true>>)
            : reinterpret_cast<const void*>(&tcgen05_kernel<Tcgen05<K, 1, false>>);
}

}  // namespace

const void* tcgen05_kernel_for(const Mma& work) {
  switch (kind_of(work.input)) {
    case Tcgen05Kind::f16:
      return of_kind<Tcgen05Kind::f16>(work);
    case Tcgen05Kind::tf32:
      return of_kind<Tcgen05Kind::tf32>(work);
    case Tcgen05Kind::f8f6f4:
      return of_kind<Tcgen05Kind::f8f6f4>(work);
    case Tcgen05Kind::i8:
      return of_kind<Tcgen05Kind::i8>(work);
    case Tcgen05Kind::mxf8f6f4:
      return of_kind<Tcgen05Kind::mxf8f6f4>(work);
    case Tcgen05Kind::mxf4:
      return of_kind<Tcgen05Kind::mxf4>(work);
    default:
      return of_kind<Tcgen05Kind::mxf4nvf4>(work);
  }
}

}  // namespace plumb::mma

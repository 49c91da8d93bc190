// SPDX-License-Identifier: Apache-2.0
// The kernels that time one form of access. Each is one instruction at one width: the addresses of a thread
// are in registers before the clock starts and do not change, so that a timed loop holds nothing but the
// accesses, for loads the sum of what they brought, and its counter.
#include <type_traits>

#include "backend/cuda/grid.cuh"
#include "dsm/access_forms.cuh"
#include "dsm/access_kernel.h"
#include "dsm/access_walker.cuh"

namespace plumb::dsm {
namespace {

namespace ptx = cuda::ptx;
using cuda::kIdle;
using cuda::kTimeoutCycles;

constexpr std::uint32_t kPoison = 0x5A5A5A5AU;

struct Shared {
  std::uint64_t arrival;  // mbarrier of the forms that have one
  std::int64_t start_cycles[kAccessThreads / kLanes];
  std::int64_t stop_cycles[kAccessThreads / kLanes];
  std::int64_t start_ns, stop_ns;
  std::uint32_t done;  // warps
  std::uint32_t bad_bytes;
  std::uint32_t slot;  // of this cluster
};

__device__ std::uint64_t generic_address(const std::uint32_t* window, const AccessLaunch& launch) {
  const auto address = reinterpret_cast<std::uint64_t>(window);
  return launch.mapped != 0 ? ptx::map_generic_to_rank(address, launch.target) : address;
}

// One warp that looks now and then whether all bytes have come; it first looks at a moment of its own, and in
// each sample at another, so that the grid of looks does not show in the median.
__device__ void wait(const AccessLaunch& launch, std::uint32_t turn, std::uint32_t key, std::uint32_t round,
                     const Shared& shared, Clocks& c) {
  constexpr std::uint32_t kTurn = kLookCycles / kAccessWaiters;
  const std::uint32_t phase = turn * kTurn + (key >> 8) % kTurn;
  const std::uint32_t arrival = ptx::shared_address(&shared.arrival);
  ptx::cluster_sync();
  c.start_cycles = ptx::clock();
  if (threadIdx.x % kLanes == 0) {
    while (ptx::clock() - c.start_cycles < phase) {
    }
    while (!ptx::arrived(arrival, round & 1)) {
      if (ptx::clock() - c.start_cycles < kTimeoutCycles) continue;
      atomicMax(&launch.timed_out[shared.slot], kLate);
      break;
    }
  }
  __syncwarp();
  c.stop_cycles = ptx::clock();
}

// Payload where loads read and reds add, poison where stores land, and the source of a bulk copy.
template <class Form>
__device__ void prepare(const AccessLaunch& launch, bool target, std::uint32_t key, std::uint32_t* source,
                        std::uint32_t* window) {
  const std::uint32_t words = launch.window / 4;
#pragma unroll 1
  for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
    if (target) window[i] = Form::kWay == Way::store ? kPoison : key + i * kWordStep;
    if (std::is_same_v<Form, BulkCopy>) source[i] = key + i * kWordStep;
  }
}

// Bytes of the window that are not what they must be after stores or adds.
template <class Form>
__device__ std::uint32_t wrong_bytes(const AccessLaunch& launch, std::uint32_t key,
                                     const std::uint32_t* window) {
  constexpr std::uint32_t kWords = width_of<Form> / 4;
  std::uint32_t bad = 0;
#pragma unroll 1
  for (std::uint32_t a = threadIdx.x; a * kWords * 4 < launch.window; a += blockDim.x) {
    auto must = payload<width_of<Form>>(key, a * kWords * 4);
    if constexpr (Form::kWay == Way::add) {
      const std::uint64_t times = a % launch.spacing == 0 ? launch.walks * launch.hits : 0;
      const auto more = addend<width_of<Form>>(key);
      if constexpr (kWords == 1) {
        must.w[0] += static_cast<std::uint32_t>(times) * more.w[0];
      } else {
        const std::uint64_t sum = both(must) + times * both(more);
        must.w[0] = static_cast<std::uint32_t>(sum);
        must.w[1] = static_cast<std::uint32_t>(sum >> 32);
      }
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kWords; ++i) bad += window[a * kWords + i] != must.w[i] ? 4 : 0;
  }
  return bad;
}

// From the first start to the last stop of the warps that issued, or to the first look that saw the end.
template <class Form>
__device__ Clocks span_of(const Shared& shared, std::uint32_t first, std::uint32_t warps) {
  Clocks c{shared.start_cycles[first], shared.start_ns, shared.stop_cycles[first], shared.stop_ns};
  for (std::uint32_t w = first + 1; w < first + warps; ++w) {
    c.start_cycles = min(c.start_cycles, shared.start_cycles[w]);
    c.stop_cycles = Form::kMbarrier ? min(c.stop_cycles, shared.stop_cycles[w])
                                    : max(c.stop_cycles, shared.stop_cycles[w]);
  }
  return c;
}

template <class Form, int U>
__global__ void __launch_bounds__(kAccessThreads, 1)
    access_kernel(const __grid_constant__ AccessLaunch launch) {
  extern __shared__ __align__(1024) uint4 memory[];
  __shared__ Shared shared;

  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t warp = threadIdx.x / kLanes;
  const std::uint32_t lane = threadIdx.x % kLanes;
  const bool target = rank == launch.target;
  const bool issues = rank == 0 && warp < launch.warps;
  const bool waits =
      Form::kMbarrier && target && !issues && warp < launch.warps + kAccessWaiters && warp >= launch.warps;
  const bool timekeeper = warp == blockDim.x / kLanes - 1;
  const bool observes = rank == (Form::kMbarrier ? launch.target : 0);
  const bool thread0 = threadIdx.x == 0;

  auto* source = reinterpret_cast<std::uint32_t*>(memory);
  std::uint32_t* window = std::is_same_v<Form, BulkCopy> ? source + launch.window / 4 : source;
  // A mapped address reaches the same memory through the cluster's window, also on the issuing SM itself.
  const std::uint32_t base = launch.mapped != 0 ? ptx::map_to_rank(ptx::shared_address(window), launch.target)
                                                : ptx::shared_address(window);
  const std::uint32_t arrival = ptx::map_to_rank(ptx::shared_address(&shared.arrival), launch.target);

  const std::uint32_t slot = cuda::take_place(launch.grid, &shared.slot);
  if (slot == kIdle) return;
  if (thread0) launch.smid[slot * launch.grid.ranks + rank] = ptx::smid();
  if (Form::kMbarrier && thread0) ptx::init_barrier(ptx::shared_address(&shared.arrival));
  ptx::fence_barrier_init();
  __syncthreads();
  const Walker<Form, U> walker(launch.offsets, issues ? warp : 0, lane);

#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    const std::uint32_t key = payload_key(launch.seed, round);
    prepare<Form>(launch, target, key, source, window);
    if (thread0) {
      shared.done = 0;
      shared.bad_bytes = 0;
      if (Form::kMbarrier && target)
        ptx::expect_bytes(ptx::shared_address(&shared.arrival), launch.walks * launch.window);
    }
    ptx::fence_async_proxy();
    __syncthreads();
    Clocks c{};
    std::uint32_t sum = 0;
    if (!cuda::start_together(launch.grid, round)) launch.timed_out[slot] = kNoStart;
    if (issues) {
      if constexpr (std::is_same_v<Form, BulkCopy>) {
        walker.issue(launch, ptx::shared_address(source), base, arrival, c);
      } else if constexpr (sizeof(typename Form::Address) == sizeof(std::uint64_t)) {
        sum = walker.issue(generic_address(window, launch), key, launch.walks, arrival, c);
      } else {
        sum = walker.issue(base, key, launch.walks, arrival, c);
      }
    } else if (waits) {
      wait(launch, warp - launch.warps, key, round, shared, c);
    } else {
      ptx::cluster_sync();
      if (timekeeper && lane == 0) shared.start_ns = ptx::globaltimer();
    }
    __syncwarp();
    if (lane == 0 && (Form::kMbarrier ? waits : issues)) {
      const std::uint32_t last = Form::kMbarrier ? 0 : launch.warps - 1;
      if (atomicAdd(&shared.done, 1) == last) shared.stop_ns = ptx::globaltimer();
      shared.start_cycles[warp] = c.start_cycles;
      shared.stop_cycles[warp] = c.stop_cycles;
    }
    ptx::cluster_sync();

    if constexpr (Form::kWay == Way::load) {
      if (issues && sum != walker.expected(key, launch.walks))
        atomicAdd(&shared.bad_bytes, launch.walks * launch.window / (launch.warps * kLanes));
    } else if (target) {
      const std::uint32_t bad = wrong_bytes<Form>(launch, key, window);
      if (bad != 0) atomicAdd(&shared.bad_bytes, bad);
    }
    __syncthreads();
    const std::uint32_t sample = slot * launch.rounds + round;
    if (thread0 && observes)
      launch.clocks[sample] = span_of<Form>(shared, Form::kMbarrier ? launch.warps : 0,
                                            Form::kMbarrier ? kAccessWaiters : launch.warps);
    if (thread0 && (Form::kWay == Way::load ? rank == 0 : target))
      launch.bad_bytes[sample] = shared.bad_bytes;
    // A CTA that saw no time-out itself must leave with the one that did, or wait for it for ever.
    if (ptx::load_volatile(&launch.timed_out[slot]) != 0) break;
    __syncthreads();
  }
  ptx::cluster_sync();
  if (Form::kMbarrier && thread0) ptx::invalidate_barrier(ptx::shared_address(&shared.arrival));
}

template <class Form, int U = kMaxInFlight>
const void* kernel() {
  return reinterpret_cast<const void*>(&access_kernel<Form, U>);
}

template <template <int> class Form>
const void* by_width(int width) {
  switch (width) {
    case 4:
      return kernel<Form<4>>();
    case 8:
      return kernel<Form<8>>();
    default:
      return kernel<Form<16>>();
  }
}

template <template <int> class Form>
const void* load_of(const Access& a) {
  if (a.in_flight == kMaxInFlight) return by_width<Form>(a.width);
  return a.in_flight == 1   ? kernel<Form<16>, 1>()
         : a.in_flight == 2 ? kernel<Form<16>, 2>()
                            : kernel<Form<16>, 4>();
}

template <template <int> class Form>
const void* red_of(int width) {
  return width == 4 ? kernel<Form<4>>() : kernel<Form<8>>();
}

}  // namespace

const void* access_kernel_for(const Access& a) {
  const bool local = a.target == Target::local;
  switch (a.form) {
    case Form::load:
      return local ? load_of<LoadShared>(a) : load_of<LoadCluster>(a);
    case Form::generic_load:
      return by_width<LoadGeneric>(a.width);
    case Form::store:
      return local ? by_width<StoreShared>(a.width) : by_width<StoreCluster>(a.width);
    case Form::red:
      return local ? red_of<RedShared>(a.width) : red_of<RedCluster>(a.width);
    case Form::async_store:
      return by_width<StoreAsync>(a.width);
    case Form::async_red:
      return red_of<RedAsync>(a.width);
    default:
      return kernel<BulkCopy>();
  }
}

}  // namespace plumb::dsm

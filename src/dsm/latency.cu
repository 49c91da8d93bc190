// SPDX-License-Identifier: Apache-2.0
// The kernels that time dependent steps. One launch measures all pairs of ranks in turn: everyone else waits
// in the cluster barrier before the next pair, so that nothing else is on the network. Each measurement runs
// its steps twice and times the second time, since the barrier empties the caches of code and constants.
#include "backend/cuda/grid.cuh"
#include "dsm/handoff.cuh"
#include "dsm/latency_kernel.h"

namespace plumb::dsm {
namespace {

namespace ptx = cuda::ptx;
using cuda::kIdle;
using cuda::kTimeoutCycles;

constexpr std::uint32_t kPairThreads = 64;  // the warp that begins and the warp that answers
constexpr std::uint32_t kSyncThreads = 1024;
constexpr std::uint32_t kWholeWarp = 0xFFFFFFFFU;
constexpr std::uint32_t kLooks = 256;  // between two looks at the clock

struct Shared {
  uint4 chain[kChain];
  uint4 slot[2];             // where messages to each of the two warps land
  std::uint64_t barrier[2];  // likewise, mbarriers
  std::uint32_t late;        // row + 1 of a step without effect, told to all ranks
  std::uint32_t place;       // slot of this cluster
};

template <class Body>
__device__ __forceinline__ Span stopwatch(Body&& body) {
  Span s;
  s.start_ns = ptx::globaltimer();
  s.start_cycles = ptx::clock();
  body();
  s.stop_cycles = ptx::clock();
  s.stop_ns = ptx::globaltimer();
  return s;
}

// False where `seen` has not come true within kTimeoutCycles of `since`. For whole warps: the vote on the
// time lets the compiler see that all threads do alike, without which it puts a YIELD into the loop.
template <class Seen>
__device__ __forceinline__ bool await(std::int64_t since, Seen&& seen) {
#pragma unroll 1
  do {
#pragma unroll 1
    for (std::uint32_t i = 0; i < kLooks; ++i)
      if (seen()) return true;
  } while (__any_sync(kWholeWarp, ptx::clock() - since < kTimeoutCycles) != 0);
  return false;
}

// Finds the place of this cluster and makes the barriers. False where it has no work.
__device__ bool begin(const ProbeLaunch& launch, Shared& shared) {
  if (threadIdx.x == 0) {
    shared.late = 0;
    ptx::init_barrier(ptx::shared_address(&shared.barrier[0]));
    ptx::init_barrier(ptx::shared_address(&shared.barrier[1]));
    ptx::fence_barrier_init();
  }
  if (cuda::take_place(launch.grid, &shared.place) == kIdle) return false;
  if (threadIdx.x == 0) launch.smid[shared.place * launch.grid.ranks + ptx::cluster_rank()] = ptx::smid();
  return true;
}

__device__ void end(const ProbeLaunch& launch, Shared& shared) {
  ptx::cluster_sync();
  if (threadIdx.x != 0) return;
  if (ptx::cluster_rank() == 0) launch.timed_out[shared.place] = shared.late;
  ptx::invalidate_barrier(ptx::shared_address(&shared.barrier[0]));
  ptx::invalidate_barrier(ptx::shared_address(&shared.barrier[1]));
}

__device__ void give_up(const ProbeLaunch& launch, Shared& shared, std::uint32_t row) {
  for (std::uint32_t r = 0; r < launch.grid.ranks; ++r)
    ptx::store_cluster_word(ptx::map_to_rank(ptx::shared_address(&shared.late), r), row + 1);
}

// Calls reset(first, second) before and measure(round, first, second) behind a barrier, for every round and
// ordered pair.
template <class Reset, class Measure>
__device__ __forceinline__ void for_each_pair(const ProbeLaunch& launch, Shared& shared, Reset&& reset,
                                              Measure&& measure) {
  const std::uint32_t ranks = launch.grid.ranks;
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint32_t round = 0;
#pragma unroll 1
  while (round < launch.rounds) {
    reset(first, second);
    ptx::cluster_sync();
    if (*static_cast<volatile std::uint32_t*>(&shared.late) != 0) return;
    measure(round, first, second);
    if (++second < ranks) continue;
    second = 0;
    if (++first < ranks) continue;
    first = 0;
    ++round;
  }
}

struct ChaseLoad {
  __device__ static std::uint32_t step(std::uint32_t at, std::uint32_t /*zero*/) {
    return ptx::load_cluster_word(at);
  }
};

struct ChaseAtom {
  __device__ static std::uint32_t step(std::uint32_t at, std::uint32_t zero) {
    return ptx::fetch_add_cluster(at, zero);
  }
};

template <class Chase>
__global__ void __launch_bounds__(kPairThreads, 1) chase_kernel(const __grid_constant__ ProbeLaunch launch) {
  __shared__ Shared shared;
  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t chain = ptx::shared_address(shared.chain);
  for (std::uint32_t k = threadIdx.x; k < kChain; k += blockDim.x) {
    const std::uint32_t next = (k * launch.step + 1) % kChain;
    shared.chain[k] = {ptx::map_to_rank(chain + next * 16, rank), kNothing, kNothing, kNothing};
  }
  if (!begin(launch, shared)) return;

  const std::uint32_t links = launch.links;
  const std::uint32_t zero = launch.zero;
  const auto measure = [&](std::uint32_t round, std::uint32_t first, std::uint32_t second) {
    if (rank != first || threadIdx.x != 0) return;
    const std::uint32_t row = first * launch.grid.ranks + second;
    const std::uint32_t base = ptx::map_to_rank(chain, second);
    std::uint32_t at = 0;
    Span span{};
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
      at = base + (row + round) % kChain * 16;
      span = stopwatch([&] {
#pragma unroll 4
        for (std::uint32_t i = 0; i < links; ++i) at = Chase::step(at, zero);
        ptx::wait_for(at);
      });
    }
    const std::uint32_t out =
        (shared.place * launch.rounds + round) * launch.grid.ranks * launch.grid.ranks + row;
    launch.spans[out] = span;
    launch.ends[2 * out] = (at - base) / 16;
  };
  const auto nothing = [](std::uint32_t /*first*/, std::uint32_t /*second*/) {};
  for_each_pair(launch, shared, nothing, measure);
  end(launch, shared);
}

// What stands in the slot: all of a message counts.
__device__ std::uint32_t sum_of(const uint4& slot) {
  const uint4 v = ptx::load_shared(ptx::shared_address(&slot));
  return v.x + v.y + v.z + v.w;
}

// Whether the mbarrier counts the bytes of all messages together, or of each one.
template <class Way>
inline constexpr bool kCountsAll = Way::kBytes > 0 && !Way::kLooksAtBarrier;
template <class Way>
inline constexpr bool kCountsEach = Way::kBytes > 0 && Way::kLooksAtBarrier;

// Waits until the mbarrier has counted all bytes, and leaves it as it was found: phases are told apart by
// parity, so a second one ends without bytes.
template <class Way>
__device__ bool settle(const Sides& s) {
  if (!kCountsAll<Way>) return true;
  if (!await(ptx::clock(), [&] { return ptx::arrived(s.own_barrier, 0); })) return false;
  __syncwarp();
  if (s.speaks) ptx::expect_bytes(s.own_barrier, 0);
  return await(ptx::clock(), [&] { return ptx::arrived(s.own_barrier, 1); });
}

// Waits for message n of `last`, and makes ready for the next one.
template <class Way>
__device__ __forceinline__ bool hear(const Sides& s, std::uint32_t n, std::uint32_t last,
                                     std::int64_t since) {
  if (!await(since, [&] { return Way::seen(s, n); })) return false;
  __syncwarp();
  if (kCountsEach<Way> && s.speaks && n < last) ptx::expect_bytes(s.own_barrier, Way::kBytes);
  return true;
}

// Sends messages `from` to `to` of `last`, each after the answer to the one before; waits for the last
// answer.
template <class Way>
__device__ __forceinline__ bool lead(const Sides& s, std::uint32_t from, std::uint32_t to, std::uint32_t last,
                                     std::int64_t since) {
#pragma unroll 1
  for (std::uint32_t n = from; n <= to; ++n) {
    if (s.speaks) Way::send(s, n);
    if (!hear<Way>(s, n, last, since)) return false;
  }
  return true;
}

template <class Way>
__device__ __forceinline__ bool follow(const Sides& s, std::uint32_t last, std::int64_t since) {
#pragma unroll 1
  for (std::uint32_t n = 1; n <= last; ++n) {
    if (!hear<Way>(s, n, last, since)) return false;
    if (s.speaks) Way::send(s, n);
  }
  return true;
}

// Whole warps look, and their first thread writes: where one thread looks in a loop and the others of its
// warp wait for it, each look takes some 100 cycles more (dsm/latency, poll-lane).
template <class Way>
__global__ void __launch_bounds__(kPairThreads, 1)
    handoff_kernel(const __grid_constant__ ProbeLaunch launch) {
  extern __shared__ __align__(16) uint4 values[];
  __shared__ Shared shared;
  const std::uint32_t ranks = launch.grid.ranks;
  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t side = __shfl_sync(kWholeWarp, threadIdx.x / 32, 0);  // alike in a warp, for all to see
  const std::uint32_t links = launch.links;
  for (std::uint32_t k = threadIdx.x; k < links; k += blockDim.x)
    values[k] = {k + 1, 3 * (k + 1), 5 * (k + 1), 7 * (k + 1)};
  ptx::fence_async_proxy();
  if (!begin(launch, shared)) return;

  std::uint32_t* const flags = launch.flags + std::uint64_t{shared.place} * ranks * 2 * kFlagWords;
  std::uint32_t* const own_flag = flags + (rank * 2 + side) * kFlagWords;
  Sides s{.own_slot = ptx::shared_address(&shared.slot[side]),
          .peer_slot = 0,
          .own_barrier = ptx::shared_address(&shared.barrier[side]),
          .peer_barrier = 0,
          .values = ptx::shared_address(values),
          .own_flag = own_flag,
          .peer_flag = nullptr,
          .speaks = threadIdx.x % 32 == 0};
  const auto reset = [&](std::uint32_t first, std::uint32_t second) {
    if (!s.speaks || rank != (side == 0 ? first : second) || (first == second && !Way::kToOwn)) return;
    shared.slot[side] = {0, 0, 0, 0};
    *own_flag = 0;
    ptx::fence_async_proxy();
    if (kCountsAll<Way>) ptx::expect_bytes(s.own_barrier, links * Way::kBytes);
    if (kCountsEach<Way>) ptx::expect_bytes(s.own_barrier, Way::kBytes);
  };
  const auto measure = [&](std::uint32_t round, std::uint32_t first, std::uint32_t second) {
    if (rank != (side == 0 ? first : second) || (first == second && !Way::kToOwn)) return;
    const std::uint32_t peer = side == 0 ? second : first;
    s.peer_slot = ptx::map_to_rank(ptx::shared_address(&shared.slot[1 - side]), peer);
    s.peer_barrier = ptx::map_to_rank(ptx::shared_address(&shared.barrier[1 - side]), peer);
    s.peer_flag = flags + (peer * 2 + 1 - side) * kFlagWords;
    const std::uint32_t row = first * ranks + second;
    const std::uint32_t out = (shared.place * launch.rounds + round) * ranks * ranks + row;
    const std::int64_t since = ptx::clock();
    bool ok = true;
    if (side == 0) {
      Span span{};
#pragma unroll 1
      for (std::uint32_t from = 0; from < links && ok; from += links / 2)
        span = stopwatch([&] { ok = lead<Way>(s, from + 1, from + links / 2, links, since); });
      if (s.speaks) launch.spans[out] = span;
    } else {
      ok = follow<Way>(s, links, since);
    }
    ok = ok && settle<Way>(s);
    if (!s.speaks) return;
    if (!ok) give_up(launch, shared, row);
    launch.ends[2 * out + side] = Way::kLooksInL2 ? ptx::load_volatile(own_flag) : sum_of(shared.slot[side]);
  };
  for_each_pair(launch, shared, reset, measure);
  end(launch, shared);
}

struct SyncRelease {
  __device__ static void meet() { ptx::cluster_sync(); }
};
struct SyncRelaxed {
  __device__ static void meet() { ptx::cluster_sync_relaxed(); }
};

// First proves that the barrier holds: each rank tells the next one a number that must be there behind it.
template <class Sync>
__global__ void __launch_bounds__(kSyncThreads, 1) sync_kernel(const __grid_constant__ ProbeLaunch launch) {
  __shared__ Shared shared;
  if (!begin(launch, shared)) return;
  const std::uint32_t ranks = launch.grid.ranks;
  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t own = ptx::shared_address(&shared.slot[0]);
  const std::uint32_t next = ptx::map_to_rank(own, (rank + 1) % ranks);
  const std::uint32_t links = launch.links;
#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    std::uint32_t right = 0;
#pragma unroll 1
    for (std::uint32_t i = 0; i < links; ++i) {
      if (threadIdx.x == 0) {
        ptx::store_cluster_word(next, round + i);
        ptx::fence_cluster();
      }
      Sync::meet();
      if (threadIdx.x == 0) right += ptx::load_shared_word(own) == round + i ? 1 : 0;
      ptx::cluster_sync();
    }
    Span span{};
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
      span = stopwatch([&] {
#pragma unroll 1
        for (std::uint32_t i = 0; i < links; ++i) Sync::meet();
      });
    }
    if (threadIdx.x != 0) continue;
    const std::uint32_t out = (shared.place * launch.rounds + round) * ranks + rank;
    launch.spans[out] = span;
    launch.ends[2 * out] = right;
  }
  end(launch, shared);
}

struct LookAtWord {
  __device__ static bool seen(const Shared& shared) {
    return ptx::load_shared_word(ptx::shared_address(&shared.slot[0])) != 0;
  }
};
struct LookAtBarrier {
  __device__ static bool seen(const Shared& shared) {
    return ptx::arrived(ptx::shared_address(&shared.barrier[0]), 0);
  }
};

// OneLane: the others of the warp wait where the ways of a warp come together again.
template <class Look, bool OneLane>
__global__ void __launch_bounds__(kPairThreads, 1) look_kernel(const __grid_constant__ ProbeLaunch launch) {
  __shared__ Shared shared;
  if (threadIdx.x == 0) shared.slot[0] = {0, 0, 0, 0};
  if (!begin(launch, shared)) return;
  const std::uint32_t links = launch.links;
#pragma unroll 1
  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    ptx::cluster_sync();
    if (OneLane && threadIdx.x != 0) continue;
    Span span{};
    std::uint32_t looks = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
      looks = 0;
      span = stopwatch([&] {
#pragma unroll 1
        while (looks < links && !Look::seen(shared)) ++looks;
      });
    }
    if (threadIdx.x != 0) continue;
    const std::uint32_t out =
        (shared.place * launch.rounds + round) * launch.grid.ranks + ptx::cluster_rank();
    launch.spans[out] = span;
    launch.ends[2 * out] = looks;
  }
  end(launch, shared);
}

template <class Way>
const void* handoff() {
  return reinterpret_cast<const void*>(&handoff_kernel<Way>);
}

}  // namespace

const void* probe_kernel_for(ProbeOp op) {
  switch (op) {
    case ProbeOp::load:
      return reinterpret_cast<const void*>(&chase_kernel<ChaseLoad>);
    case ProbeOp::atom:
      return reinterpret_cast<const void*>(&chase_kernel<ChaseAtom>);
    case ProbeOp::store:
      return handoff<HandoffStore>();
    case ProbeOp::store_release:
      return handoff<HandoffStoreRelease>();
    case ProbeOp::red:
      return handoff<HandoffRed>();
    case ProbeOp::st_async:
      return handoff<HandoffStoreAsync>();
    case ProbeOp::put:
      return handoff<HandoffPut>();
    case ProbeOp::st_async_wait:
      return handoff<AtBarrier<HandoffStoreAsync>>();
    case ProbeOp::put_wait:
      return handoff<AtBarrier<HandoffPut>>();
    case ProbeOp::arrive:
      return handoff<HandoffArrive>();
    case ProbeOp::l2_store:
      return handoff<HandoffL2Store>();
    case ProbeOp::l2_release:
      return handoff<HandoffL2Release>();
    case ProbeOp::l2_atom:
      return handoff<HandoffL2Atom>();
    case ProbeOp::sync:
      return reinterpret_cast<const void*>(&sync_kernel<SyncRelease>);
    case ProbeOp::sync_relaxed:
      return reinterpret_cast<const void*>(&sync_kernel<SyncRelaxed>);
    case ProbeOp::poll:
      return reinterpret_cast<const void*>(&look_kernel<LookAtWord, false>);
    case ProbeOp::look:
      return reinterpret_cast<const void*>(&look_kernel<LookAtBarrier, false>);
    case ProbeOp::poll_lane:
      return reinterpret_cast<const void*>(&look_kernel<LookAtWord, true>);
    case ProbeOp::look_lane:
      return reinterpret_cast<const void*>(&look_kernel<LookAtBarrier, true>);
  }
  return nullptr;
}

}  // namespace plumb::dsm

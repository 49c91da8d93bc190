// SPDX-License-Identifier: Apache-2.0
// The kernel that interprets a traffic plan. Each warp reads its job before the start barrier and then runs
// one specialised loop; all that varies inside a timed loop are registers.
#include <type_traits>

#include "backend/cuda/grid.cuh"
#include "dsm/background.cuh"
#include "dsm/traffic_kernel.h"

namespace plumb::dsm {
namespace {

namespace ptx = cuda::ptx;
using cuda::kIdle;
using cuda::kTimeoutCycles;

constexpr int kMaxFlows = kMaxRanks * (kMaxRanks - 1);
constexpr std::uint32_t kWordStep = 0x9E3779B1U;  // odd: all words of a tile differ
constexpr std::uint32_t kPoison = 0x5A5A5A5AU;

struct Shared {
  std::uint64_t arrival[kMaxFlows];  // mbarriers, one per put that lands here
  Job jobs[kMaxWarps];               // of each warp: registers are short, and the inner loops use copies
  Clocks warp_clocks[kMaxWarps];
  std::uint32_t bad_bytes[kMaxFlows];
  std::int64_t start_ns;
  std::int64_t stop_ns[kMaxWarps];      // of the job that begins at this warp
  std::uint32_t warps_done[kMaxWarps];  // likewise
  std::uint32_t read_bytes[kMaxWarps];  // by the background that begins at this warp
  std::uint32_t flows_done;             // of the whole cluster, kept where a background waits for them
  std::uint32_t slot;                   // of this cluster
  Pressure pressure;
};

// What word `index` of rank `source`'s tile holds is key + index * kWordStep.
__device__ std::uint32_t payload_key(std::uint64_t seed, std::uint32_t round, std::uint32_t source) {
  std::uint64_t x = seed + 0x9E3779B97F4A7C15ULL * (std::uint64_t{round} * kMaxRanks + source + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<std::uint32_t>(x >> 32);
}

__device__ uint4 payload(std::uint32_t key, std::uint32_t access) {
  const std::uint32_t w = key + access * 4 * kWordStep;
  return {w, w + kWordStep, w + 2 * kWordStep, w + 3 * kWordStep};
}

// A polynomial over what a thread loaded, so that a word in the wrong place shows.
struct Digest {
  uint4 a{0, 0, 0, 0};
  __device__ void add(uint4 v) {
    constexpr std::uint32_t kBase = 0x01000193U;
    a.x = a.x * kBase + v.x;
    a.y = a.y * kBase + v.y;
    a.z = a.z * kBase + v.z;
    a.w = a.w * kBase + v.w;
  }
  __device__ std::uint32_t value() const { return (a.x * 3 + a.y) * 5 + (a.z * 7 + a.w); }
};

// Walks the accesses of `thread` in one segment, `threads` apart: full(first) for each batch of U, and
// rest(first, accesses) for the fewer than U that are left.
template <int U, class Full, class Rest>
__device__ __forceinline__ void batches(std::uint32_t accesses, std::uint32_t thread, std::uint32_t threads,
                                        Full&& full, Rest&& rest) {
  std::uint32_t i = thread;
#pragma unroll 1
  for (; i + (U - 1) * threads < accesses; i += U * threads) full(i);
  if (i < accesses) rest(i, accesses);
}

__device__ void pause_until(std::int64_t from, std::uint32_t cycles) {
  if (cycles == 0) return;
  while (ptx::clock() - from < cycles) {
  }
}

// What the outer loop of a job needs, in registers.
struct Walk {
  std::uint32_t bytes, window, segment, gap;
  __device__ explicit Walk(const Job& job)
      : bytes(job.bytes), window(job.window), segment(job.segment), gap(job.gap) {}

  // Runs `body(byte offset in the window)` for each segment, with the pauses between.
  template <class Body>
  __device__ __forceinline__ void run(Body&& body) const {
    std::uint32_t offset = 0;
#pragma unroll 1
    for (std::uint32_t done = 0;;) {
      body(offset);
      done += segment;
      if (done >= bytes) return;
      offset += segment;
      if (offset == window) offset = 0;
      if (gap != 0) pause_until(ptx::clock(), gap);
    }
  }
};

template <int U>
__device__ __forceinline__ std::uint32_t load_loop(const Walk& walk, std::uint32_t remote,
                                                   std::uint32_t thread, std::uint32_t threads) {
  const std::uint32_t stride = threads * kAccessBytes;
  Digest digest;
  walk.run([&](std::uint32_t offset) {
    const std::uint32_t base = remote + offset;
    const auto full = [&](std::uint32_t i) {
      uint4 v[U];
#pragma unroll
      for (std::uint32_t u = 0; u < U; ++u) v[u] = ptx::load_cluster(base + i * kAccessBytes + u * stride);
#pragma unroll
      for (std::uint32_t u = 0; u < U; ++u) digest.add(v[u]);
    };
    const auto rest = [&](std::uint32_t i, std::uint32_t accesses) {
      uint4 v[U];
#pragma unroll
      for (std::uint32_t u = 0; u < U; ++u)
        v[u] = ptx::load_cluster_if(i + u * threads < accesses, base + i * kAccessBytes + u * stride);
#pragma unroll
      for (std::uint32_t u = 0; u < U; ++u)
        if (i + u * threads < accesses) digest.add(v[u]);
    };
    batches<U>(walk.segment / kAccessBytes, thread, threads, full, rest);
  });
  return digest.value();
}

__device__ std::uint32_t expected_digest(const Job& job, std::uint32_t key, std::uint32_t thread,
                                         std::uint32_t threads) {
  Digest digest;
#pragma unroll 1
  for (std::uint32_t done = 0; done < job.bytes; done += job.segment) {
    const std::uint32_t first = (job.source_offset + done % job.window) / kAccessBytes;
#pragma unroll 1
    for (std::uint32_t i = thread; i < job.segment / kAccessBytes; i += threads)
      digest.add(payload(key, first + i));
  }
  return digest.value();
}

template <int U>
__device__ __forceinline__ void store_loop(const Walk& walk, std::uint32_t first, std::uint32_t remote,
                                           std::uint32_t key, std::uint32_t thread, std::uint32_t threads) {
  walk.run([&](std::uint32_t offset) {
    const auto store = [&](std::uint32_t access) {
      ptx::store_cluster(remote + offset + access * kAccessBytes,
                         payload(key, first + offset / kAccessBytes + access));
    };
    const auto full = [&](std::uint32_t i) {
#pragma unroll
      for (std::uint32_t u = 0; u < U; ++u) store(i + u * threads);
    };
    const auto rest = [&](std::uint32_t i, std::uint32_t accesses) {
#pragma unroll 1
      for (; i < accesses; i += threads) store(i);
    };
    batches<U>(walk.segment / kAccessBytes, thread, threads, full, rest);
  });
}

__device__ void put_loop(const Walk& walk, std::uint32_t command, std::uint32_t local, std::uint32_t remote,
                         std::uint32_t arrival) {
  walk.run([&](std::uint32_t offset) {
#pragma unroll 1
    for (std::uint32_t at = 0; at < walk.segment; at += command)
      ptx::put(remote + offset + at, local + offset + at, min(walk.segment - at, command), arrival);
  });
}

// When a waiter first looks: its turn among the waiters of the job, and a part of a turn that differs from
// sample to sample, so that the grid of looks does not show in the median.
__device__ std::uint32_t look_phase(const Job& job, std::uint32_t warp, std::uint32_t key) {
  const std::uint32_t turn = kLookCycles / job.warps;
  return (warp - job.first_warp) * turn + (key >> 8) % turn;
}

// The clocks of this warp around `body`, from the start barrier on. All that `body` needs has been read and
// every choice between loops has been made before: a jump table alone costs 300 cycles, since the barrier
// empties the constant cache. Warps come to the barrier from different places in the code, which PTX allows
// as long as each warp is whole.
template <class Body>
__device__ __forceinline__ Clocks stopwatch(const Job& job, Body&& body) {
  const std::uint32_t delay = job.delay;
  const bool first = threadIdx.x / 32 == job.first_warp;
  Clocks c{};
  ptx::cluster_sync();
  if (delay != 0) {
    pause_until(ptx::clock(), delay);
    if (first) c.start_ns = ptx::globaltimer();
  }
  c.start_cycles = ptx::clock();
  body(c.start_cycles);
  c.stop_cycles = ptx::clock();
  return c;
}

// The timed part of one sample. Returns the digest of what a load brought, 0 otherwise. A warp of its own
// reads %globaltimer as the others start, and the last warp of a job reads it after the stop.
template <int MaxInFlight>
__device__ std::uint32_t timed(const Launch& launch, const Job& job, std::uint32_t key, std::uint32_t round,
                               std::uint32_t memory, Shared& shared) {
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t thread = threadIdx.x - job.first_warp * 32;
  const std::uint32_t threads = job.warps * 32;
  const std::uint32_t arrival = ptx::shared_address(&shared.arrival[job.flow % kMaxFlows]);
  const bool to_peer = job.kind == JobKind::store || job.kind == JobKind::put;
  const std::uint32_t remote =
      ptx::map_to_rank(memory + (to_peer ? job.destination_offset : job.source_offset), job.peer);
  const Walk walk(job);
  std::uint32_t digest = 0;
  Clocks c{};

  const auto load = [&](auto in_flight) {
    c = stopwatch(job, [&](std::int64_t) {
      digest = load_loop<decltype(in_flight)::value>(walk, remote, thread, threads);
      ptx::wait_for(digest);
    });
  };
  const auto store = [&](auto in_flight) {
    const std::uint32_t first = job.source_offset / kAccessBytes;
    c = stopwatch(job, [&](std::int64_t) {
      store_loop<decltype(in_flight)::value>(walk, first, remote, key, thread, threads);
      ptx::fence_cluster();
    });
  };
  const auto with_in_flight = [&](auto&& call) {
    switch (job.in_flight) {
      case 1:
        return call(std::integral_constant<int, 1>{});
      case 2:
        return call(std::integral_constant<int, 2>{});
      case 4:
        return call(std::integral_constant<int, 4>{});
      default:
        return call(std::integral_constant<int, MaxInFlight>{});
    }
  };
  switch (job.kind) {
    case JobKind::load:
      with_in_flight(load);
      break;
    case JobKind::store:
      with_in_flight(store);
      break;
    case JobKind::put: {
      const std::uint32_t remote_arrival = ptx::map_to_rank(arrival, job.peer);
      const std::uint32_t command = job.command;
      const std::uint32_t local = memory + job.source_offset;
      c = stopwatch(job, [&](std::int64_t) {
        if (lane == 0) put_loop(walk, command, local, remote, remote_arrival);
      });
      break;
    }
    case JobKind::wait: {
      const std::uint32_t phase = look_phase(job, warp, key);
      c = stopwatch(job, [&](std::int64_t start) {
        if (lane != 0) return;
        pause_until(start, phase);
        while (!ptx::arrived(arrival, round & 1)) {
          if (ptx::clock() - start < kTimeoutCycles) continue;
          atomicMax(&launch.timed_out[shared.slot], job.flow + 1);
          break;
        }
      });
      break;
    }
    case JobKind::background: {
      const std::uint32_t flows = launch.flows;
      const Reader reader(job.memory, launch.global, &shared.pressure, blockIdx.x * kMaxWarps + warp, round);
      std::uint32_t read = 0;
      c = stopwatch(job,
                    [&](std::int64_t) { read = reader.run(ptx::shared_address(&shared.flows_done), flows); });
      if (lane == 0) atomicAdd(&shared.read_bytes[job.first_warp], read);
      break;
    }
  }
  __syncwarp();
  if (lane == 0) {
    const std::uint32_t decides = job.kind == JobKind::wait ? 0 : job.warps - 1;
    if (atomicAdd(&shared.warps_done[job.first_warp], 1) == decides) {
      shared.stop_ns[job.first_warp] = ptx::globaltimer();
      if (job.kind != JobKind::put && job.kind != JobKind::background)
        tell_backgrounds(launch.background_ranks, ptx::shared_address(&shared.flows_done));
    }
    shared.warp_clocks[warp] = c;
  }
  return digest;
}

// From the first start to the last stop of the warps of one job: they are on one SM, hence on one clock.
__device__ Clocks span_of(const Job& job, const Shared& shared) {
  Clocks all = shared.warp_clocks[job.first_warp];
  if (job.delay == 0) all.start_ns = shared.start_ns;
  for (std::uint32_t w = 1; w < job.warps; ++w) {
    const Clocks& c = shared.warp_clocks[job.first_warp + w];
    all.start_cycles = min(all.start_cycles, c.start_cycles);
    // One waiter's look proves a completion; threads that move payload must all be done.
    all.stop_cycles =
        job.kind == JobKind::wait ? min(all.stop_cycles, c.stop_cycles) : max(all.stop_cycles, c.stop_cycles);
  }
  all.stop_ns = shared.stop_ns[job.first_warp];
  return all;
}

// Payload in the tile that others read, poison where they write.
__device__ void prepare(const Launch& launch, std::uint32_t rank, std::uint32_t round, uint4* memory,
                        Shared& shared) {
  const std::uint32_t key = payload_key(launch.seed, round, rank);
#pragma unroll 1
  for (std::uint32_t i = threadIdx.x; i * kAccessBytes < launch.tile_bytes[rank]; i += blockDim.x)
    memory[i] = payload(key, i);
#pragma unroll 1
  for (std::uint32_t l = launch.first_landing[rank]; l < launch.first_landing[rank + 1]; ++l) {
    const Landing& landing = launch.landings[l];
#pragma unroll 1
    for (std::uint32_t i = threadIdx.x; i * kAccessBytes < landing.bytes; i += blockDim.x)
      memory[landing.destination_offset / kAccessBytes + i] = {kPoison, kPoison, kPoison, kPoison};
  }
#pragma unroll 1
  for (std::uint32_t f = threadIdx.x; f < launch.flows; f += blockDim.x) shared.bad_bytes[f] = 0;
  if (threadIdx.x < kMaxWarps) {
    shared.warps_done[threadIdx.x] = 0;
    shared.read_bytes[threadIdx.x] = 0;
  }
  if (threadIdx.x == 0) shared.flows_done = 0;
}

__device__ void verify_landings(const Launch& launch, std::uint32_t rank, std::uint32_t round,
                                const uint4* memory, Shared& shared) {
#pragma unroll 1
  for (std::uint32_t l = launch.first_landing[rank]; l < launch.first_landing[rank + 1]; ++l) {
    const Landing& landing = launch.landings[l];
    const std::uint32_t key = payload_key(launch.seed, round, landing.source);
    std::uint32_t bad = 0;
#pragma unroll 1
    for (std::uint32_t i = threadIdx.x; i * kAccessBytes < landing.bytes; i += blockDim.x) {
      const uint4 is = memory[landing.destination_offset / kAccessBytes + i];
      const uint4 must = payload(key, landing.source_offset / kAccessBytes + i);
      bad += 4 * ((is.x != must.x) + (is.y != must.y) + (is.z != must.z) + (is.w != must.w));
    }
    if (bad != 0) atomicAdd(&shared.bad_bytes[landing.flow], bad);
  }
}

template <int MaxThreads, int MaxInFlight>
__global__ void __launch_bounds__(MaxThreads, 1) traffic_kernel(const __grid_constant__ Launch launch) {
  extern __shared__ __align__(1024) uint4 memory[];
  __shared__ Shared shared;

  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t payload_memory = ptx::shared_address(memory);

  bool busy = false;
#pragma unroll 1
  for (std::uint32_t j = launch.first_job[rank]; j < launch.first_job[rank + 1]; ++j) {
    const Job& candidate = launch.jobs[j];
    if (warp < candidate.first_warp || warp >= candidate.first_warp + candidate.warps) continue;
    if (lane == 0) shared.jobs[warp] = candidate;
    busy = true;
  }
  __syncthreads();
  const Job& job = shared.jobs[warp];
  const bool first_waits = busy && job.kind == JobKind::wait && warp == job.first_warp;
  const bool timekeeper = warp == blockDim.x / 32 - 1;
  const bool loads = busy && job.kind == JobKind::load;

  const std::uint32_t slot = cuda::take_place(launch.grid, &shared.slot);
  if (slot == kIdle) return;
  if (threadIdx.x == 0) launch.smid[slot * launch.grid.ranks + rank] = ptx::smid();
  if (first_waits && lane == 0) ptx::init_barrier(ptx::shared_address(&shared.arrival[job.flow]));
  ptx::fence_barrier_init();
  __syncthreads();

  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    prepare(launch, rank, round, memory, shared);
    if (first_waits && lane == 0)
      ptx::expect_bytes(ptx::shared_address(&shared.arrival[job.flow]), job.bytes);
    const std::uint32_t key = busy ? payload_key(launch.seed, round, job.source) : 0;
    ptx::fence_async_proxy();
    std::uint32_t digest = 0;
    if (!cuda::start_together(launch.grid, round)) launch.timed_out[slot] = kNoStart;
    if (busy) {
      digest = timed<MaxInFlight>(launch, job, key, round, payload_memory, shared);
    } else {
      ptx::cluster_sync();
      if (timekeeper && lane == 0) shared.start_ns = ptx::globaltimer();
    }
    ptx::cluster_sync();

    if (loads) {
      const std::uint32_t thread = threadIdx.x - job.first_warp * 32;
      if (digest != expected_digest(job, key, thread, job.warps * 32))
        atomicAdd(&shared.bad_bytes[job.flow], job.bytes / (job.warps * 32));
    }
    verify_landings(launch, rank, round, memory, shared);
    __syncthreads();

    const std::uint32_t sample = slot * launch.rounds + round;
    const std::uint32_t at = sample * launch.flows;
    const bool writes = busy && warp == job.first_warp && lane == 0;
    if (writes && job.kind != JobKind::put)
      launch.clocks[sample * (launch.flows + launch.backgrounds) + job.flow] = span_of(job, shared);
    if (writes && job.kind == JobKind::background)
      launch.read_bytes[sample * launch.backgrounds + job.flow - launch.flows] =
          shared.read_bytes[job.first_warp];
#pragma unroll 1
    for (std::uint32_t l = launch.first_landing[rank] + threadIdx.x; l < launch.first_landing[rank + 1];
         l += blockDim.x)
      launch.bad_bytes[at + launch.landings[l].flow] = shared.bad_bytes[launch.landings[l].flow];
    if (writes && loads) launch.bad_bytes[at + job.flow] = shared.bad_bytes[job.flow];
    // A CTA that saw no time-out itself must leave with the one that did, or wait for it for ever.
    if (ptx::load_volatile(&launch.timed_out[slot]) != 0) break;
    __syncthreads();
  }
  ptx::cluster_sync();
  if (first_waits && lane == 0) ptx::invalidate_barrier(ptx::shared_address(&shared.arrival[job.flow]));
}

}  // namespace

const void* traffic_kernel_for(int threads) {
  // 1,024 threads leave 64 registers to each, too few for eight 16-byte loads in flight without spilling.
  return threads <= kDeepThreads
             ? reinterpret_cast<const void*>(&traffic_kernel<kDeepThreads, kMaxInFlight>)
             : reinterpret_cast<const void*>(&traffic_kernel<kMaxThreads, kMaxInFlight / 2>);
}

}  // namespace plumb::dsm

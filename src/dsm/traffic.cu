// SPDX-License-Identifier: Apache-2.0
// The kernel that interprets a traffic plan. Each warp reads its job before the start barrier and then runs
// one specialised loop; all that varies inside a timed loop are registers.
#include <type_traits>

#include "backend/cuda/memory.h"
#include "dsm/ptx.cuh"
#include "dsm/traffic_kernel.h"

namespace plumb::dsm {
namespace {

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
// rest(first, n) for the n < U that are left.
template <int U, class Full, class Rest>
__device__ __forceinline__ void walk(std::uint32_t accesses, std::uint32_t thread, std::uint32_t threads,
                                     Full&& full, Rest&& rest) {
  std::uint32_t i = thread;
#pragma unroll 1
  for (; i + (U - 1) * threads < accesses; i += U * threads) full(i);
  if (i < accesses) rest(i, (accesses - i + threads - 1) / threads);
}

__device__ void pause_until(std::int64_t from, std::uint32_t cycles) {
  if (cycles == 0) return;
  while (ptx::clock() - from < cycles) {
  }
}

// Runs `body(byte offset in the window)` for each segment, with the pauses between.
template <class Body>
__device__ __forceinline__ void segments(const Job& job, Body&& body) {
  std::uint32_t offset = 0;
#pragma unroll 1
  for (std::uint32_t done = 0;;) {
    body(offset);
    done += job.segment;
    if (done >= job.bytes) return;
    offset += job.segment;
    if (offset == job.window) offset = 0;
    if (job.gap != 0) pause_until(ptx::clock(), job.gap);
  }
}

template <int U>
__device__ __forceinline__ std::uint32_t load_loop(const Job& job, std::uint32_t remote, std::uint32_t thread,
                                                   std::uint32_t threads) {
  const std::uint32_t stride = threads * kAccessBytes;
  Digest digest;
  segments(job, [&](std::uint32_t offset) {
    const std::uint32_t base = remote + offset;
    const auto full = [&](std::uint32_t i) {
      uint4 v[U];
#pragma unroll
      for (std::uint32_t u = 0; u < U; ++u) v[u] = ptx::load_cluster(base + i * kAccessBytes + u * stride);
#pragma unroll
      for (std::uint32_t u = 0; u < U; ++u) digest.add(v[u]);
    };
    const auto rest = [&](std::uint32_t i, std::uint32_t n) {
      uint4 v[U];
#pragma unroll
      for (std::uint32_t u = 0; u < U; ++u)
        v[u] = ptx::load_cluster_if(u < n, base + i * kAccessBytes + u * stride);
#pragma unroll
      for (std::uint32_t u = 0; u < U; ++u)
        if (u < n) digest.add(v[u]);
    };
    walk<U>(job.segment / kAccessBytes, thread, threads, full, rest);
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
__device__ __forceinline__ void store_loop(const Job& job, std::uint32_t remote, std::uint32_t key,
                                           std::uint32_t thread, std::uint32_t threads) {
  segments(job, [&](std::uint32_t offset) {
    const std::uint32_t base = remote + offset;
    const std::uint32_t first = (job.source_offset + offset) / kAccessBytes;
    const auto store = [&](std::uint32_t access) {
      ptx::store_cluster(base + access * kAccessBytes, payload(key, first + access));
    };
    const auto full = [&](std::uint32_t i) {
#pragma unroll
      for (std::uint32_t u = 0; u < U; ++u) store(i + u * threads);
    };
    const auto rest = [&](std::uint32_t i, std::uint32_t n) {
#pragma unroll 1
      for (std::uint32_t u = 0; u < n; ++u) store(i + u * threads);
    };
    walk<U>(job.segment / kAccessBytes, thread, threads, full, rest);
  });
}

__device__ void put_loop(const Job& job, std::uint32_t local, std::uint32_t remote, std::uint32_t arrival) {
  segments(job, [&](std::uint32_t offset) {
#pragma unroll 1
    for (std::uint32_t at = 0; at < job.segment; at += job.command) {
      const std::uint32_t left = job.segment - at;
      ptx::put(remote + offset + at, local + offset + at, left < job.command ? left : job.command, arrival);
    }
  });
}

// When a waiter first looks: its turn among the waiters of the job, and a part of a turn that differs from
// sample to sample, so that the grid of looks does not show in the median.
__device__ std::uint32_t look_phase(const Job& job, std::uint32_t warp, std::uint32_t key) {
  const std::uint32_t turn = kLookCycles / job.warps;
  return (warp - job.first_warp) * turn + (key >> 8) % turn;
}

// The timed part of one sample. Returns the digest of what a load brought, 0 otherwise.
//
// A read of %globaltimer takes some 200 cycles, and not the same on every SM. So a warp of its own reads it
// as the others start, the last warp of a job reads it after the stop, and no wait reads it at all.
template <int MaxInFlight>
__device__ std::uint32_t timed(const Job& job, std::uint32_t key, std::uint32_t parity, std::uint32_t memory,
                               Shared& shared, std::uint32_t* timed_out) {
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t thread = threadIdx.x - job.first_warp * 32;
  const std::uint32_t threads = job.warps * 32;
  const std::uint32_t arrival = ptx::shared_address(&shared.arrival[job.flow]);
  const bool to_peer = job.kind == JobKind::store || job.kind == JobKind::put;
  const std::uint32_t remote =
      ptx::map_to_rank(memory + (to_peer ? job.destination_offset : job.source_offset), job.peer);
  const std::uint32_t remote_arrival = ptx::map_to_rank(arrival, job.peer);
  std::uint32_t digest = 0;

  Clocks c{};
  if (job.delay != 0) {
    pause_until(ptx::clock(), job.delay);
    if (warp == job.first_warp) c.start_ns = ptx::globaltimer();
  }
  c.start_cycles = ptx::clock();
  switch (job.kind) {
    case JobKind::load:
      switch (job.in_flight) {
        case 1:
          digest = load_loop<1>(job, remote, thread, threads);
          break;
        case 2:
          digest = load_loop<2>(job, remote, thread, threads);
          break;
        case 4:
          digest = load_loop<4>(job, remote, thread, threads);
          break;
        default:
          digest = load_loop<MaxInFlight>(job, remote, thread, threads);
          break;
      }
      ptx::wait_for(digest);
      break;
    case JobKind::store:
      switch (job.in_flight) {
        case 1:
          store_loop<1>(job, remote, key, thread, threads);
          break;
        case 2:
          store_loop<2>(job, remote, key, thread, threads);
          break;
        case 4:
          store_loop<4>(job, remote, key, thread, threads);
          break;
        default:
          store_loop<MaxInFlight>(job, remote, key, thread, threads);
          break;
      }
      ptx::fence_cluster();
      break;
    case JobKind::put:
      if (lane == 0) put_loop(job, memory + job.source_offset, remote, remote_arrival);
      break;
    case JobKind::wait:
      if (lane == 0) {
        pause_until(c.start_cycles, look_phase(job, warp, key));
        while (!ptx::arrived(arrival, parity)) {
          if (ptx::clock() - c.start_cycles < kTimeoutCycles) continue;
          atomicMax(timed_out, job.flow + 1);
          break;
        }
      }
      break;
  }
  c.stop_cycles = ptx::clock();
  __syncwarp();
  if (lane == 0) {
    const std::uint32_t decides = job.kind == JobKind::wait ? 0 : job.warps - 1;
    if (atomicAdd(&shared.warps_done[job.first_warp], 1) == decides)
      shared.stop_ns[job.first_warp] = ptx::globaltimer();
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
  if (threadIdx.x < kMaxWarps) shared.warps_done[threadIdx.x] = 0;
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

  if (threadIdx.x == 0) launch.smid[rank] = ptx::smid();
  if (first_waits && lane == 0) ptx::init_barrier(ptx::shared_address(&shared.arrival[job.flow]));
  ptx::fence_barrier_init();
  __syncthreads();

  for (std::uint32_t round = 0; round < launch.rounds; ++round) {
    prepare(launch, rank, round, memory, shared);
    if (first_waits && lane == 0)
      ptx::expect_bytes(ptx::shared_address(&shared.arrival[job.flow]), job.bytes);
    const std::uint32_t key = busy ? payload_key(launch.seed, round, job.source) : 0;
    ptx::fence_async_proxy();
    ptx::cluster_sync();

    std::uint32_t digest = 0;
    if (busy)
      digest = timed<MaxInFlight>(job, key, round & 1, payload_memory, shared, launch.timed_out);
    else if (timekeeper && lane == 0)
      shared.start_ns = ptx::globaltimer();
    ptx::cluster_sync();

    if (loads) {
      const std::uint32_t thread = threadIdx.x - job.first_warp * 32;
      if (digest != expected_digest(job, key, thread, job.warps * 32))
        atomicAdd(&shared.bad_bytes[job.flow], job.bytes / (job.warps * 32));
    }
    verify_landings(launch, rank, round, memory, shared);
    __syncthreads();

    const std::uint32_t at = round * launch.flows;
    const bool observes = busy && job.kind != JobKind::put;
    if (observes && warp == job.first_warp && lane == 0) launch.clocks[at + job.flow] = span_of(job, shared);
#pragma unroll 1
    for (std::uint32_t l = launch.first_landing[rank] + threadIdx.x; l < launch.first_landing[rank + 1];
         l += blockDim.x)
      launch.bad_bytes[at + launch.landings[l].flow] = shared.bad_bytes[launch.landings[l].flow];
    if (loads && warp == job.first_warp && lane == 0)
      launch.bad_bytes[at + job.flow] = shared.bad_bytes[job.flow];
    // A CTA that saw no time-out itself must leave with the one that did, or wait for it for ever.
    if (ptx::load_volatile(launch.timed_out) != 0) break;
    __syncthreads();
  }
  ptx::cluster_sync();
  if (first_waits && lane == 0) ptx::invalidate_barrier(ptx::shared_address(&shared.arrival[job.flow]));
}

}  // namespace

void launch_traffic(const Launch& launch, int ranks, int threads) {
  // 1,024 threads leave 64 registers to each, too few for eight 16-byte loads in flight without spilling.
  auto* const kernel = threads <= kDeepThreads ? &traffic_kernel<kDeepThreads, kMaxInFlight>
                                               : &traffic_kernel<kMaxThreads, kMaxInFlight / 2>;
  cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
              "asking for 200 KiB of shared memory");
  cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
              "asking for clusters of up to 16 CTAs");
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(ranks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(ranks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = kSharedBytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  cuda::check(cudaLaunchKernelEx(&config, kernel, launch), "launching the traffic kernel");
  cuda::check(cudaDeviceSynchronize(), "running the traffic kernel");
}

}  // namespace plumb::dsm

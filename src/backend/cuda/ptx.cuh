// SPDX-License-Identifier: Apache-2.0
// The PTX instructions that kernels time or order by, one function each. All asm is volatile:
// what is measured is the sequence that stands in the source.
#pragma once

#include <cstdint>

namespace plumb::cuda::ptx {

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// The shared::cluster address of `address` in the CTA of `rank` (PTX ISA, mapa).
__device__ __forceinline__ std::uint32_t map_to_rank(std::uint32_t address, std::uint32_t rank) {
  std::uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

__device__ __forceinline__ std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ __forceinline__ std::uint32_t smid() {
  std::uint32_t id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

__device__ __forceinline__ std::int64_t clock() {
  std::int64_t cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}

__device__ __forceinline__ std::int64_t globaltimer() {
  std::int64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

/// The .aligned form wants whole warps, so the lanes meet first.
__device__ __forceinline__ void cluster_sync() {
  __syncwarp();
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n\t"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}

__device__ __forceinline__ uint4 load_cluster(std::uint32_t address) {
  uint4 v;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address));
  return v;
}

/// The same, predicated: no branch stands between two loads of a batch. Zero where not `on`.
__device__ __forceinline__ uint4 load_cluster_if(bool on, std::uint32_t address) {
  uint4 v{0, 0, 0, 0};
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.u32 p, %5, 0;\n\t"
      "@p ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];\n\t"
      "}"
      : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w)
      : "r"(address), "r"(static_cast<std::uint32_t>(on)));
  return v;
}

__device__ __forceinline__ void store_cluster(std::uint32_t address, uint4 v) {
  asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x), "r"(v.y),
               "r"(v.z), "r"(v.w)
               : "memory");
}

/// Waits until every store of this thread has been acknowledged.
__device__ __forceinline__ void fence_cluster() { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }

/// Makes the instructions that follow wait for `value`, and with it for the loads that it came from: the
/// predicate is never true for a digest's reader, but the hardware cannot know.
__device__ __forceinline__ void wait_for(std::uint32_t value) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.eq.u32 p, %0, 0xDEADBEEF;\n\t"
      "@p nanosleep.u32 1;\n\t"
      "}" ::"r"(value)
      : "memory");
}

/// A bulk copy from this CTA's shared memory to that of a peer (PTX ISA, cp.async.bulk).
__device__ __forceinline__ void put(std::uint32_t to, std::uint32_t from, std::uint32_t bytes,
                                    std::uint32_t arrival) {
  asm volatile(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          to),
      "r"(from), "r"(bytes), "r"(arrival)
      : "memory");
}

__device__ __forceinline__ void init_barrier(std::uint32_t barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void invalidate_barrier(std::uint32_t barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Generic writes to shared memory before it are seen by bulk copies after it.
__device__ __forceinline__ void fence_async_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Arrives, and adds `bytes` to what the phase waits for.
__device__ __forceinline__ void expect_bytes(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// One look, without the suspension that try_wait may add.
__device__ __forceinline__ bool arrived(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}

__device__ __forceinline__ void store_cluster_word(std::uint32_t address, std::uint32_t value) {
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

/// Adds to a word of a peer's shared memory and does not wait.
__device__ __forceinline__ void add_cluster(std::uint32_t address, std::uint32_t value) {
  asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

/// Counts this thread in global memory; what it wrote before is seen by who sees the count.
__device__ __forceinline__ void arrive_gpu(std::uint32_t* p) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
}

__device__ __forceinline__ std::uint32_t load_acquire_gpu(const std::uint32_t* p) {
  std::uint32_t v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

/// Sixteen bytes of global memory, kept in L2 alone.
__device__ __forceinline__ uint4 load_global(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p));
  return v;
}

/// Volatile for the assembler too: it merges plain loads of one address.
__device__ __forceinline__ uint4 load_shared(std::uint32_t address) {
  uint4 v;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address));
  return v;
}

__device__ __forceinline__ std::uint32_t load_shared_word(std::uint32_t address) {
  std::uint32_t v;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
  return v;
}

__device__ __forceinline__ std::uint32_t load_volatile(const std::uint32_t* p) {
  std::uint32_t v;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

/// One word of a peer's shared memory.
__device__ __forceinline__ std::uint32_t load_cluster_word(std::uint32_t address) {
  std::uint32_t v;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
  return v;
}

/// Adds to a word of a peer's shared memory and returns what was there.
__device__ __forceinline__ std::uint32_t fetch_add_cluster(std::uint32_t address, std::uint32_t value) {
  std::uint32_t old;
  asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "r"(address), "r"(value)
               : "memory");
  return old;
}

__device__ __forceinline__ void store_release_cluster(std::uint32_t address, std::uint32_t value) {
  asm volatile("st.release.cluster.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

__device__ __forceinline__ std::uint32_t load_acquire_cluster(std::uint32_t address) {
  std::uint32_t v;
  asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
  return v;
}

/// Four bytes to a peer's shared memory, counted by its mbarrier (PTX ISA, st.async).
__device__ __forceinline__ void store_async(std::uint32_t address, std::uint32_t value,
                                            std::uint32_t arrival) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(address),
               "r"(value), "r"(arrival)
               : "memory");
}

/// Arrives at the mbarrier of a peer.
__device__ __forceinline__ void arrive_cluster(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// cluster_sync whose arrival orders no memory.
__device__ __forceinline__ void cluster_sync_relaxed() {
  __syncwarp();
  asm volatile(
      "barrier.cluster.arrive.relaxed.aligned;\n\t"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}

__device__ __forceinline__ std::uint32_t load_relaxed_gpu(const std::uint32_t* p) {
  std::uint32_t v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__device__ __forceinline__ void store_relaxed_gpu(std::uint32_t* p, std::uint32_t value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

__device__ __forceinline__ void store_release_gpu(std::uint32_t* p, std::uint32_t value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

__device__ __forceinline__ std::uint32_t fetch_add_gpu(std::uint32_t* p, std::uint32_t value) {
  std::uint32_t old;
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(value) : "memory");
  return old;
}

__device__ __forceinline__ void store_relaxed_cluster(std::uint32_t address, std::uint32_t value) {
  asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

}  // namespace plumb::cuda::ptx

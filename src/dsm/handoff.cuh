// SPDX-License-Identifier: Apache-2.0
// The ways in which a warp of one SM tells a warp of another that it is its turn. `n` counts the messages of
// a side from 1.
#pragma once

#include "backend/cuda/ptx.cuh"

namespace plumb::dsm {

/// Where one side looks and where it writes.
struct Sides {
  std::uint32_t own_slot;      ///< shared::cta address of 16 bytes
  std::uint32_t peer_slot;     ///< shared::cluster address of the peer's
  std::uint32_t own_barrier;   ///< shared::cta address of an mbarrier that expects one arrival
  std::uint32_t peer_barrier;  ///< shared::cluster address of the peer's
  std::uint32_t values;        ///< shared::cta address of the payloads of puts
  std::uint32_t* own_flag;     ///< in global memory
  std::uint32_t* peer_flag;
  bool speaks;  ///< whether this thread writes for its warp
};

/// What most ways share: nothing to prepare, no bytes that an mbarrier counts.
struct Plain {
  static constexpr std::uint32_t kBytes = 0;      ///< of one message, counted by the peer's mbarrier
  static constexpr bool kLooksAtBarrier = false;  ///< which has one phase for each message
  static constexpr bool kLooksInL2 = false;
  static constexpr bool kToOwn = true;  ///< also between the warps of one SM
  __device__ static bool seen(const Sides& s, std::uint32_t n) {
    return cuda::ptx::load_shared_word(s.own_slot) == n;
  }
};

struct HandoffStore : Plain {
  __device__ static void send(const Sides& s, std::uint32_t n) {
    cuda::ptx::store_relaxed_cluster(s.peer_slot, n);
  }
};

struct HandoffStoreRelease : Plain {
  __device__ static void send(const Sides& s, std::uint32_t n) {
    cuda::ptx::store_release_cluster(s.peer_slot, n);
  }
  __device__ static bool seen(const Sides& s, std::uint32_t n) {
    return cuda::ptx::load_acquire_cluster(s.own_slot) == n;
  }
};

struct HandoffRed : Plain {
  __device__ static void send(const Sides& s, std::uint32_t /*n*/) { cuda::ptx::add_cluster(s.peer_slot, 1); }
};

struct HandoffStoreAsync : Plain {
  static constexpr std::uint32_t kBytes = 4;
  __device__ static void send(const Sides& s, std::uint32_t n) {
    cuda::ptx::store_async(s.peer_slot, n, s.peer_barrier);
  }
};

struct HandoffPut : Plain {
  static constexpr std::uint32_t kBytes = 16;
  static constexpr bool kToOwn = false;
  __device__ static void send(const Sides& s, std::uint32_t n) {
    cuda::ptx::put(s.peer_slot, s.values + (n - 1) * kBytes, kBytes, s.peer_barrier);
  }
};

/// The same message, looked for at the mbarrier.
template <class Way>
struct AtBarrier : Way {
  static constexpr bool kLooksAtBarrier = true;
  __device__ static bool seen(const Sides& s, std::uint32_t n) {
    return cuda::ptx::arrived(s.own_barrier, (n - 1) & 1);
  }
};

struct HandoffArrive : Plain {
  static constexpr bool kLooksAtBarrier = true;
  __device__ static void send(const Sides& s, std::uint32_t /*n*/) {
    cuda::ptx::arrive_cluster(s.peer_barrier);
  }
  __device__ static bool seen(const Sides& s, std::uint32_t n) {
    return cuda::ptx::arrived(s.own_barrier, (n - 1) & 1);
  }
};

struct HandoffL2Store : Plain {
  static constexpr bool kLooksInL2 = true;
  __device__ static void send(const Sides& s, std::uint32_t n) {
    cuda::ptx::store_relaxed_gpu(s.peer_flag, n);
  }
  __device__ static bool seen(const Sides& s, std::uint32_t n) {
    return cuda::ptx::load_relaxed_gpu(s.own_flag) == n;
  }
};

struct HandoffL2Release : Plain {
  static constexpr bool kLooksInL2 = true;
  __device__ static void send(const Sides& s, std::uint32_t n) {
    cuda::ptx::store_release_gpu(s.peer_flag, n);
  }
  __device__ static bool seen(const Sides& s, std::uint32_t n) {
    return cuda::ptx::load_acquire_gpu(s.own_flag) == n;
  }
};

struct HandoffL2Atom : Plain {
  static constexpr bool kLooksInL2 = true;
  __device__ static void send(const Sides& s, std::uint32_t /*n*/) {
    cuda::ptx::wait_for(cuda::ptx::fetch_add_gpu(s.peer_flag, 1));
  }
  __device__ static bool seen(const Sides& s, std::uint32_t n) {
    return cuda::ptx::load_acquire_gpu(s.own_flag) == n;
  }
};

}  // namespace plumb::dsm

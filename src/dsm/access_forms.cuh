// SPDX-License-Identifier: Apache-2.0
// The instructions that dsm/forms times, each a type of its own with the width in its name, so that the name
// of a kernel in the machine code says what must be in it. All asm is volatile: what is timed is what stands
// here.
#pragma once

#include <cstdint>

namespace plumb::dsm {

enum class Way : std::uint8_t { load, store, add };

/// The words of one access of W bytes.
template <int W>
struct Words {
  std::uint32_t w[W / 4];
};

__device__ __forceinline__ std::uint64_t both(const Words<8>& v) {
  return v.w[0] | static_cast<std::uint64_t>(v.w[1]) << 32U;
}

// The address of a shared-memory access is 32 bits wide, that of a generic one 64; hence the two letters.
#define PLUMB_LOAD_FORM(Name, Word, letter, instruction)                                               \
  template <int W>                                                                                     \
  struct Name {                                                                                        \
    static constexpr Way kWay = Way::load;                                                             \
    static constexpr bool kMbarrier = false;                                                           \
    using Address = Word;                                                                              \
    static __device__ __forceinline__ Words<W> load(Address at) {                                      \
      Words<W> v;                                                                                      \
      if constexpr (W == 4) {                                                                          \
        asm volatile(instruction ".u32 %0, [%1];" : "=r"(v.w[0]) : letter(at));                        \
      } else if constexpr (W == 8) {                                                                   \
        asm volatile(instruction ".v2.u32 {%0, %1}, [%2];" : "=r"(v.w[0]), "=r"(v.w[1]) : letter(at)); \
      } else {                                                                                         \
        asm volatile(instruction ".v4.u32 {%0, %1, %2, %3}, [%4];"                                     \
                     : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])                          \
                     : letter(at));                                                                    \
      }                                                                                                \
      return v;                                                                                        \
    }                                                                                                  \
  }

PLUMB_LOAD_FORM(LoadShared, std::uint32_t, "r", "ld.shared");
PLUMB_LOAD_FORM(LoadCluster, std::uint32_t, "r", "ld.shared::cluster");
PLUMB_LOAD_FORM(LoadGeneric, std::uint64_t, "l", "ld");
#undef PLUMB_LOAD_FORM

#define PLUMB_STORE_FORM(Name, instruction)                                                                  \
  template <int W>                                                                                           \
  struct Name {                                                                                              \
    static constexpr Way kWay = Way::store;                                                                  \
    static constexpr bool kMbarrier = false;                                                                 \
    using Address = std::uint32_t;                                                                           \
    static __device__ __forceinline__ void issue(Address at, const Words<W>& v, std::uint32_t /*arrival*/) { \
      if constexpr (W == 4) {                                                                                \
        asm volatile(instruction ".u32 [%0], %1;" ::"r"(at), "r"(v.w[0]) : "memory");                        \
      } else if constexpr (W == 8) {                                                                         \
        asm volatile(instruction ".v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(v.w[0]), "r"(v.w[1]) : "memory");  \
      } else {                                                                                               \
        asm volatile(instruction ".v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.w[0]), "r"(v.w[1]),      \
                     "r"(v.w[2]), "r"(v.w[3])                                                                \
                     : "memory");                                                                            \
      }                                                                                                      \
    }                                                                                                        \
  }

PLUMB_STORE_FORM(StoreShared, "st.shared");
PLUMB_STORE_FORM(StoreCluster, "st.shared::cluster");
#undef PLUMB_STORE_FORM

/// PTX ISA, st.async: the mbarrier is in the CTA of the data and counts its bytes.
template <int W>
struct StoreAsync {
  static constexpr Way kWay = Way::store;
  static constexpr bool kMbarrier = true;
  using Address = std::uint32_t;
  static __device__ __forceinline__ void issue(Address at, const Words<W>& v, std::uint32_t arrival) {
    if constexpr (W == 4) {
      asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(at),
                   "r"(v.w[0]), "r"(arrival)
                   : "memory");
    } else if constexpr (W == 8) {
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(at),
          "r"(v.w[0]), "r"(v.w[1]), "r"(arrival)
          : "memory");
    } else {
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::
              "r"(at),
          "r"(v.w[0]), "r"(v.w[1]), "r"(v.w[2]), "r"(v.w[3]), "r"(arrival)
          : "memory");
    }
  }
};

#define PLUMB_RED_FORM(Name, instruction)                                                                    \
  template <int W>                                                                                           \
  struct Name {                                                                                              \
    static constexpr Way kWay = Way::add;                                                                    \
    static constexpr bool kMbarrier = false;                                                                 \
    using Address = std::uint32_t;                                                                           \
    static __device__ __forceinline__ void issue(Address at, const Words<W>& v, std::uint32_t /*arrival*/) { \
      if constexpr (W == 4) {                                                                                \
        asm volatile(instruction ".add.u32 [%0], %1;" ::"r"(at), "r"(v.w[0]) : "memory");                    \
      } else {                                                                                               \
        asm volatile(instruction ".add.u64 [%0], %1;" ::"r"(at), "l"(both(v)) : "memory");                   \
      }                                                                                                      \
    }                                                                                                        \
  }

PLUMB_RED_FORM(RedShared, "red.relaxed.cta.shared::cta");
PLUMB_RED_FORM(RedCluster, "red.relaxed.cluster.shared::cluster");
#undef PLUMB_RED_FORM

/// PTX ISA, red.async: likewise.
template <int W>
struct RedAsync {
  static constexpr Way kWay = Way::add;
  static constexpr bool kMbarrier = true;
  using Address = std::uint32_t;
  static __device__ __forceinline__ void issue(Address at, const Words<W>& v, std::uint32_t arrival) {
    if constexpr (W == 4) {
      asm volatile(
          "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::
              "r"(at),
          "r"(v.w[0]), "r"(arrival)
          : "memory");
    } else {
      asm volatile(
          "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::
              "r"(at),
          "l"(both(v)), "r"(arrival)
          : "memory");
    }
  }
};

/// cp.async.bulk of a width that is known at run time (ptx::put issues it), one thread of each warp.
struct BulkCopy {
  static constexpr Way kWay = Way::store;
  static constexpr bool kMbarrier = true;
};

}  // namespace plumb::dsm

// SPDX-License-Identifier: Apache-2.0
// The instructions of tcgen05, one function each. Assembled for sm_100a and sm_103a; never run on hardware.
#pragma once

#include <cstdint>

#include "mma/text.cuh"

namespace plumb::mma::tc {

// clang-format off
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL)
#define PLUMB_HAVE_TCGEN05
#endif
#ifdef PLUMB_HAVE_TCGEN05

/// "cta_group::1" of an instruction's name.
template <int Sms>
struct Group {
  static constexpr void write(Writer& w) { w << ".cta_group::" << Sms; }
};

/// All columns of tensor memory; their address to shared memory. For one whole warp, of both SMs of a pair.
template <int Sms>
__device__ __forceinline__ void allocate(std::uint32_t to, std::uint32_t columns) {
  asm volatile("tcgen05.alloc%2.sync.aligned.shared::cta.b32 [%0], %1;\n\t"
               "tcgen05.relinquish_alloc_permit%2.sync.aligned;"
               ::"r"(to), "r"(columns), "C"(Text<Group<Sms>>::text) : "memory");
}
template <int Sms>
__device__ __forceinline__ void release(std::uint32_t address, std::uint32_t columns) {
  asm volatile("tcgen05.dealloc%2.sync.aligned.b32 %0, %1;"
               ::"r"(address), "r"(columns), "C"(Text<Group<Sms>>::text) : "memory");
}

__device__ __forceinline__ void fence_before_sync() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ __forceinline__ void fence_after_sync() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}
__device__ __forceinline__ void wait_for_stores() { asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory"); }

/// Eight columns of the 32 lanes of this warp.
__device__ __forceinline__ void load(std::uint32_t address, std::uint32_t (&v)[8]) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];\n\t"
               "tcgen05.wait::ld.sync.aligned;"
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7])
               : "r"(address) : "memory");
}
__device__ __forceinline__ void store(std::uint32_t address, const std::uint32_t (&v)[8]) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};"
               ::"r"(address), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7])
               : "memory");
}

/// The mbarrier is told when all products that this thread issued before are complete.
template <int Sms>
__device__ __forceinline__ void commit(std::uint32_t barrier) {
  asm volatile("tcgen05.commit%1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
               ::"r"(barrier), "C"(Text<Group<Sms>>::text) : "memory");
}

/// ".cta_group::1.kind::mxf4.block_scale.scale_vec::2X"
template <class Op>
struct Name {
  static constexpr void write(Writer& w) { w << ".cta_group::" << Op::kSms << ".kind::" << Op::kKind << Op::kScales; }
};

/// D (+)= A B. `a` is a descriptor, or an address of tensor memory.
template <class Op>
__device__ __forceinline__ void multiply(std::uint32_t d, std::uint64_t a, std::uint64_t b, std::uint32_t instruction,
                                         std::uint32_t scale_a, std::uint32_t scale_b, std::uint32_t add) {
  if constexpr (Op::kScaled && Op::kTs)
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %6, 0;\n\t"
                 "tcgen05.mma%7 [%0], [%1], %2, %3, [%4], [%5], p;\n\t}"
                 ::"r"(d), "r"(static_cast<std::uint32_t>(a)), "l"(b), "r"(instruction), "r"(scale_a), "r"(scale_b),
                 "r"(add), "C"(Text<Name<Op>>::text) : "memory");
  else if constexpr (Op::kScaled)
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %6, 0;\n\t"
                 "tcgen05.mma%7 [%0], %1, %2, %3, [%4], [%5], p;\n\t}"
                 ::"r"(d), "l"(a), "l"(b), "r"(instruction), "r"(scale_a), "r"(scale_b), "r"(add),
                 "C"(Text<Name<Op>>::text) : "memory");
  else if constexpr (Op::kTs)
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, 0;\n\ttcgen05.mma%5 [%0], [%1], %2, %3, p;\n\t}"
                 ::"r"(d), "r"(static_cast<std::uint32_t>(a)), "l"(b), "r"(instruction), "r"(add),
                 "C"(Text<Name<Op>>::text) : "memory");
  else
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, 0;\n\ttcgen05.mma%5 [%0], %1, %2, %3, p;\n\t}"
                 ::"r"(d), "l"(a), "l"(b), "r"(instruction), "r"(add), "C"(Text<Name<Op>>::text) : "memory");
}
#endif
// clang-format on

}  // namespace plumb::mma::tc

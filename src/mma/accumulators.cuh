// SPDX-License-Identifier: Apache-2.0
// Accumulators that the compiler knows by name alone. They are declared in PTX and never pass through a
// variable of C++, so nothing but the instructions of this folder can touch them, and an instruction needs no
// list of 128 operands.
#pragma once

#include <cstdint>

#include "mma/text.cuh"

namespace plumb::mma {

/// "acc7".
template <int I>
struct AccumulatorName {
  static constexpr void write(Writer& w) { w << "acc" << I; }
};

/// ".reg .b32 acc<64>;"
template <int Count>
struct AccumulatorDeclaration {
  static constexpr void write(Writer& w) { w << ".reg .b32 acc<" << Count << ">;"; }
};

/// "{acc0,acc1,...}", from `First` on.
template <int Count, int First = 0>
struct AccumulatorList {
  static constexpr void write(Writer& w) {
    w << "{";
    for (int i = First; i < First + Count; ++i) w << (i == First ? "acc" : ",acc") << i;
    w << "}";
  }
};

/// Once in a kernel, before all others.
template <int Count>
__device__ __forceinline__ void declare_accumulators() {
  asm volatile("%0" ::"C"(Text<AccumulatorDeclaration<Count>>::text));
}

template <int I>
__device__ __forceinline__ std::uint32_t accumulator() {
  std::uint32_t bits;
  asm volatile("mov.b32 %0, %1;" : "=r"(bits) : "C"(Text<AccumulatorName<I>>::text));
  return bits;
}

template <int I>
__device__ __forceinline__ void set_accumulator(std::uint32_t bits) {
  asm volatile("mov.b32 %1, %0;" ::"r"(bits), "C"(Text<AccumulatorName<I>>::text));
}

/// Not a number in any format of accumulators, and a large integer.
inline constexpr std::uint32_t kPoison = 0x7FFF7FFFU;

template <int... I>
__device__ __forceinline__ void poison_accumulators(std::integer_sequence<int, I...> /*which*/) {
  (set_accumulator<I>(kPoison), ...);
}

enum class Kind { f32, f16, s32 };

__device__ __forceinline__ float half_value(std::uint32_t bits) {
  float v;
  asm("{\n\t.reg .b16 h;\n\tcvt.u16.u32 h, %1;\n\tcvt.f32.f16 %0, h;\n\t}" : "=f"(v) : "r"(bits & 0xFFFFU));
  return v;
}

/// Elements of one register that are further than `bound` from what they must be. NaN is wrong.
template <Kind D>
__device__ __forceinline__ std::uint32_t wrong_in(std::uint32_t is, std::uint32_t must, float bound) {
  if constexpr (D == Kind::s32) return is == must ? 0U : 1U;
  if constexpr (D == Kind::f32) return fabsf(__uint_as_float(is) - __uint_as_float(must)) <= bound ? 0U : 1U;
  const bool low = fabsf(half_value(is) - half_value(must)) <= bound;
  const bool high = fabsf(half_value(is >> 16) - half_value(must >> 16)) <= bound;
  return (low ? 0U : 1U) + (high ? 0U : 1U);
}

/// Wrong elements among the accumulators of this thread; `must` steps by `stride` from one to the next.
template <Kind D, int... I>
__device__ __forceinline__ std::uint32_t wrong_elements(const std::uint32_t* must, std::uint32_t stride,
                                                        float bound,
                                                        std::integer_sequence<int, I...> /*which*/) {
  std::uint32_t wrong = 0;
  ((wrong += wrong_in<D>(accumulator<I>(), must[I * stride], bound)), ...);
  return wrong;
}

}  // namespace plumb::mma

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/core/swizzle.h"

namespace plumb {

/// Who multiplies.
enum class MmaFamily : std::uint8_t {
  wgmma,     ///< Hopper: `wgmma.mma_async`, issued by a warpgroup
  tcgen05,   ///< Blackwell: `tcgen05.mma`, issued by one thread of one SM or of a pair
  mma_sync,  ///< `mma.sync`, issued by a warp, on every card
  library,   ///< a whole product by cuBLAS, where that library is on the machine
};

/// The numbers in A and B, or in the accumulators.
enum class Number : std::uint8_t {
  bf16,
  f16,
  tf32,
  e4m3,
  e5m2,
  e2m3,
  e3m2,
  e2m1,
  s8,
  u8,
  mxf8,  ///< e4m3 with a scale (ue8m0) for every 32
  mxf4,  ///< e2m1 with a scale (ue8m0) for every 32
  nvf4,  ///< e2m1 with a scale (ue4m3) for every 16
  f32,   ///< accumulators alone
  s32,   ///< accumulators alone
};

/// Where A is; B is in shared memory, or in registers beside A's.
enum class Operands : std::uint8_t {
  ss,  ///< A in shared memory
  rs,  ///< A in registers
  ts,  ///< A in tensor memory
  rr,  ///< both in registers
};

/// What the numbers in A and B are.
enum class MmaData : std::uint8_t {
  random,  ///< uniform in -1 to 1; integers over their whole range
  zeros,
  constant,     ///< all one
  activations,  ///< A as after a ReLU with a few large values, B as weights: normal and small
};

[[nodiscard]] std::string_view name_of(MmaFamily family) noexcept;
[[nodiscard]] std::string_view name_of(Number number) noexcept;
[[nodiscard]] std::string_view name_of(Operands operands) noexcept;
[[nodiscard]] std::string_view name_of(MmaData data) noexcept;
/// Each throws Error (caller) that lists the allowed names.
[[nodiscard]] MmaFamily mma_family_from(std::string_view name);
[[nodiscard]] Number number_from(std::string_view name);
[[nodiscard]] Operands operands_from(std::string_view name);
[[nodiscard]] MmaData mma_data_from(std::string_view name);

/// What one sample does: every group issues `in_flight` products D = A B + D back to back, waits until they
/// are complete, and does so `batches` times. The first of a batch sets D, the others add to it.
///
/// A backend returns one row for each SM that works (tcgen05: for each pair): from the first start to the
/// last stop of its groups, its SM, and the bytes of D that were wrong.
struct Mma {
  MmaFamily family = MmaFamily::wgmma;
  Number input = Number::bf16;  ///< of A and B
  Number output = Number::f32;  ///< of D
  int m = 64;                   ///< rows of D of one instruction, over both SMs of a pair
  int n = 128;                  ///< columns of D
  Operands operands = Operands::ss;
  bool a_mn_major = false;          ///< A is stored column by column
  bool b_mn_major = false;          ///< B is stored row by row
  Swizzle swizzle = Swizzle::b128;  ///< of all tiles in shared memory
  bool sparse = false;              ///< A has two zeros in every four
  int groups = 1;     ///< wgmma: warpgroups; mma.sync: warps; tcgen05: SMs that share one instruction
  int in_flight = 1;  ///< mma.sync: accumulators that do not depend on each other
  int batches = 1;
  MmaData data = MmaData::random;

  bool operator==(const Mma&) const = default;
};

/// Bytes of K that one dense instruction takes, of one row of A or one column of B.
inline constexpr int kMmaRowBytes = 32;
/// Steps of K that lie in shared memory; instructions in flight walk them in turn.
inline constexpr int kMmaSteps = 4;
inline constexpr int kMostInFlight = 1024;
inline constexpr int kWarpgroup = 128;  ///< threads

/// Bits of a number where tiles hold it. kind::f8f6f4 keeps 6 and 4 bits in a byte of their own.
[[nodiscard]] int bits_of(Number number) noexcept;
/// K of one instruction: 16 for dense bf16. Zero for a library's product, whose K is its M.
[[nodiscard]] int k_of(const Mma& mma) noexcept;
/// Multiplications and additions of one instruction; sparse ones count the zeros.
[[nodiscard]] std::int64_t flop_of(const Mma& mma) noexcept;
/// Instructions that all groups of one SM (or pair) issue in one sample.
[[nodiscard]] std::int64_t instructions(const Mma& mma) noexcept;
/// Warpgroups whose threads have room for this many accumulators each, beside fragments of A where those are
/// in registers too: an SM has 65,536 registers.
[[nodiscard]] constexpr int most_warpgroups(int accumulators, bool a_in_registers) noexcept {
  if (accumulators <= (a_in_registers ? 64 : 80)) return 4;
  return a_in_registers && accumulators > 112 ? 2 : 3;
}
/// Whether scale factors stand beside the numbers.
[[nodiscard]] constexpr bool is_block_scaled(Number n) noexcept {
  return n == Number::mxf8 || n == Number::mxf4 || n == Number::nvf4;
}
[[nodiscard]] constexpr bool is_integer(Number n) noexcept {
  return n == Number::s8 || n == Number::u8 || n == Number::s32;
}

/// "wgmma bf16.f32 m64n128k16 ss": for messages and tables.
[[nodiscard]] std::string instruction_of(const Mma& mma);

/// Throws Error (caller) that names the field, its value and what is allowed.
void validate(const Mma& mma);

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
// What the tensor cores are told about a tile (64 bits) and about an instruction (32 bits).
#pragma once

#include <cstdint>

#include "mma/layout.h"
#include "plumb/core/mma.h"

namespace plumb::mma {

/// A matrix descriptor of wgmma (PTX ISA, "Matrix descriptor format"). Addresses and strides in bytes,
/// multiples of 16 below 2^18.
struct WgmmaTile {
  std::int64_t start = 0;
  std::int64_t leading = 0;
  std::int64_t stride = 0;
  int base_offset = 0;  ///< 0 to 7: where the pattern of a swizzle does not start at a multiple of its length
  Swizzle swizzle = Swizzle::none;
};

/// Throws Error (caller) that names the field that does not fit.
[[nodiscard]] std::uint64_t encode(const WgmmaTile& tile);

/// A shared memory descriptor of tcgen05 (PTX ISA, "Shared memory descriptor").
struct Tcgen05Tile {
  std::int64_t start = 0;
  std::int64_t leading = 0;
  std::int64_t stride = 0;
  int base_offset = 0;
  bool leading_is_address = false;  ///< leading is an address, not an offset: sm_103a
  Swizzle swizzle = Swizzle::none;
};

/// Throws Error (caller) that names the field that does not fit.
[[nodiscard]] std::uint64_t encode(const Tcgen05Tile& tile);

/// The kinds of tcgen05.mma.
enum class Tcgen05Kind : std::uint8_t { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };
[[nodiscard]] Tcgen05Kind kind_of(Number input);

/// An instruction descriptor of tcgen05.mma (PTX ISA, "Instruction descriptor"): three layouts, by the kind.
struct Tcgen05Instruction {
  Tcgen05Kind kind = Tcgen05Kind::f16;
  Number a = Number::bf16;
  Number b = Number::bf16;
  Number d = Number::f32;
  int m = 128;
  int n = 128;
  int sparsity_selector = 0;  ///< 0 to 3, of sparse ones without scales
  bool sparse = false;
  bool saturate = false;  ///< integers alone
  bool negate_a = false;  ///< not integers
  bool negate_b = false;
  bool transpose_a = false;  ///< MN-major; not 4 bits wide
  bool transpose_b = false;
  int max_shift = 0;   ///< 0 to 3: none, 8, 16, 32 columns, of `.ws`
  int scale_a_id = 0;  ///< block scaled: which byte (or pair) of a word of tensor memory holds A's scales
  int scale_b_id = 0;
  bool scales_e4m3 = false;  ///< nvf4: ue4m3 rather than ue8m0
  bool k96 = false;          ///< mxf4, mxf4nvf4: dense K of 96
};

/// Throws Error (caller) that names the field that the kind does not have.
[[nodiscard]] std::uint32_t encode(const Tcgen05Instruction& instruction);

}  // namespace plumb::mma

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "plumb/core/mma.h"

namespace plumb::mma {

/// The value that `bits` stand for in a format: OCP FP8 (e4m3 without infinities, e5m2), OCP MX (e2m3, e3m2,
/// e2m1), IEEE half, bfloat16, tf32 (the upper 19 bits of a float), integers. The scaled formats are those of
/// their elements.
[[nodiscard]] double value_of(Number format, std::uint32_t bits);

/// The nearest number of the format, ties to even; beyond its range the largest. Bits are right aligned.
[[nodiscard]] std::uint32_t bits_for(Number format, double value);

/// Exponent bits, fraction bits and bias of a floating point format.
struct Fields {
  int exponent = 0;
  int fraction = 0;
  int bias = 0;
};
[[nodiscard]] Fields fields_of(Number format);

/// The largest value of a format.
[[nodiscard]] double largest(Number format);

}  // namespace plumb::mma

// SPDX-License-Identifier: Apache-2.0
#include "mma/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace plumb::mma {
namespace {

using enum Number;

constexpr std::uint32_t kTf32Mask = 0xFFFFE000U;  // 8 exponent and 10 fraction bits of a float

std::uint32_t low_bits(int n) { return (1U << n) - 1U; }

}  // namespace

Fields fields_of(Number format) {
  switch (format) {
    case bf16:
      return {8, 7, 127};
    case f16:
      return {5, 10, 15};
    case tf32:
      return {8, 10, 127};
    case f32:
      return {8, 23, 127};
    case e5m2:
      return {5, 2, 15};
    case e2m3:
      return {2, 3, 1};
    case e3m2:
      return {3, 2, 3};
    case e2m1:
    case mxf4:
    case nvf4:
      return {2, 1, 1};
    case e4m3:
    case mxf8:
      return {4, 3, 7};
    default:
      return {};
  }
}

double value_of(Number format, std::uint32_t bits) {
  if (format == s8) return static_cast<std::int8_t>(bits);
  if (format == u8) return static_cast<std::uint8_t>(bits);
  if (format == s32) return static_cast<std::int32_t>(bits);
  if (format == f32) return std::bit_cast<float>(bits);
  if (format == tf32) return std::bit_cast<float>(bits & kTf32Mask);
  const Fields f = fields_of(format);
  const auto fraction = static_cast<double>(bits & low_bits(f.fraction));
  const auto exponent = static_cast<int>((bits >> f.fraction) & low_bits(f.exponent));
  const bool negative = ((bits >> (f.fraction + f.exponent)) & 1U) != 0;
  const double scaled = exponent == 0
                            ? std::ldexp(fraction, 1 - f.bias - f.fraction)
                            : std::ldexp(1.0 + std::ldexp(fraction, -f.fraction), exponent - f.bias);
  return negative ? -scaled : scaled;
}

double largest(Number format) {
  if (format == s8) return 127;
  if (format == u8) return 255;
  const Fields f = fields_of(format);
  const auto top = static_cast<int>(low_bits(f.exponent));
  // IEEE formats keep the top exponent for infinities, e4m3 its last fraction for NaN, the others nothing.
  const bool ieee = format == bf16 || format == f16 || format == tf32 || format == e5m2;
  const bool spare = format == e4m3 || format == mxf8;
  const double fraction = spare ? 2.0 - std::ldexp(2.0, -f.fraction) : 2.0 - std::ldexp(1.0, -f.fraction);
  return std::ldexp(fraction, (ieee ? top - 1 : top) - f.bias);
}

std::uint32_t bits_for(Number format, double value) {
  if (format == s8)
    return static_cast<std::uint8_t>(
        static_cast<std::int8_t>(std::clamp(std::nearbyint(value), -128.0, 127.0)));
  if (format == u8) return static_cast<std::uint8_t>(std::clamp(std::nearbyint(value), 0.0, 255.0));
  if (format == f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const Fields f = fields_of(format);
  const double size = std::min(std::abs(value), largest(format));
  int exponent = 0;
  if (size > 0) (void)std::frexp(size, &exponent);
  exponent = std::max(exponent - 1, 1 - f.bias);  // of the leading one, or of the subnormals
  const double ulp = std::ldexp(1.0, exponent - f.fraction);
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(size / ulp));
  // A carry out of the fraction goes on into the exponent by itself.
  const std::uint32_t biased =
      steps >> f.fraction == 0 ? 0U : static_cast<std::uint32_t>(exponent + f.bias - 1);
  std::uint32_t bits = (biased << f.fraction) + steps;
  if (std::signbit(value)) bits |= 1U << (f.exponent + f.fraction);
  return format == tf32 ? bits << 13U : bits;
}

}  // namespace plumb::mma

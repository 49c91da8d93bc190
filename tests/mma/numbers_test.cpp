// SPDX-License-Identifier: Apache-2.0
#include "mma/numbers.h"

#include <cmath>

#include "support.h"

namespace plumb::mma {
namespace {

using enum Number;

TEST(Numbers, PublishedValuesOfNarrowFormats) {
  // OCP 8-bit Floating Point Specification 1.0, table 1; OCP Microscaling Formats 1.0, tables 2 to 5.
  EXPECT_EQ(value_of(e4m3, 0x7E), 448);
  EXPECT_EQ(value_of(e4m3, 0x08), std::ldexp(1.0, -6));
  EXPECT_EQ(value_of(e4m3, 0x01), std::ldexp(1.0, -9));
  EXPECT_EQ(value_of(e5m2, 0x7B), 57344);
  EXPECT_EQ(value_of(e5m2, 0x04), std::ldexp(1.0, -14));
  EXPECT_EQ(value_of(e5m2, 0x01), std::ldexp(1.0, -16));
  EXPECT_EQ(value_of(e2m3, 0x1F), 7.5);
  EXPECT_EQ(value_of(e2m3, 0x01), 0.125);
  EXPECT_EQ(value_of(e3m2, 0x1F), 28);
  EXPECT_EQ(value_of(e3m2, 0x01), 0.0625);
  EXPECT_EQ(value_of(e2m1, 0x7), 6);
  EXPECT_EQ(value_of(e2m1, 0x1), 0.5);
  EXPECT_EQ(value_of(e2m1, 0xF), -6);
}

TEST(Numbers, PublishedValuesOfWideFormats) {
  EXPECT_EQ(value_of(f16, 0x7BFF), 65504);  // IEEE 754 binary16
  EXPECT_EQ(value_of(f16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(value_of(bf16, 0x3F80), 1);
  EXPECT_EQ(value_of(bf16, 0xC040), -3);
  EXPECT_EQ(value_of(tf32, 0x3F800000), 1);
  EXPECT_EQ(value_of(tf32, 0x3F801FFF), 1);  // the lower 13 bits are not there
  EXPECT_EQ(value_of(s8, 0x80), -128);
  EXPECT_EQ(value_of(u8, 0x80), 128);
}

TEST(Numbers, TheNearestIsTakenTiesToEven) {
  EXPECT_EQ(bits_for(e2m1, 0.25), 0x0U);  // between 0 and 0.5
  EXPECT_EQ(bits_for(e2m1, 0.75), 0x2U);  // between 0.5 and 1
  EXPECT_EQ(bits_for(e2m1, 5.0), 0x6U);   // between 4 and 6: 4 is even
  EXPECT_EQ(bits_for(bf16, 1 + std::ldexp(1.0, -8)), 0x3F80U);
  EXPECT_EQ(bits_for(bf16, 1 + 3 * std::ldexp(1.0, -8)), 0x3F82U);
  EXPECT_EQ(bits_for(e4m3, 1.99), 0x40U);  // a carry into the exponent: 2
  EXPECT_EQ(bits_for(s8, -128.4), 0x80U);
}

TEST(Numbers, BeyondTheRangeIsTheLargest) {
  EXPECT_EQ(value_of(e4m3, bits_for(e4m3, 1000)), 448);
  EXPECT_EQ(value_of(e2m1, bits_for(e2m1, -100)), -6);
  EXPECT_EQ(value_of(f16, bits_for(f16, 1e6)), 65504);
  EXPECT_EQ(value_of(s8, bits_for(s8, 1000)), 127);
}

PLUMB_PROPERTY(Numbers, EveryFiniteNumberIsItsOwnNearest, [] {
  const auto format = *rc::gen::element(bf16, f16, e4m3, e5m2, e2m3, e3m2, e2m1, s8, u8);
  const Fields f = fields_of(format);
  const int bits = is_integer(format) ? 8 : 1 + f.exponent + f.fraction;
  const auto word = *rc::gen::inRange<std::uint32_t>(0, 1U << bits);
  const double v = value_of(format, word);
  RC_PRE(std::isfinite(v) && std::abs(v) <= largest(format) + (format == s8 ? 1 : 0));
  RC_ASSERT(value_of(format, bits_for(format, v)) == v);
})

}  // namespace
}  // namespace plumb::mma

// SPDX-License-Identifier: Apache-2.0
// Every field against the tables of the PTX ISA: "Matrix descriptor format" of wgmma, "Shared memory
// descriptor" and "Instruction descriptor" of tcgen05 (tables 40, 42, 43 and 44 of release 9.1).
#include "mma/descriptors.h"

#include "support.h"

namespace plumb::mma {
namespace {

using test::message_of;
using enum Number;
using Kind = Tcgen05Kind;

std::uint64_t bits(std::uint64_t word, int from, int count) {
  return (word >> from) & ((std::uint64_t{1} << count) - 1);
}

TEST(WgmmaDescriptor, FieldsAreWhereTheTableHasThem) {
  const std::uint64_t d = encode(WgmmaTile{
      .start = 0x12340, .leading = 0x400, .stride = 0x80, .base_offset = 5, .swizzle = Swizzle::b128});
  EXPECT_EQ(bits(d, 0, 14), 0x1234U);
  EXPECT_EQ(bits(d, 14, 2), 0U);
  EXPECT_EQ(bits(d, 16, 14), 0x40U);
  EXPECT_EQ(bits(d, 30, 2), 0U);
  EXPECT_EQ(bits(d, 32, 14), 0x8U);
  EXPECT_EQ(bits(d, 46, 3), 0U);
  EXPECT_EQ(bits(d, 49, 3), 5U);
  EXPECT_EQ(bits(d, 52, 10), 0U);
  EXPECT_EQ(bits(d, 62, 2), 1U);
}

TEST(WgmmaDescriptor, SwizzlesAreNumberedAsInTheTable) {
  EXPECT_EQ(encode(WgmmaTile{.swizzle = Swizzle::none}) >> 62, 0U);
  EXPECT_EQ(encode(WgmmaTile{.swizzle = Swizzle::b128}) >> 62, 1U);
  EXPECT_EQ(encode(WgmmaTile{.swizzle = Swizzle::b64}) >> 62, 2U);
  EXPECT_EQ(encode(WgmmaTile{.swizzle = Swizzle::b32}) >> 62, 3U);
}

TEST(WgmmaDescriptor, WhatDoesNotFitIsRefusedByName) {
  EXPECT_EQ(message_of([] { (void)encode(WgmmaTile{.start = 8}); }),
            "start = 8 bytes: a matrix descriptor holds multiples of 16 below 262144.");
  EXPECT_EQ(message_of([] { (void)encode(WgmmaTile{.leading = 262144}); }),
            "leading = 262144 bytes: a matrix descriptor holds multiples of 16 below 262144.");
  EXPECT_EQ(message_of([] { (void)encode(WgmmaTile{.stride = -16}); }),
            "stride = -16 bytes: a matrix descriptor holds multiples of 16 below 262144.");
  EXPECT_EQ(message_of([] { (void)encode(WgmmaTile{.base_offset = 8}); }),
            "base offset = 8: allowed is 0 to 7.");
}

TEST(Tcgen05Descriptor, FieldsAreWhereTheTableHasThem) {
  const std::uint64_t d = encode(Tcgen05Tile{.start = 0x3FFF0,
                                             .leading = 0x10,
                                             .stride = 0x400,
                                             .base_offset = 3,
                                             .leading_is_address = true,
                                             .swizzle = Swizzle::b64});
  EXPECT_EQ(bits(d, 0, 14), 0x3FFFU);
  EXPECT_EQ(bits(d, 14, 2), 0U);
  EXPECT_EQ(bits(d, 16, 14), 1U);
  EXPECT_EQ(bits(d, 30, 2), 0U);
  EXPECT_EQ(bits(d, 32, 14), 0x40U);
  EXPECT_EQ(bits(d, 46, 3), 1U);  // fixed
  EXPECT_EQ(bits(d, 49, 3), 3U);
  EXPECT_EQ(bits(d, 52, 1), 1U);
  EXPECT_EQ(bits(d, 53, 8), 0U);  // fixed
  EXPECT_EQ(bits(d, 61, 3), 4U);
}

TEST(Tcgen05Descriptor, SwizzlesAreNumberedAsInTheTable) {
  EXPECT_EQ(encode(Tcgen05Tile{.swizzle = Swizzle::none}) >> 61, 0U);
  EXPECT_EQ(encode(Tcgen05Tile{.swizzle = Swizzle::b128}) >> 61, 2U);
  EXPECT_EQ(encode(Tcgen05Tile{.swizzle = Swizzle::b64}) >> 61, 4U);
  EXPECT_EQ(encode(Tcgen05Tile{.swizzle = Swizzle::b32}) >> 61, 6U);
}

TEST(Tcgen05Instruction, OfBf16IsTheWordThatTheTableGives) {
  // D of f32 (1 at 4), A and B of bf16 (1 at 7 and at 10), N = 256 (32 at 17), M = 128 (8 at 24).
  EXPECT_EQ(encode(Tcgen05Instruction{.m = 128, .n = 256}),
            1U << 4 | 1U << 7 | 1U << 10 | 32U << 17 | 8U << 24);
}

TEST(Tcgen05Instruction, PlainKindsHaveTheirFieldsWhereTheTableHasThem) {
  const std::uint32_t w = encode(Tcgen05Instruction{.kind = Kind::f8f6f4,
                                                    .a = e3m2,
                                                    .b = e2m1,
                                                    .d = f16,
                                                    .m = 256,
                                                    .n = 8,
                                                    .sparsity_selector = 2,
                                                    .sparse = true,
                                                    .negate_a = true,
                                                    .transpose_b = true,
                                                    .max_shift = 3});
  EXPECT_EQ(bits(w, 0, 2), 2U);
  EXPECT_EQ(bits(w, 2, 1), 1U);
  EXPECT_EQ(bits(w, 3, 1), 0U);
  EXPECT_EQ(bits(w, 4, 2), 0U);
  EXPECT_EQ(bits(w, 6, 1), 0U);
  EXPECT_EQ(bits(w, 7, 3), 4U);
  EXPECT_EQ(bits(w, 10, 3), 5U);
  EXPECT_EQ(bits(w, 13, 1), 1U);
  EXPECT_EQ(bits(w, 14, 1), 0U);
  EXPECT_EQ(bits(w, 15, 1), 0U);
  EXPECT_EQ(bits(w, 16, 1), 1U);
  EXPECT_EQ(bits(w, 17, 6), 1U);
  EXPECT_EQ(bits(w, 23, 1), 0U);
  EXPECT_EQ(bits(w, 24, 5), 16U);
  EXPECT_EQ(bits(w, 29, 1), 0U);
  EXPECT_EQ(bits(w, 30, 2), 3U);
}

TEST(Tcgen05Instruction, NumbersHaveTheCodesOfTheirKind) {
  const auto code = [](Kind kind, Number n, Number d) {
    return bits(encode(Tcgen05Instruction{.kind = kind, .a = n, .b = n, .d = d}), 7, 3);
  };
  EXPECT_EQ(code(Kind::tf32, tf32, f32), 2U);
  EXPECT_EQ(code(Kind::f16, f16, f16), 0U);
  EXPECT_EQ(code(Kind::f16, bf16, f32), 1U);
  EXPECT_EQ(code(Kind::f8f6f4, e4m3, f32), 0U);
  EXPECT_EQ(code(Kind::f8f6f4, e5m2, f32), 1U);
  EXPECT_EQ(code(Kind::f8f6f4, e2m3, f32), 3U);
  EXPECT_EQ(code(Kind::f8f6f4, e3m2, f32), 4U);
  EXPECT_EQ(code(Kind::f8f6f4, e2m1, f32), 5U);
  EXPECT_EQ(code(Kind::i8, u8, s32), 0U);
  EXPECT_EQ(code(Kind::i8, s8, s32), 1U);
  EXPECT_EQ(code(Kind::mxf8f6f4, mxf8, f32), 0U);
  EXPECT_EQ(code(Kind::mxf4, mxf4, f32), 1U);
  EXPECT_EQ(code(Kind::mxf4nvf4, nvf4, f32), 1U);
  EXPECT_EQ(
      bits(encode(Tcgen05Instruction{.kind = Kind::i8, .a = s8, .b = s8, .d = s32, .saturate = true}), 3, 3),
      0b101U);  // saturate, and 2 for s32
}

TEST(Tcgen05Instruction, BlockScaledKindsHaveTheirFieldsWhereTheTablesHaveThem) {
  const std::uint32_t w = encode(Tcgen05Instruction{.kind = Kind::mxf8f6f4,
                                                    .a = e5m2,
                                                    .b = mxf8,
                                                    .m = 256,
                                                    .n = 128,
                                                    .transpose_a = true,
                                                    .scale_a_id = 3,
                                                    .scale_b_id = 1});
  EXPECT_EQ(bits(w, 0, 2), 0U);
  EXPECT_EQ(bits(w, 2, 1), 0U);
  EXPECT_EQ(bits(w, 4, 2), 1U);
  EXPECT_EQ(bits(w, 7, 3), 1U);
  EXPECT_EQ(bits(w, 10, 3), 0U);
  EXPECT_EQ(bits(w, 15, 1), 1U);
  EXPECT_EQ(bits(w, 17, 6), 16U);
  EXPECT_EQ(bits(w, 23, 1), 1U);  // ue8m0
  EXPECT_EQ(bits(w, 24, 3), 0U);
  EXPECT_EQ(bits(w, 27, 2), 2U);
  EXPECT_EQ(bits(w, 29, 2), 3U);
  EXPECT_EQ(bits(w, 31, 1), 0U);
  const std::uint32_t v = encode(Tcgen05Instruction{
      .kind = Kind::mxf4nvf4, .a = nvf4, .b = nvf4, .scale_a_id = 2, .scales_e4m3 = true, .k96 = true});
  EXPECT_EQ(bits(v, 23, 1), 0U);  // ue4m3
  EXPECT_EQ(bits(v, 27, 2), 1U);
  EXPECT_EQ(bits(v, 29, 2), 2U);
  EXPECT_EQ(bits(v, 31, 1), 1U);
}

TEST(Tcgen05Instruction, WhatAKindDoesNotHaveIsRefusedByName) {
  const auto refusal = [](const Tcgen05Instruction& i) { return message_of([&] { (void)encode(i); }); };
  EXPECT_EQ(refusal({.a = e4m3}), "a = e4m3: this kind of tcgen05.mma does not take it.");
  EXPECT_EQ(refusal({.b = tf32}), "b = tf32: this kind of tcgen05.mma does not take it.");
  EXPECT_EQ(refusal({.d = s32}), "d = s32: this kind of tcgen05.mma does not add in it.");
  EXPECT_EQ(refusal({.kind = Kind::tf32, .a = tf32, .b = tf32, .d = f16}),
            "d = f16: this kind of tcgen05.mma does not add in it.");
  EXPECT_EQ(refusal({.saturate = true}), "saturate = true: only integers do.");
  EXPECT_EQ(refusal({.kind = Kind::i8, .a = s8, .b = s8, .d = s32, .negate_b = true}),
            "negate_b = true: integers cannot be negated.");
  EXPECT_EQ(refusal({.kind = Kind::mxf4, .a = mxf4, .b = mxf4, .transpose_a = true}),
            "transpose_a = true: tiles of 4-bit numbers are K-major.");
  EXPECT_EQ(refusal({.kind = Kind::mxf4, .a = mxf4, .b = mxf4, .max_shift = 1}),
            "max_shift = 1: block-scaled kinds have none.");
  EXPECT_EQ(refusal({.max_shift = 4}), "max_shift = 4: allowed is 0 to 3.");
  EXPECT_EQ(refusal({.scale_b_id = 1}), "scale_b_id = 1: only block-scaled kinds have one.");
  EXPECT_EQ(refusal({.kind = Kind::mxf4, .a = mxf4, .b = mxf4, .scale_a_id = 1}),
            "scale_a_id = 1: of 4-bit kinds it is 0 or 2.");
  EXPECT_EQ(refusal({.kind = Kind::mxf8f6f4, .a = mxf8, .b = mxf8, .scale_a_id = 4}),
            "scale_a_id = 4: allowed is 0 to 3.");
  EXPECT_EQ(refusal({.kind = Kind::mxf4, .a = mxf4, .b = mxf4, .scales_e4m3 = true}),
            "scales_e4m3 = true: only mxf4nvf4 has scales of ue4m3.");
  EXPECT_EQ(refusal({.k96 = true}), "k96 = true: only dense 4-bit kinds have K = 96.");
  EXPECT_EQ(refusal({.sparsity_selector = 1}),
            "sparsity_selector = 1: only sparse kinds without scales have one.");
  EXPECT_EQ(refusal({.m = 72}), "m = 72: the field holds multiples of 16 up to 256.");
  EXPECT_EQ(refusal({.kind = Kind::mxf8f6f4, .a = mxf8, .b = mxf8, .m = 64}),
            "m = 64: the field holds multiples of 128 up to 256.");
  EXPECT_EQ(refusal({.n = 12}), "n = 12: the field holds multiples of 8 up to 256.");
}

TEST(Tcgen05Instruction, EachInputHasItsKind) {
  EXPECT_EQ(kind_of(f16), Kind::f16);
  EXPECT_EQ(kind_of(e2m3), Kind::f8f6f4);
  EXPECT_EQ(kind_of(u8), Kind::i8);
  EXPECT_EQ(kind_of(mxf8), Kind::mxf8f6f4);
  EXPECT_EQ(kind_of(nvf4), Kind::mxf4nvf4);
}

}  // namespace
}  // namespace plumb::mma

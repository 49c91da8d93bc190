// SPDX-License-Identifier: Apache-2.0
#include "mma/operands.h"

#include <cmath>

#include "mma/numbers.h"
#include "mma/tensor_memory.h"
#include "support.h"

namespace plumb::mma {
namespace {

using enum Number;

/// The product by the definition, number by number.
double by_hand(const Mma& w, const Matrices& m, int row, int column, int in_flight) {
  double sum = 0;
  const int step = m.k / kMmaSteps;
  for (int i = 0; i < in_flight; ++i)
    for (int k = 0; k < step; ++k) {
      const int at = i % kMmaSteps * step + k;
      sum += value_of(w.input, m.a[static_cast<std::size_t>(row * m.k + at)]) *
             value_of(w.input, m.b[static_cast<std::size_t>(column * m.k + at)]);
    }
  return sum;
}

TEST(Product, IsTheSumOverTheStepsThatAreWalked) {
  const Mma w{.input = s8, .output = s32, .n = 16};
  const Matrices m = draw(w, 7);
  for (const int in_flight : {1, 3, 4, 10}) {
    const Product p = product_of(w, step_products(w, m), in_flight);
    EXPECT_EQ(p.bound, 0);
    for (const auto& [row, column] : {std::pair{0, 0}, {63, 15}, {17, 3}})
      EXPECT_EQ(p.d[static_cast<std::size_t>(row * 16 + column)], by_hand(w, m, row, column, in_flight));
  }
}

TEST(Product, ASparseRowHasItsNumbersWhereTheMetadataSays) {
  const Mma w{.input = s8, .output = s32, .n = 8, .sparse = true};
  Matrices m = draw(w, 3);
  m.pattern = 0xD;  // binary 11 01: the second and the fourth of four
  m.a.assign(m.a.size(), 0);
  m.b.assign(m.b.size(), 0);
  m.a[0] = 2;  // row 0, first of the first pair: K = 1
  m.a[1] = 3;  // second of it: K = 3
  for (int k = 0; k < 4; ++k) m.b[static_cast<std::size_t>(k)] = static_cast<std::uint32_t>(10 + k);
  EXPECT_EQ(product_of(w, step_products(w, m), 1).d[0], 2 * 11 + 3 * 13);
}

TEST(Product, ScalesMultiplyTheirBlock) {
  const Mma w{.family = MmaFamily::tcgen05, .input = nvf4, .m = 128, .n = 8};
  Matrices m = draw(w, 1);
  m.a.assign(m.a.size(), bits_for(e2m1, 1));
  m.b.assign(m.b.size(), bits_for(e2m1, 1));
  m.scale_a.assign(m.scale_a.size(), bits_for(e4m3, 1));
  m.scale_b.assign(m.scale_b.size(), bits_for(e4m3, 1));
  m.scale_a[1] = bits_for(e4m3, 2);  // row 0, numbers 16 to 31
  EXPECT_EQ(product_of(w, step_products(w, m), 1).d[0], 16 + 2 * 16 + 16 + 16);
  EXPECT_EQ(product_of(w, step_products(w, m), 1).d[8], 64);
}

TEST(Operands, AreDrawnAgainFromTheSameSeed) {
  const Mma w{.input = bf16};
  EXPECT_EQ(draw(w, 5).a, draw(w, 5).a);
  EXPECT_NE(draw(w, 5).a, draw(w, 6).a);
  Mma zeros = w;
  zeros.data = MmaData::zeros;
  EXPECT_EQ(draw(zeros, 5).b, std::vector<std::uint32_t>(draw(zeros, 5).b.size()));
}

TEST(Operands, ActivationsAreNeverNegativeAndHalfZero) {
  const Mma w{.data = MmaData::activations};
  const Matrices m = draw(w, 11);
  std::size_t zero = 0;
  for (const std::uint32_t bits : m.a) {
    EXPECT_GE(value_of(bf16, bits), 0);
    zero += value_of(bf16, bits) == 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(zero) / static_cast<double>(m.a.size()), 0.5, 0.05);
}

TEST(Image, ANumberIsWhereTheLayoutSays) {
  const Mma w{.n = 16, .b_mn_major = true, .swizzle = Swizzle::b32};
  const Matrices m = draw(w, 2);
  const auto a = image_of_a(w, m, 0);
  const auto b = image_of_b(w, m, 0);
  // A: row 5, K = 20 is byte 40: the second panel of 32 bytes, byte 8 of row 5, in address bit 7 the other
  // half.
  EXPECT_EQ(a[64 * 32 + 5 * 32 + (8 ^ 16)], m.a[5 * 64 + 20] & 0xFF);
  // B, turned: column 3, K = 9 is row 9, byte 6.
  const std::size_t at = 9 * 32 + 6;
  EXPECT_EQ(b[at ^ ((at >> 7 & 1) << 4)], m.b[3 * 64 + 9] & 0xFF);
}

TEST(Image, SixBitNumbersArePackedIn12Of16Bytes) {
  const Mma w{.family = MmaFamily::tcgen05, .input = e2m3, .m = 64, .n = 8};
  Matrices m = draw(w, 2);
  m.a.assign(m.a.size(), 0);
  m.a[1] = 0x3F;   // bits 6 to 11
  m.a[16] = 0x01;  // the first of the next 16 bytes
  const auto words = row_words(w, m.a, m.stored_k, 0);
  EXPECT_EQ(words[0], 0xFC0U);
  EXPECT_EQ(words[4], 1U);
}

TEST(Fragments, AWarpgroupHasTheRowsOfThePtxIsa) {
  // PTX ISA, wgmma m64nNk16, register fragments of A: thread 37 is lane 5 of warp 1: rows 17 and 25, K
  // from 2.
  const Mma w{.operands = Operands::rs};
  const Matrices m = draw(w, 2);
  const auto f = fragments_of_a(w, m, 0, 128);
  const auto pair = [&](int row, int k) {
    const auto at = static_cast<std::size_t>(row * 64 + k);
    return m.a[at] | m.a[at + 1] << 16;
  };
  EXPECT_EQ(f[0 * 128 + 37], pair(17, 2));
  EXPECT_EQ(f[1 * 128 + 37], pair(25, 2));
  EXPECT_EQ(f[2 * 128 + 37], pair(17, 10));
  EXPECT_EQ(f[3 * 128 + 37], pair(25, 10));
  EXPECT_EQ(f[4 * 128 + 37], pair(17, 18));  // the next step of K
}

TEST(Fragments, AccumulatorsStandAsInThePtxIsa) {
  // PTX ISA, wgmma D fragment: d4 of lane 5 is row 1, column 10; d2 is row 9, column 2.
  const Place four = place_of(f32, 4, 5);
  EXPECT_EQ(four.row, 1);
  EXPECT_EQ(four.column, 10);
  const Place two = place_of(f32, 2, 5);
  EXPECT_EQ(two.row, 9);
  EXPECT_EQ(two.column, 2);
  const Place packed = place_of(f16, 3, 5);  // the second pair of columns 8 to 15
  EXPECT_EQ(packed.row, 9);
  EXPECT_EQ(packed.column, 10);
  EXPECT_EQ(registers_of(f32, 128), 64);
  EXPECT_EQ(registers_of(f16, 128), 32);
}

Mma tcgen05(int m, int sms) {
  return {.family = MmaFamily::tcgen05, .m = m, .n = 64, .operands = Operands::ts, .groups = sms};
}

TEST(TensorMemory, ElementsOfDLieAsInThePtxIsa) {
  const auto at = [](const Mma& w, int rank, int lane, int column) {
    return place_in_tensor_memory(w, rank, lane, column);
  };
  EXPECT_EQ(at(tcgen05(128, 1), 0, 77, 5)->row, 77);
  EXPECT_EQ(at(tcgen05(256, 2), 1, 3, 5)->row, 131);
  EXPECT_EQ(at(tcgen05(64, 1), 0, 33, 5)->row, 17);  // 16 rows in the first half of each 32 lanes
  EXPECT_FALSE(at(tcgen05(64, 1), 0, 16, 5).has_value());
  EXPECT_EQ(at(tcgen05(128, 2), 1, 70, 5)->row, 70);  // row 6 of the second SM
  EXPECT_EQ(at(tcgen05(128, 2), 1, 70, 5)->column, 37);
  EXPECT_EQ(tensor_memory_columns(tcgen05(128, 2)), 32);
  EXPECT_EQ(tensor_memory_columns(tcgen05(256, 2)), 64);
}

TEST(TensorMemory, EveryElementOfDHasOnePlace) {
  for (const Mma& w : {tcgen05(64, 1), tcgen05(128, 1), tcgen05(128, 2), tcgen05(256, 2)}) {
    std::vector<int> seen(static_cast<std::size_t>(w.m * w.n));
    for (int rank = 0; rank < w.groups; ++rank)
      for (int lane = 0; lane < 128; ++lane)
        for (int c = 0; c < tensor_memory_columns(w); ++c)
          if (const auto p = place_in_tensor_memory(w, rank, lane, c))
            ++seen[static_cast<std::size_t>(p->row * w.n + p->column)];
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << instruction_of(w);
  }
}

TEST(TensorMemory, ScalesStandInEvery32Lanes) {
  // 160 rows, 8 blocks of K: two blocks of 128 rows, hence 8 words for the first four blocks of K.
  std::vector<std::uint32_t> scales(160 * 8);
  scales[130 * 8 + 5] = 0xAB;  // row 130, block 5
  const auto words = scales_in_tensor_memory(scales, 8, 0, 160, 32);
  for (int lane = 2; lane < 128; lane += 32)
    EXPECT_EQ(words[static_cast<std::size_t>(lane * 32 + 8 + 4)], 0xAB00U);
  EXPECT_EQ(words[0 * 32 + 12], 0U);
}

TEST(TensorMemory, AStepTakesTheScalesOfItsBlocks) {
  Mma w = tcgen05(128, 1);
  w.input = mxf8;  // a scale a step
  EXPECT_EQ(scale_place(w, 3, 128).id, 3);
  EXPECT_EQ(scale_place(w, 3, 128).word, 0);
  w.input = mxf4;  // two a step
  EXPECT_EQ(scale_place(w, 3, 128).id, 2);
  EXPECT_EQ(scale_place(w, 3, 128).word, 4);
  w.input = nvf4;  // four
  EXPECT_EQ(scale_place(w, 3, 256).id, 0);
  EXPECT_EQ(scale_place(w, 3, 256).word, 24);
}

}  // namespace
}  // namespace plumb::mma

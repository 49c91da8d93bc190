// SPDX-License-Identifier: Apache-2.0
#include "mma/layout.h"

#include <set>

#include "support.h"

namespace plumb::mma {
namespace {

Tile k_major(int rows, Swizzle swizzle) { return {.rows = rows, .row_bytes = 128, .swizzle = swizzle}; }

TEST(TileLayout, WithoutASwizzleRowsOf16BytesLieInPanels) {
  const Tile t = k_major(64, Swizzle::none);
  EXPECT_EQ(offset_in(t, 0, 0), 0);
  EXPECT_EQ(offset_in(t, 1, 0), 16);        // the next row of a core matrix of 8 x 16 bytes
  EXPECT_EQ(offset_in(t, 8, 0), 128);       // the next core matrix along M
  EXPECT_EQ(offset_in(t, 0, 16), 64 * 16);  // the next along K
  EXPECT_EQ(offset_in(t, 3, 37), 2 * 1024 + 3 * 16 + 5);
  EXPECT_EQ(strides_of(t), (Strides{.leading = 1024, .stride = 128}));
}

TEST(TileLayout, The128ByteSwizzleExchangesPiecesByRow) {
  const Tile t = k_major(64, Swizzle::b128);
  EXPECT_EQ(offset_in(t, 0, 16), 16);
  EXPECT_EQ(offset_in(t, 1, 0), 128 + 16);  // row 1: piece 0 at place 1
  EXPECT_EQ(offset_in(t, 1, 16), 128);      // and piece 1 at place 0
  EXPECT_EQ(offset_in(t, 7, 0), 7 * 128 + 7 * 16);
  EXPECT_EQ(offset_in(t, 8, 0), 1024);  // the pattern is 1,024 bytes long
  EXPECT_EQ(strides_of(t), (Strides{.leading = 16, .stride = 1024}));
}

TEST(TileLayout, NarrowerSwizzlesHaveShorterPatterns) {
  EXPECT_EQ(offset_in(k_major(8, Swizzle::b64), 2, 0), 2 * 64 + 16);  // address bits 7 and 8
  EXPECT_EQ(offset_in(k_major(8, Swizzle::b64), 1, 0), 64);
  EXPECT_EQ(offset_in(k_major(8, Swizzle::b32), 4, 0), 4 * 32 + 16);  // address bit 7
  EXPECT_EQ(strides_of(k_major(8, Swizzle::b64)).stride, 512);
  EXPECT_EQ(strides_of(k_major(8, Swizzle::b32)).stride, 256);
}

TEST(TileLayout, MnMajorTilesHaveRowsOfK) {
  // 64 of K in rows, 128 of N: two panels of 64 numbers.
  const Tile t{.rows = 64, .row_bytes = 256, .swizzle = Swizzle::b128, .mn_major = true};
  EXPECT_EQ(offset_in(t, 0, 128), 64 * 128);
  EXPECT_EQ(strides_of(t), (Strides{.leading = 8192, .stride = 1024}));
  EXPECT_EQ(step_offset(t, 1, 32, 16), 16 * 128);
  const Tile plain{.rows = 64, .row_bytes = 256, .swizzle = Swizzle::none, .mn_major = true};
  EXPECT_EQ(strides_of(plain), (Strides{.leading = 128, .stride = 1024}));
}

TEST(TileLayout, AStepOfKIsAnOffset) {
  EXPECT_EQ(step_offset(k_major(64, Swizzle::b128), 3, 32, 16), 96);
  EXPECT_EQ(step_offset(k_major(64, Swizzle::b64), 3, 32, 16), 64 * 64 + 32);
  EXPECT_EQ(step_offset(k_major(64, Swizzle::b32), 3, 32, 16), 3 * 64 * 32);
  EXPECT_EQ(step_offset(k_major(64, Swizzle::none), 1, 32, 16), 2 * 64 * 16);
}

PLUMB_PROPERTY(TileLayout, EveryByteHasAPlaceOfItsOwn, [] {
  const Tile t{.rows = 8 * *rc::gen::inRange(1, 9),
               .row_bytes = 16 * *rc::gen::inRange(1, 17),
               .swizzle = *rc::gen::element(Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128)};
  std::set<std::int64_t> places;
  for (int row = 0; row < t.rows; ++row)
    for (int at = 0; at < t.row_bytes; ++at) {
      const std::int64_t place = offset_in(t, row, at);
      RC_ASSERT(place >= 0 && place < bytes_of(t));
      RC_ASSERT(places.insert(place).second);
    }
})

}  // namespace
}  // namespace plumb::mma

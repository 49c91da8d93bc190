// SPDX-License-Identifier: Apache-2.0
#include "mma/layout.h"

namespace plumb::mma {
namespace {

constexpr std::int64_t kPiece = 16;      // bytes that a swizzle moves as one
constexpr std::int64_t kGroup = 8;       // rows of a core matrix
constexpr std::int64_t kPattern = 1024;  // the longest pattern of a swizzle, to which tiles are aligned

std::int64_t panel_bytes(const Tile& tile) { return std::int64_t{tile.rows} * width_of(tile.swizzle); }

}  // namespace

int width_of(Swizzle swizzle) noexcept { return 16 << static_cast<int>(swizzle); }

std::int64_t bytes_of(const Tile& tile) noexcept {
  const int width = width_of(tile.swizzle);
  const std::int64_t panels = (tile.row_bytes + width - 1) / width;
  return (panels * panel_bytes(tile) + kPattern - 1) / kPattern * kPattern;
}

std::int64_t offset_in(const Tile& tile, int row, int at) noexcept {
  const std::int64_t width = width_of(tile.swizzle);
  const std::int64_t plain = at / width * panel_bytes(tile) + row * width + at % width;
  const std::int64_t mask = width / kPiece - 1;
  return plain ^ (((plain >> 7) & mask) << 4);
}

std::int64_t step_offset(const Tile& tile, int step, int step_bytes, int step_rows) noexcept {
  const std::int64_t width = width_of(tile.swizzle);
  if (tile.mn_major) return std::int64_t{step} * step_rows * width;
  const std::int64_t at = std::int64_t{step} * step_bytes;
  return at / width * panel_bytes(tile) + at % width;
}

Strides strides_of(const Tile& tile) noexcept {
  const std::int64_t width = width_of(tile.swizzle);
  const std::int64_t group = kGroup * width;
  if (!tile.mn_major) {
    if (tile.swizzle == Swizzle::none) return {.leading = panel_bytes(tile), .stride = group};
    return {.leading = kPiece, .stride = group};
  }
  if (tile.swizzle == Swizzle::none) return {.leading = group, .stride = panel_bytes(tile)};
  return {.leading = panel_bytes(tile), .stride = group};
}

}  // namespace plumb::mma

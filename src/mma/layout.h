// SPDX-License-Identifier: Apache-2.0
// How the tiles of the tensor cores lie in shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/core/mma.h"

namespace plumb::mma {

/// A place that was worked out in int, as those of rows, columns and threads are.
[[nodiscard]] constexpr std::size_t index(int place) noexcept { return static_cast<std::size_t>(place); }

/// Bytes over which a swizzle works: 16 (none), 32, 64, 128.
[[nodiscard]] int width_of(Swizzle swizzle) noexcept;

/// A tile as the canonical layouts of the PTX ISA have it: panels as wide as the swizzle, in each of which
/// the rows lie one after another. A row runs along K where the tile is K-major, along M or N where it is
/// MN-major.
struct Tile {
  int rows = 0;       ///< K-major: of M or N; MN-major: of K
  int row_bytes = 0;  ///< of all panels together
  Swizzle swizzle = Swizzle::b128;
  bool mn_major = false;

  bool operator==(const Tile&) const = default;
};

/// Bytes of the tile, whole panels, a multiple of 1024.
[[nodiscard]] std::int64_t bytes_of(const Tile& tile) noexcept;

/// Where byte `at` of row `row` lies. A swizzle exchanges 16-byte pieces by the three address bits above 128.
[[nodiscard]] std::int64_t offset_in(const Tile& tile, int row, int at) noexcept;

/// Offset of step `step` of K from the start of the tile, for a descriptor. `step_bytes` of each row, or rows
/// of `step_rows` where the tile is MN-major.
[[nodiscard]] std::int64_t step_offset(const Tile& tile, int step, int step_bytes, int step_rows) noexcept;

/// The two strides of a matrix descriptor, in bytes.
struct Strides {
  std::int64_t leading = 0;
  std::int64_t stride = 0;

  bool operator==(const Strides&) const = default;
};

/// PTX ISA, "Strides": for K-major tiles with a swizzle the leading one is not used and stands as 16.
[[nodiscard]] Strides strides_of(const Tile& tile) noexcept;

}  // namespace plumb::mma

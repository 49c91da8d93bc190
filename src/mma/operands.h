// SPDX-License-Identifier: Apache-2.0
// The matrices of a case, their image in shared memory and registers, and the product that must come out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mma/layout.h"
#include "plumb/core/mma.h"

namespace plumb::mma {

/// A and B of kMmaSteps steps of K, as bit patterns. A has the rows of all groups one after another, and only
/// its stored half where it is sparse.
struct Matrices {
  int rows = 0;                        ///< of A
  int columns = 0;                     ///< of B
  int stored_k = 0;                    ///< of A over all steps
  int k = 0;                           ///< of B over all steps
  std::vector<std::uint32_t> a;        ///< [row][stored_k]
  std::vector<std::uint32_t> b;        ///< [column][k]
  std::vector<std::uint32_t> scale_a;  ///< block scaled: [row][block], ue8m0 or ue4m3
  std::vector<std::uint32_t> scale_b;  ///< [column][block]
  int pattern = 0;                     ///< sparse: the four bits of metadata, the same for all
};

/// Draws them. The same seed gives the same matrices.
[[nodiscard]] Matrices draw(const Mma& work, std::uint64_t seed);

/// Numbers of K that share a scale; 0 where there is none.
[[nodiscard]] int block_of(Number input) noexcept;

/// A B of each step of K by itself, and the sums of |a b|: [step][row][column].
struct StepProducts {
  std::array<std::vector<double>, kMmaSteps> d;
  std::array<std::vector<double>, kMmaSteps> size;
};
[[nodiscard]] StepProducts step_products(const Mma& work, const Matrices& matrices);

/// D after a batch of `in_flight` instructions: each step of K as often as an instruction walks it.
struct Product {
  std::vector<double> d;  ///< [row][column]
  /// How far a right result may be off: the greatest sum of |a b| of an element, times the instructions,
  /// times one step of the accumulator. 16-bit and tf32 inputs add in 22 bits or more, 8-bit floats in 13
  /// (DeepSeek-V3 report, arXiv:2412.19437, saw 14 on Hopper), f16 accumulators hold 11. Zero for integers.
  double bound = 0.0;
};
[[nodiscard]] Product product_of(const Mma& work, const StepProducts& steps, int in_flight);

/// The tiles of one group's A (64 rows for wgmma, M of an SM for tcgen05) and of B.
[[nodiscard]] Tile tile_of_a(const Mma& work) noexcept;
[[nodiscard]] Tile tile_of_b(const Mma& work) noexcept;
/// Rows of A in one tile.
[[nodiscard]] int rows_of_a_tile(const Mma& work) noexcept;
/// Rows of B in one tile: half of N where two SMs share an instruction.
[[nodiscard]] int rows_of_b_tile(const Mma& work) noexcept;

/// The bytes of one tile: rows `first` and on of A, or columns of B.
[[nodiscard]] std::vector<std::uint8_t> image_of_a(const Mma& work, const Matrices& m, int first);
[[nodiscard]] std::vector<std::uint8_t> image_of_b(const Mma& work, const Matrices& m, int first);

/// The four registers of A for each step of each thread of a warpgroup, as wgmma and mma.sync want them:
/// [step][register][thread]. `first` is the first row, `threads` 128 (64 rows) or 32 (16 rows).
[[nodiscard]] std::vector<std::uint32_t> fragments_of_a(const Mma& work, const Matrices& m, int first,
                                                        int threads);
/// The two registers of B (mma.sync, 8 columns): [step][register][thread].
[[nodiscard]] std::vector<std::uint32_t> fragments_of_b(const Mma& work, const Matrices& m);

/// Where register `index` of a thread's accumulators stands in D: row within the 16 rows of its warp, column.
/// Packed f16 accumulators hold this column and the next.
struct Place {
  int row = 0;
  int column = 0;
};
[[nodiscard]] Place place_of(Number output, int index, int lane) noexcept;
/// One row of numbers as 32-bit words, the first number in the lowest bits.
[[nodiscard]] std::vector<std::uint32_t> row_words(const Mma& work, const std::vector<std::uint32_t>& numbers,
                                                   int k, int row);
/// Accumulator registers of a thread for n columns.
[[nodiscard]] constexpr int registers_of(Number output, int n) noexcept {
  return output == Number::f16 ? n / 4 : n / 2;
}

/// What each register must hold: [register][thread], as the bits of a float, an integer, or two halves.
[[nodiscard]] std::vector<std::uint32_t> expected_registers(const Mma& work, const Product& product,
                                                            int first, int threads);

}  // namespace plumb::mma

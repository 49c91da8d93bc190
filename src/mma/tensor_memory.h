// SPDX-License-Identifier: Apache-2.0
// Where D, A and scale factors lie in the tensor memory of each SM (PTX ISA, tcgen05 "Data path layout
// organization" and "Block scaling").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mma/operands.h"

namespace plumb::mma {

/// The element of D that `lane` of the SM `rank` holds in `column`; none where the lane is not used. M = 128
/// of one SM and 256 of two: a lane is a row. M = 64 of one: 16 rows in the first 16 lanes of each 32. M =
/// 128 of two: rows in lanes 0 to 63, and the right half of the columns in lanes 64 to 127.
[[nodiscard]] std::optional<Place> place_in_tensor_memory(const Mma& work, int rank, int lane,
                                                          int column) noexcept;

/// Columns that D takes, and lanes of each 32 that hold some of it.
[[nodiscard]] int tensor_memory_columns(const Mma& work) noexcept;
[[nodiscard]] int tensor_memory_rows(const Mma& work) noexcept;

/// A of the SM `rank` in tensor memory: [lane][word], kMmaSteps x 8 words. Lanes that D does not use hold the
/// rows of their neighbours too.
[[nodiscard]] std::vector<std::uint32_t> a_in_tensor_memory(const Mma& work, const Matrices& m, int rank);

/// Scale factors of rows `first` to `first + rows`: [lane][word], the same in each 32 lanes. Row r is in lane
/// r mod 32 and word r / 32 of its block of 128 rows; a word has the scales of four blocks of K, and where
/// there are more, further words follow, `words` in all.
[[nodiscard]] std::vector<std::uint32_t> scales_in_tensor_memory(const std::vector<std::uint32_t>& scales,
                                                                 int blocks, int first, int rows, int words);

/// The word of the scales of a step of K, for `rows` rows, and which bytes of it: the ID of a descriptor.
struct ScalePlace {
  int word = 0;
  int id = 0;
};
[[nodiscard]] ScalePlace scale_place(const Mma& work, int step, int rows) noexcept;

}  // namespace plumb::mma

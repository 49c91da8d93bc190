// SPDX-License-Identifier: Apache-2.0
#include "mma/tensor_memory.h"

#include <algorithm>

namespace plumb::mma {
namespace {

constexpr int kLanes = 128;
constexpr int kWarp = 32;
constexpr int kHalfWarp = 16;
constexpr int kHalf = 64;
constexpr int kRowsOfABlock = 128;
constexpr int kWordsOfABlock = kRowsOfABlock / kWarp;
constexpr int kScalesOfAWord = 4;

bool is_small(const Mma& w) { return w.groups == 1 && w.m == kHalf; }
bool is_split(const Mma& w) { return w.groups == 2 && w.m == 2 * kHalf; }

/// The row of this SM that a lane of A holds.
int row_of(const Mma& w, int lane) {
  if (is_small(w)) return lane / kWarp * kHalfWarp + lane % kHalfWarp;
  return is_split(w) ? lane % kHalf : lane;
}

}  // namespace

std::optional<Place> place_in_tensor_memory(const Mma& work, int rank, int lane, int column) noexcept {
  if (is_small(work) && lane % kWarp >= kHalfWarp) return std::nullopt;
  Place p{.row = row_of(work, lane) + rank * rows_of_a_tile(work), .column = column};
  if (is_split(work) && lane >= kHalf) p.column += work.n / 2;
  return p;
}

int tensor_memory_columns(const Mma& work) noexcept { return is_split(work) ? work.n / 2 : work.n; }
int tensor_memory_rows(const Mma& work) noexcept { return is_small(work) ? kHalfWarp : kWarp; }

std::vector<std::uint32_t> a_in_tensor_memory(const Mma& work, const Matrices& m, int rank) {
  constexpr int kWords = kMmaSteps * kMmaRowBytes / 4;
  std::vector<std::uint32_t> out(static_cast<std::size_t>(kLanes * kWords));
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto words = row_words(work, m.a, m.stored_k, row_of(work, lane) + rank * rows_of_a_tile(work));
    std::copy(words.begin(), words.end(), out.begin() + static_cast<std::ptrdiff_t>(lane) * kWords);
  }
  return out;
}

std::vector<std::uint32_t> scales_in_tensor_memory(const std::vector<std::uint32_t>& scales, int blocks,
                                                   int first, int rows, int words) {
  std::vector<std::uint32_t> out(static_cast<std::size_t>(kLanes * words));
  const int row_blocks = (rows + kRowsOfABlock - 1) / kRowsOfABlock;
  for (int row = 0; row < rows; ++row)
    for (int block = 0; block < blocks; ++block) {
      const int word = block / kScalesOfAWord * row_blocks * kWordsOfABlock + row / kWarp;
      const std::uint32_t bits = scales[index((first + row) * blocks + block)]
                                 << (8 * (block % kScalesOfAWord));
      for (int lane = row % kWarp; lane < kLanes; lane += kWarp) out[index(lane * words + word)] |= bits;
    }
  return out;
}

ScalePlace scale_place(const Mma& work, int step, int rows) noexcept {
  const int size = block_of(work.input);
  if (size == 0) return {};
  const int block = step * k_of(work) / size;
  const int row_blocks = (rows + kRowsOfABlock - 1) / kRowsOfABlock;
  return {.word = block / kScalesOfAWord * row_blocks * kWordsOfABlock, .id = block % kScalesOfAWord};
}

}  // namespace plumb::mma

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plumb::stats {

/// Two nodes that became one. Leaves are nodes 0 to n - 1; merge i makes node n + i.
struct Merge {
  std::size_t left = 0;
  std::size_t right = 0;
  double height = 0.0;  ///< mean distance between the leaves of one and those of the other
};

/// Agglomerative clustering by average linkage (UPGMA; Sokal and Michener 1958). `distances` is n x n,
/// symmetric, row by row. n - 1 merges with heights that do not fall. Throws std::invalid_argument where it
/// is not square.
[[nodiscard]] std::vector<Merge> cluster(std::span<const double> distances, std::size_t n);

/// The order of the leaves that the tree allows and that makes the sum of the distances between neighbours
/// least (Bar-Joseph, Gifford, Jaakkola 2001).
[[nodiscard]] std::vector<std::size_t> leaf_order(std::span<const Merge> merges,
                                                  std::span<const double> distances, std::size_t n);

/// The class of each leaf when only merges of at most `height` are done; classes are numbered in the order of
/// their first leaves.
[[nodiscard]] std::vector<int> cut(std::span<const Merge> merges, std::size_t n, double height);

}  // namespace plumb::stats

// SPDX-License-Identifier: Apache-2.0
#include "stats/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "support.h"

namespace plumb::stats {
namespace {

/// Points on a line, and their distances.
std::vector<double> distances_of(const std::vector<double>& points) {
  std::vector<double> d;
  for (const double a : points)
    for (const double b : points) d.push_back(std::abs(a - b));
  return d;
}

double length(const std::vector<std::size_t>& order, const std::vector<double>& d) {
  const auto n = order.size();
  double sum = 0.0;
  for (std::size_t i = 1; i < n; ++i) sum += d[order[i - 1] * n + order[i]];
  return sum;
}

/// The leaves below a node.
std::vector<std::size_t> below(const std::vector<Merge>& merges, std::size_t n, std::size_t node) {
  if (node < n) return {node};
  auto out = below(merges, n, merges[node - n].left);
  const auto more = below(merges, n, merges[node - n].right);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(Hierarchy, AverageLinkageByHand) {
  // 0 and 1 at distance 1; 10 and 12 at distance 2; between the pairs (10 + 12 + 9 + 11) / 4 = 10.5; and 40,
  // whose distances are 40, 39, 30, 28.
  const auto merges = cluster(distances_of({0, 10, 1, 40, 12}), 5);
  ASSERT_EQ(merges.size(), 4U);
  EXPECT_DOUBLE_EQ(merges[0].height, 1.0);
  EXPECT_DOUBLE_EQ(merges[1].height, 2.0);
  EXPECT_DOUBLE_EQ(merges[2].height, 10.5);
  EXPECT_DOUBLE_EQ(merges[3].height, (40 + 39 + 30 + 28) / 4.0);
  EXPECT_EQ(cut(merges, 5, 0.5), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(cut(merges, 5, 2.0), (std::vector<int>{0, 1, 0, 2, 1}));
  EXPECT_EQ(cut(merges, 5, 11.0), (std::vector<int>{0, 0, 0, 1, 0}));
}

TEST(Hierarchy, LeavesOfALineAreInItsOrder) {
  const auto d = distances_of({0, 10, 1, 40, 12});
  const auto order = leaf_order(cluster(d, 5), d, 5);
  const std::vector<std::size_t> rising{0, 2, 1, 4, 3};
  EXPECT_TRUE(order == rising || std::equal(order.begin(), order.end(), rising.rbegin()));
}

TEST(Hierarchy, OneLeafIsAnOrderOfItsOwn) {
  const std::vector<double> d{0.0};
  EXPECT_TRUE(cluster(d, 1).empty());
  EXPECT_EQ(leaf_order({}, d, 1), std::vector<std::size_t>{0});
}

TEST(Hierarchy, DistancesThatAreNoSquareAreRefused) {
  EXPECT_THROW((void)cluster(std::vector<double>{0, 1, 1}, 2), std::invalid_argument);
  EXPECT_THROW((void)cluster(std::vector<double>{}, 0), std::invalid_argument);
}

void check_random_tree() {
  const auto n = *rc::gen::inRange<std::size_t>(2, 8);
  std::vector<double> d(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) d[i * n + j] = d[j * n + i] = *rc::gen::inRange(1, 1000);
  const auto merges = cluster(d, n);
  for (std::size_t m = 1; m < merges.size(); ++m) RC_ASSERT(merges[m].height >= merges[m - 1].height - 1e-9);
  const auto order = leaf_order(merges, d, n);
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < n; ++i) RC_ASSERT(sorted[i] == i);
  // Every order of the leaves in which each subtree stays together is at least as long.
  std::vector<std::size_t> other(n);
  std::iota(other.begin(), other.end(), std::size_t{0});
  double least = length(order, d);
  do {
    const bool allowed = std::all_of(merges.begin(), merges.end(), [&, m = n](const Merge&) mutable {
      const auto leaves = below(merges, n, m++);
      std::size_t from = n;
      std::size_t to = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (std::find(leaves.begin(), leaves.end(), other[i]) == leaves.end()) continue;
        from = std::min(from, i);
        to = std::max(to, i);
      }
      return to - from + 1 == leaves.size();
    });
    if (allowed) RC_ASSERT(length(other, d) >= least - 1e-9);
  } while (std::next_permutation(other.begin(), other.end()));
}

PLUMB_PROPERTY(Hierarchy, HeightsNeverFallAndNoAllowedOrderIsShorter, check_random_tree)

}  // namespace
}  // namespace plumb::stats

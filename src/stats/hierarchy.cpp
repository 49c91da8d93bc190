// SPDX-License-Identifier: Apache-2.0
#include "stats/hierarchy.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace plumb::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The best orders of all subtrees, by their end leaves. A pair of leaves ends an order of one node alone:
/// the smallest that has both.
class Orders {
 public:
  Orders(std::span<const Merge> merges, std::span<const double> distances, std::size_t n)
      : merges_(merges), distances_(distances), n_(n), best_(n * n, kInfinity), leaves_(n + merges.size()) {
    for (std::size_t i = 0; i < n; ++i) {
      leaves_[i] = {i};
      best(i, i) = 0.0;
    }
    for (std::size_t m = 0; m < merges.size(); ++m) solve(n + m);
  }

  [[nodiscard]] std::vector<std::size_t> of_root() const {
    if (merges_.empty()) return leaves_.front();
    const std::size_t root = n_ + merges_.size() - 1;
    std::size_t first = 0;
    std::size_t last = 0;
    double least = kInfinity;
    for (const std::size_t i : leaves_[left(root)]) {
      for (const std::size_t j : leaves_[right(root)]) {
        if (at(i, j) >= least) continue;
        least = at(i, j);
        first = i;
        last = j;
      }
    }
    return between(root, first, last);
  }

 private:
  [[nodiscard]] std::size_t left(std::size_t node) const { return merges_[node - n_].left; }
  [[nodiscard]] std::size_t right(std::size_t node) const { return merges_[node - n_].right; }
  [[nodiscard]] double distance(std::size_t a, std::size_t b) const { return distances_[a * n_ + b]; }
  [[nodiscard]] double at(std::size_t a, std::size_t b) const { return best_[a * n_ + b]; }
  double& best(std::size_t a, std::size_t b) { return best_[a * n_ + b]; }
  [[nodiscard]] bool holds(std::size_t node, std::size_t leaf) const {
    return std::find(leaves_[node].begin(), leaves_[node].end(), leaf) != leaves_[node].end();
  }
  /// The leaves at which an order of `node` can end that begins with `leaf`.
  [[nodiscard]] const std::vector<std::size_t>& ends(std::size_t node, std::size_t leaf) const {
    if (node < n_) return leaves_[node];
    return leaves_[holds(left(node), leaf) ? right(node) : left(node)];
  }

  void solve(std::size_t node) {
    const std::size_t a = left(node);
    const std::size_t b = right(node);
    leaves_[node] = leaves_[a];
    leaves_[node].insert(leaves_[node].end(), leaves_[b].begin(), leaves_[b].end());
    for (const std::size_t i : leaves_[a]) {
      std::vector<double> reach(n_, kInfinity);  // the best way from i through all of a to a leaf of b
      for (const std::size_t l : leaves_[b])
        for (const std::size_t k : ends(a, i)) reach[l] = std::min(reach[l], at(i, k) + distance(k, l));
      for (const std::size_t j : leaves_[b])
        for (const std::size_t l : ends(b, j)) best(i, j) = std::min(at(i, j), reach[l] + at(l, j));
      for (const std::size_t j : leaves_[b]) best(j, i) = at(i, j);
    }
  }

  /// The order of `node` that begins with `first` and ends with `last`.
  [[nodiscard]] std::vector<std::size_t> between(std::size_t node, std::size_t first,
                                                 std::size_t last) const {
    if (node < n_) return {node};
    const bool straight = holds(left(node), first);
    const std::size_t a = straight ? left(node) : right(node);
    const std::size_t b = straight ? right(node) : left(node);
    double least = kInfinity;
    std::size_t k_best = first;
    std::size_t l_best = last;
    for (const std::size_t k : ends(a, first)) {
      for (const std::size_t l : ends(b, last)) {
        const double sum = at(first, k) + distance(k, l) + at(l, last);
        if (sum >= least) continue;
        least = sum;
        k_best = k;
        l_best = l;
      }
    }
    std::vector<std::size_t> order = between(a, first, k_best);
    const std::vector<std::size_t> rest = between(b, l_best, last);
    order.insert(order.end(), rest.begin(), rest.end());
    return order;
  }

  std::span<const Merge> merges_;
  std::span<const double> distances_;
  std::size_t n_;
  std::vector<double> best_;
  std::vector<std::vector<std::size_t>> leaves_;
};

void check(std::span<const double> distances, std::size_t n) {
  if (n == 0 || distances.size() != n * n)
    throw std::invalid_argument("distances must be a square of one row or more");
}

}  // namespace

std::vector<Merge> cluster(std::span<const double> distances, std::size_t n) {
  check(distances, n);
  std::vector<double> d(distances.begin(), distances.end());
  std::vector<std::size_t> node(n);  // that stands in row i
  std::vector<double> size(n, 1.0);
  std::vector<bool> gone(n, false);
  std::iota(node.begin(), node.end(), std::size_t{0});
  std::vector<Merge> merges;
  while (merges.size() + 1 < n) {
    std::size_t a = 0;
    std::size_t b = 0;
    double least = kInfinity;
    for (std::size_t i = 0; i < n; ++i) {
      if (gone[i]) continue;
      for (std::size_t j = i + 1; j < n; ++j) {
        if (gone[j] || d[i * n + j] >= least) continue;
        least = d[i * n + j];
        a = i;
        b = j;
      }
    }
    merges.push_back({.left = node[a], .right = node[b], .height = least});
    for (std::size_t k = 0; k < n; ++k) {
      if (gone[k] || k == a || k == b) continue;
      const double mean = (size[a] * d[a * n + k] + size[b] * d[b * n + k]) / (size[a] + size[b]);
      d[a * n + k] = d[k * n + a] = mean;
    }
    size[a] += size[b];
    gone[b] = true;
    node[a] = n + merges.size() - 1;
  }
  return merges;
}

std::vector<std::size_t> leaf_order(std::span<const Merge> merges, std::span<const double> distances,
                                    std::size_t n) {
  check(distances, n);
  return Orders(merges, distances, n).of_root();
}

std::vector<int> cut(std::span<const Merge> merges, std::size_t n, double height) {
  std::vector<std::size_t> parent(n + merges.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  for (std::size_t m = 0; m < merges.size(); ++m) {
    if (merges[m].height > height) continue;
    parent[merges[m].left] = n + m;
    parent[merges[m].right] = n + m;
  }
  std::vector<int> label(parent.size(), -1);
  std::vector<int> out;
  int next = 0;
  for (std::size_t leaf = 0; leaf < n; ++leaf) {
    std::size_t root = leaf;
    while (parent[root] != root) root = parent[root];
    if (label[root] < 0) label[root] = next++;
    out.push_back(label[root]);
  }
  return out;
}

}  // namespace plumb::stats

// SPDX-License-Identifier: Apache-2.0
#include "dsm/tomography/partition.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace plumb::dsm::tomo {
namespace {

constexpr double kNever = std::numeric_limits<double>::lowest();
// Taking such a group apart is e^40 times likelier, whatever the rest is: it adds nothing to any sum.
constexpr double kLeastWeight = -40.0;

struct Group {
  Mask mask;
  double weight;  // its logarithm until scale() has run
};

class Sums {
 public:
  Sums(const PairEvidence& evidence, const GroupRules& rules)
      : items_(evidence.items()),
        layers_(rules.most_groups == 0 ? 1 : rules.most_groups),
        bounded_(rules.most_groups != 0),
        groups_(static_cast<std::size_t>(items_)) {
    // A bound on the number of groups can make any group necessary; then none is left out.
    const double least = bounded_ ? kNever : kLeastWeight;
    for (int i = 0; i < items_; ++i) grow(evidence, rules.most_items, least, i, i, Mask{1} << i, 0.0);
    scale();
    run();
  }

  [[nodiscard]] PartitionPosterior posterior() const {
    const Mask all = (Mask{1} << items_) - 1;
    const double total = total_.back()[all];
    PartitionPosterior out;
    if (total <= 0.0) return out;
    out.together.assign(static_cast<std::size_t>(items_) * static_cast<std::size_t>(items_), 0.0);
    for (const auto& groups : groups_) {
      for (const Group& g : groups) add_together(out.together, g.mask, probability(g, total));
    }
    out.confidence = best_.back()[all] / total;
    std::size_t layer = total_.size() - 1;
    for (Mask left = all; left != 0; layer = below(layer)) {
      const Group& g = groups_[lowest(left)][choice_[layer][left]];
      out.best.push_back(g.mask);
      out.probabilities.push_back(std::min(1.0, probability(g, total)));
      left &= ~g.mask;
    }
    return out;
  }

 private:
  static std::size_t lowest(Mask m) { return static_cast<std::size_t>(std::countr_zero(m)); }
  /// The table of partitions with one group less.
  [[nodiscard]] std::size_t below(std::size_t layer) const { return bounded_ ? layer - 1 : layer; }

  void grow(const PairEvidence& evidence, int most, double least, int first, int last, Mask mask,
            double weight) {
    if (weight > least) groups_[static_cast<std::size_t>(first)].push_back({mask, weight});
    if (std::popcount(mask) == most) return;
    for (int next = last + 1; next < items_; ++next) {
      double more = weight;
      for (int i = first; i <= last; ++i)
        if ((mask >> i & 1U) != 0) more += evidence.at(i, next);
      grow(evidence, most, least, first, next, mask | Mask{1} << next, more);
    }
  }

  /// From logarithms to weights, divided by a factor for each item. Each item is in one group of each
  /// partition, so that this scales all partitions alike; the factors keep every weight within 0 and 1.
  void scale() {
    std::vector<double> factor(static_cast<std::size_t>(items_), kNever);
    for (const auto& groups : groups_) {
      for (const Group& g : groups) {
        for (Mask m = g.mask; m != 0; m &= m - 1)
          factor[lowest(m)] =
              std::max(factor[lowest(m)], g.weight / static_cast<double>(std::popcount(g.mask)));
      }
    }
    for (auto& groups : groups_) {
      for (Group& g : groups) {
        for (Mask m = g.mask; m != 0; m &= m - 1) g.weight -= factor[lowest(m)];
        g.weight = std::exp(g.weight);
      }
    }
  }

  void run() {
    const std::size_t subsets = std::size_t{1} << items_;
    const std::size_t tables = static_cast<std::size_t>(layers_) + (bounded_ ? 1 : 0);
    total_.assign(tables, std::vector<double>(subsets));
    best_ = total_;
    choice_.assign(tables, std::vector<std::uint16_t>(subsets));
    for (std::size_t layer = 0; layer < tables; ++layer) {
      total_[layer][0] = best_[layer][0] = 1.0;
      if (bounded_ && layer == 0) continue;
      for (Mask s = 1; s < subsets; ++s) fill(layer, s);
    }
  }

  void fill(std::size_t layer, Mask s) {
    const auto& groups = groups_[lowest(s)];
    const auto& rest_total = total_[below(layer)];
    const auto& rest_best = best_[below(layer)];
    double total = 0.0;
    double best = 0.0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if ((groups[g].mask & ~s) != 0) continue;
      const Mask rest = s & ~groups[g].mask;
      total += groups[g].weight * rest_total[rest];
      if (const double here = groups[g].weight * rest_best[rest]; here > best) {
        best = here;
        choice_[layer][s] = static_cast<std::uint16_t>(g);
      }
    }
    total_[layer][s] = total;
    best_[layer][s] = best;
  }

  [[nodiscard]] double probability(const Group& g, double total) const {
    const Mask rest = ((Mask{1} << items_) - 1) & ~g.mask;
    return g.weight * total_[below(total_.size() - 1)][rest] / total;
  }

  void add_together(std::vector<double>& together, Mask mask, double p) const {
    for (int i = 0; i < items_; ++i) {
      for (int j = 0; j < items_; ++j) {
        if ((mask >> i & 1U) != 0 && (mask >> j & 1U) != 0)
          together[static_cast<std::size_t>(i) * static_cast<std::size_t>(items_) +
                   static_cast<std::size_t>(j)] += p;
      }
    }
  }

  int items_;
  int layers_;
  bool bounded_;
  std::vector<std::vector<Group>> groups_;          // by their least item
  std::vector<std::vector<double>> total_;          // [groups at most][subset]: the sum over partitions
  std::vector<std::vector<double>> best_;           // the same of the likeliest alone
  std::vector<std::vector<std::uint16_t>> choice_;  // and the group in it that holds the least item
};

}  // namespace

PartitionPosterior partition_posterior(const PairEvidence& evidence, const GroupRules& rules) {
  return Sums(evidence, rules).posterior();
}

}  // namespace plumb::dsm::tomo

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace plumb::dsm::tomo {

/// Evidence about pairs of items: at (i, j) the logarithm of how much likelier the data are where i and j are
/// in one group than where they are not. Symmetric; zero where nothing is known.
class PairEvidence {
 public:
  explicit PairEvidence(int items)
      : items_(items), log_odds_(static_cast<std::size_t>(items) * static_cast<std::size_t>(items)) {}
  [[nodiscard]] int items() const { return items_; }
  [[nodiscard]] double at(int i, int j) const { return log_odds_[index(i, j)]; }
  void add(int i, int j, double log_odds) {
    log_odds_[index(i, j)] += log_odds;
    if (i != j) log_odds_[index(j, i)] += log_odds;
  }

 private:
  [[nodiscard]] std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(items_) + static_cast<std::size_t>(j);
  }
  int items_;
  std::vector<double> log_odds_;
};

/// Which groups are allowed; all partitions into such groups are equally likely before the data.
struct GroupRules {
  int most_items = 3;   ///< in one group
  int most_groups = 0;  ///< 0: any number
};

using Mask = std::uint32_t;  ///< of items: bit i for item i

/// What the evidence says of all partitions together.
struct PartitionPosterior {
  std::vector<Mask> best;             ///< groups of the likeliest partition, by their least item
  std::vector<double> probabilities;  ///< that each of those groups is a group, whatever the rest is
  double confidence = 0.0;            ///< probability of the likeliest partition
  std::vector<double> together;       ///< probability that i and j are in one group, at i * items + j
};

/// The exact posterior, by dynamic programming over subsets. A partition is weighed by the evidence of all
/// pairs that it puts together, so that the sum over all partitions is a sum over the group that holds the
/// least item, times the sum for the rest. At most 18 items; empty where no partition keeps the rules.
[[nodiscard]] PartitionPosterior partition_posterior(const PairEvidence& evidence, const GroupRules& rules);

}  // namespace plumb::dsm::tomo

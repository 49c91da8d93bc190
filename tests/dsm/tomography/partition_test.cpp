// SPDX-License-Identifier: Apache-2.0
#include "dsm/tomography/partition.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "support.h"

namespace plumb::dsm::tomo {
namespace {

TEST(Partition, WithoutEvidenceAllAreEquallyLikely) {
  // Of three items: 1|2|3, 12|3, 13|2, 23|1, 123.
  const auto p = partition_posterior(PairEvidence(3), {.most_items = 3});
  EXPECT_NEAR(p.confidence, 1.0 / 5, 1e-12);
  EXPECT_NEAR(p.together[1], 2.0 / 5, 1e-12);
  EXPECT_NEAR(p.together[0], 1.0, 1e-12);
}

TEST(Partition, EvidenceWeighsThePairsThatAreTogether) {
  PairEvidence evidence(3);
  evidence.add(0, 2, std::log(3.0));
  // Groups of two at most: 1 + 3 + 1 + 1.
  const auto p = partition_posterior(evidence, {.most_items = 2});
  EXPECT_EQ(p.best, (std::vector<Mask>{0b101, 0b010}));
  EXPECT_NEAR(p.confidence, 0.5, 1e-12);
  EXPECT_NEAR(p.probabilities[0], 0.5, 1e-12);
  EXPECT_NEAR(p.probabilities[1], 4.0 / 6, 1e-12) << "rank 1 is alone in the first two of the four";
}

TEST(Partition, ABoundOnTheGroupsLeavesWhatMustBe) {
  // Six blocks in three CPCs of two: 15 ways. With two pairs certain, the third follows.
  PairEvidence evidence(6);
  const auto any = partition_posterior(evidence, {.most_items = 2, .most_groups = 3});
  EXPECT_NEAR(any.confidence, 1.0 / 15, 1e-12);
  evidence.add(0, 1, 30.0);
  evidence.add(2, 5, 30.0);
  const auto p = partition_posterior(evidence, {.most_items = 2, .most_groups = 3});
  EXPECT_EQ(p.best, (std::vector<Mask>{0b000011, 0b100100, 0b011000}));
  EXPECT_GT(p.confidence, 0.999999);
}

TEST(Partition, WhereNoneKeepsTheRulesThereIsNoAnswer) {
  const auto p = partition_posterior(PairEvidence(5), {.most_items = 2, .most_groups = 2});
  EXPECT_TRUE(p.best.empty());
  EXPECT_EQ(p.confidence, 0.0);
}

struct Enumerated {
  double total = 0.0;
  double best = 0.0;
  std::vector<double> together;
};

/// Every partition in turn, as the definition says.
Enumerated enumerate(const PairEvidence& evidence, const GroupRules& rules) {
  const int n = evidence.items();
  Enumerated out;
  const auto at = [&](int i, int j) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j);
  };
  out.together.assign(at(n, 0), 0.0);
  std::vector<std::vector<int>> groups;
  const std::function<void(int)> place = [&](int item) {
    if (item == n) {
      if (rules.most_groups != 0 && groups.size() > static_cast<std::size_t>(rules.most_groups)) return;
      double log_weight = 0.0;
      for (const auto& g : groups)
        for (const int a : g)
          for (const int b : g)
            if (a < b) log_weight += evidence.at(a, b);
      const double weight = std::exp(log_weight);
      out.total += weight;
      out.best = std::max(out.best, weight);
      for (const auto& g : groups)
        for (const int a : g)
          for (const int b : g) out.together[at(a, b)] += weight;
      return;
    }
    // By index: the recursion adds groups and takes them away again.
    const std::size_t before = groups.size();
    for (std::size_t g = 0; g != before; ++g) {
      if (groups[g].size() == static_cast<std::size_t>(rules.most_items)) continue;
      groups[g].push_back(item);
      place(item + 1);
      groups[g].pop_back();
    }
    groups.push_back({item});
    place(item + 1);
    groups.pop_back();
  };
  place(0);
  return out;
}

PLUMB_PROPERTY(Partition, IsTheSumOverAllPartitions, [] {
  const int n = *rc::gen::inRange(1, 8);
  const GroupRules rules{.most_items = *rc::gen::inRange(1, 5), .most_groups = *rc::gen::inRange(0, 4)};
  PairEvidence evidence(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) evidence.add(i, j, *rc::gen::inRange(-80, 80) / 10.0);
  const Enumerated all = enumerate(evidence, rules);
  const PartitionPosterior p = partition_posterior(evidence, rules);
  RC_ASSERT(p.best.empty() == (all.total == 0.0));
  if (p.best.empty()) return;
  RC_ASSERT(std::abs(p.confidence - all.best / all.total) < 1e-9);
  for (std::size_t i = 0; i < all.together.size(); ++i)
    RC_ASSERT(std::abs(p.together[i] - all.together[i] / all.total) < 1e-9);
});

}  // namespace
}  // namespace plumb::dsm::tomo

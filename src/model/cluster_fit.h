// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace plumb::model {

/// What of a grid of clusters is on the card at once.
struct ClusterFit {
  int clusters = 0;   ///< of `ranks` CTAs
  int preferred = 0;  ///< of `preferred` CTAs beside them
  int ctas = 0;
  int idle_sms = 0;  ///< that hold no CTA

  bool operator==(const ClusterFit&) const = default;
};

/// Clusters of `ranks` CTAs, an SM holding `per_sm`, on groups of so many SMs as can share a cluster. The
/// rule, which holds for every size on an H200 (docs/experiments/topology/fit.md): a group of n SMs holds
/// floor(n * per_sm / ranks) clusters, and none where ranks > n, however many CTAs an SM holds.
///
/// Where `preferred` is not 0, each group first takes as many clusters of that size, and what room is left
/// takes clusters of `ranks`: what CUDA says of preferred cluster sizes, which Plumb has not run on hardware.
/// Throws Error (caller) for sizes below 1 and a preferred size that is no multiple of `ranks`.
[[nodiscard]] ClusterFit fit_clusters(std::span<const int> groups, int per_sm, int ranks, int preferred = 0);

/// A whole grid.
struct ClusterPlan {
  ClusterFit wave;    ///< a full one
  int ctas = 0;       ///< of the grid, in whole clusters
  int waves = 0;      ///< 0: the card holds no such cluster
  int last_ctas = 0;  ///< in the last wave
  double busy = 0.0;  ///< CTAs over the places of all waves, where every SM had `per_sm`
};

/// `ctas` CTAs, rounded up to whole clusters, all taking the same time.
[[nodiscard]] ClusterPlan plan_clusters(std::span<const int> groups, int per_sm, int ranks, int preferred,
                                        int ctas);

}  // namespace plumb::model

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "topology/groups.h"
#include "topology/reach.h"

namespace plumb::topology {

/// How likely a lone TPC is in the GPC of each group that can have clusters.
struct Kinship {
  std::vector<int> tpc;
  std::vector<double> probability;  ///< by index of Groups::groups; 0 for other lone TPCs
  int most_likely = -1;             ///< index into Groups::groups; -1: it is like none of them
  std::string evidence;             ///< one sentence with the numbers
};

/// What the latencies from L2 say about who sits together.
struct Shapes {
  std::vector<std::vector<int>> tpcs;  ///< that were measured
  /// For each TPC a class of TPCs that see L2 alike, which is a CPC: classes are as large as they can be
  /// without one holding TPCs of two groups.
  std::vector<int> classes;
  double largest_within = 0.0;   ///< cycles: the highest merge inside a class
  double least_between = 0.0;    ///< cycles: the least distance of TPCs of two groups
  int nearest_in_own_group = 0;  ///< TPCs with another of their class and group whose nearest TPC is of their
                                 ///< group; lone TPCs do not count
  int judged = 0;                ///< out of so many
  std::vector<Kinship> lone;
};

/// Classes by average linkage of the TPCs' shapes. A lone TPC's probabilities are Student's t likelihoods of
/// its place on the line between the class of a group that is nearest to it and the nearest class of each
/// other group, in units of what TPCs of known class scatter along that line, with equal prior odds; it is
/// like none where it is three times as far from its class as any TPC of known group is from its own. What
/// they scatter comes from the classes with two of them or more; without one there is no answer.
[[nodiscard]] Shapes shapes_of(const Reach& reach, const Groups& groups);

}  // namespace plumb::topology

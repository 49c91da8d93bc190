// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/case.h"

namespace plumb::topology {

/// What launches of clusters say about who sits together. SMs are named by %smid.
struct Groups {
  std::vector<std::vector<int>> tpcs;    ///< SMs that clusters of two were made of, rising, by lowest SM
  std::vector<std::vector<int>> groups;  ///< SMs that were ever in one cluster, directly or through others
  bool tpcs_are_pairs = true;            ///< no SM was seen in clusters of two with more than one other
  int launches = 0;                      ///< that this rests on

  /// Index into `groups`; -1 for an SM that is in none.
  [[nodiscard]] int group_of(int sm) const;
};

/// From all censuses among the measurements; others are passed over.
[[nodiscard]] Groups groups_of(std::span<const Measurement> measurements);

/// A TPC whose SMs were never in a cluster with others, while other TPCs were.
[[nodiscard]] std::vector<std::vector<int>> lone_tpcs(const Groups& groups);

}  // namespace plumb::topology

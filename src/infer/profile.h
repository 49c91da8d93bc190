// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "infer/objective.h"

namespace plumb::infer {

struct Range {
  int least = 0;
  int most = 0;
};

struct Interval {
  std::optional<int> low;
  std::optional<int> high;
};

/// 95 % intervals by profile likelihood: how far a parameter can go, the others following it, before the log
/// likelihood falls by 1.92. The others follow along the line that least squares around the optimum gives,
/// which is exact as long as durations are linear in the parameters. Improves `best` where it finds a better
/// point on the way.
[[nodiscard]] std::vector<Interval> profile(Objective& objective, Point& best,
                                            const std::vector<Range>& ranges);

}  // namespace plumb::infer

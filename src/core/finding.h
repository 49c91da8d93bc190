// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace plumb {

/// A derived number. Never stored in a recording: always computed again from samples.
struct Finding {
  std::string name;  ///< "dsm/pair/load/one-way/rate"
  double value = 0.0;
  double low = 0.0;  ///< 95 % interval
  double high = 0.0;
  std::string unit;                ///< "B/cycle", "GB/s", "cycles", "ns", "%"
  std::string estimator;           ///< "published", "steady", "median"
  std::vector<std::string> cases;  ///< ids of the cases it came from
  std::vector<std::string> notes;  ///< what a reader must know: bimodal, flagged, region not linear

  bool operator==(const Finding&) const = default;
};

}  // namespace plumb

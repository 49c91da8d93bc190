// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/finding.h"

namespace plumb::report {

/// One number of two recordings.
struct Beside {
  std::string name;  ///< of the finding
  std::string estimator;
  std::string unit;
  std::optional<Finding> first;
  std::optional<Finding> second;

  /// second / first - 1; none where one of them is missing or the first is 0.
  [[nodiscard]] std::optional<double> deviation() const;
};

/// Pairs the findings of two recordings by name and estimator, in the order of the first. Residuals of fits
/// are left out: a model does not predict noise.
[[nodiscard]] std::vector<Beside> beside(std::span<const Finding> first, std::span<const Finding> second);

/// A table of those that both have, on the cycle clock and by the better of the two estimators (steady before
/// published), with a line on the size of the deviations and on what only one has.
/// `labels` head the two columns: "measured" and "simulated".
[[nodiscard]] std::string beside_table(std::span<const Beside> rows, std::span<const std::string> labels,
                                       bool colours);

}  // namespace plumb::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/finding.h"
#include "model/sharing.h"

namespace plumb::dsm {

/// A finding beside what the closed forms say of it.
struct Prediction {
  Finding measured;
  std::optional<model::Expected> expected;  ///< none: no closed form applies
  std::string text;                         ///< what it is limited by, or why none applies

  /// expected / measured - 1; none where there is nothing to compare.
  [[nodiscard]] std::optional<double> deviation() const;
  /// Whether the measured interval and the expected one have a number in common.
  [[nodiscard]] bool agrees() const;
};

/// CPC and egress block of each rank of a cluster of 16, as a recording's dsm/tomography found them; as an
/// H200's TPCs are dealt where it found nothing.
[[nodiscard]] model::Places places_of(std::span<const Finding> tomography);

/// A prediction for every finding that is a rate of flows, a total of them, a time or the cost of a command,
/// in the order of `findings`; others are left out. `measurements` hold the cases that the findings came
/// from.
[[nodiscard]] std::vector<Prediction> predictions(std::span<const Finding> findings,
                                                  std::span<const Measurement> measurements,
                                                  const model::Places& places);

}  // namespace plumb::dsm

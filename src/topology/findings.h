// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/case.h"
#include "core/finding.h"
#include "stats/line.h"

namespace plumb::topology {

/// Puts findings of one experiment together. Names are "EXPERIMENT/..." as given.
class Findings {
 public:
  explicit Findings(std::string experiment) : experiment_(std::move(experiment)) {}

  /// Something that was counted: without an interval.
  Finding& count(const std::string& name, double value, std::string unit);
  Finding& add(const std::string& name, const stats::Estimate& estimate, std::string unit);
  /// The cases that the last one came from, with their flags as notes.
  void from(const Measurement& measurement);

  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

 private:
  std::string experiment_;
  std::vector<Finding> findings_;
};

}  // namespace plumb::topology

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "infer/calibration.h"
#include "record/lines.h"

namespace plumb::infer {

using Point = std::vector<int>;  ///< values of the free parameters

/// The likelihood of the training cases as a function of the free parameters, each point evaluated once.
class Objective {
 public:
  Objective(std::span<const ObservedCase> cases, SimMachine machine, const CalibrationOptions& options);

  /// Minus the log likelihood; very large where the fabric refuses the parameters.
  double operator()(const Point& at, std::string_view what);
  /// The rows behind it, simulated anew.
  [[nodiscard]] std::vector<Scored> rows(const Point& at) const;
  [[nodiscard]] SimMachine machine_at(const Point& at) const;
  [[nodiscard]] const Point& start() const { return start_; }
  [[nodiscard]] std::size_t cases() const { return cases_.size(); }
  [[nodiscard]] int evaluations() const { return evaluations_; }
  [[nodiscard]] int remembered() const { return remembered_; }

 private:
  void remember(const CalibrationOptions& options);

  std::span<const ObservedCase> cases_;
  SimMachine machine_;
  const CalibrationOptions& options_;
  std::vector<int fabric::Parameters::*> members_;
  Point start_;
  std::map<Point, double> known_;
  std::optional<record::LineWriter> memory_;
  int evaluations_ = 0;
  int remembered_ = 0;
};

}  // namespace plumb::infer

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "infer/likelihood.h"

namespace plumb::infer {

/// Which cases a fit sees: whole families, never some cases of one.
struct Split {
  std::vector<ObservedCase> training;
  std::vector<ObservedCase> held_out;
};
/// Every third family, in the order of their names, is held out; where there are fewer than three, none is.
[[nodiscard]] Split split(std::vector<ObservedCase> cases);

struct CalibrationOptions {
  std::vector<std::string> free;  ///< parameters to fit, whole numbers all
  int evaluations = 150;  ///< of the likelihood that the search may take; 0: no search and no intervals
  int samples = 1;        ///< simulated for each case
  std::uint64_t seed = 1;
  /// Where evaluations are kept as they are made, so that a run which was interrupted goes on: JSON Lines.
  std::filesystem::path memory;
  /// Called before each evaluation with its number, from 1, and what it is for.
  std::function<void(int, std::string_view)> progress;
};

/// What the training cases say of a parameter: 95 % interval by profile likelihood, the others following.
struct Fitted {
  std::string name;
  int before = 0;
  int value = 0;
  std::optional<int> low;   ///< none: no value down to the least that was tried contradicts the cases
  std::optional<int> high;  ///< likewise upwards
  int least = 0;            ///< of the range that was searched
  int most = 0;

  /// Bounded on both sides.
  [[nodiscard]] bool identified() const { return low.has_value() && high.has_value(); }
};

struct Calibration {
  SimMachine machine;  ///< with the fitted values
  std::vector<Fitted> parameters;
  double model = 0.0;   ///< relative error of the model that makes the training cases likeliest
  double gain = 0.0;    ///< log likelihood over that of the machine before
  int evaluations = 0;  ///< that were made or remembered
  int remembered = 0;   ///< of them, those read from the memory
};

/// Fits parameters of a machine to cases by derivative-free search (Subplex, Rowan 1990), on all cores. Equal
/// arguments give equal results. Throws Error (caller) for a free parameter that there is not or that is no
/// whole number, and where the memory belongs to another calibration.
[[nodiscard]] Calibration calibrate(std::span<const ObservedCase> training, const SimMachine& machine,
                                    const CalibrationOptions& options);

/// The search alone, without intervals.
[[nodiscard]] SimMachine refit(std::span<const ObservedCase> training, const SimMachine& machine,
                               const CalibrationOptions& options);

}  // namespace plumb::infer

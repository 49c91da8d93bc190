// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "infer/score.h"

namespace plumb::infer {

/// How well a machine explains cases: minus the logarithm of the likelihood of their durations, case by case.
///
/// A deviation is Student's t with four degrees of freedom, so that a family which the model misses
/// altogether does not decide everything else. Its scale has two parts: the standard error that the samples
/// give, and `model`, a relative error of the model itself that is the same for all rows. The rows of a case
/// share what is wrong with it, so a case counts once, as the mean of its rows.
struct Likelihood {
  std::vector<double> losses;  ///< by case
  double model = 0.0;          ///< relative error of the model

  [[nodiscard]] double total() const;
};

inline constexpr double kLeastModelError = 0.001;  ///< simulated samples repeat themselves no better
inline constexpr double kMostModelError = 0.3;

/// With a given error of the model.
[[nodiscard]] Likelihood likelihood(std::span<const Scored> scored, std::size_t cases, double model);
/// With that under which the cases are likeliest.
[[nodiscard]] Likelihood likelihood(std::span<const Scored> scored, std::size_t cases);

/// What one row weighs in a least-squares step around its present deviation: the second derivative of its
/// loss, in 1 over cycles squared, kept positive.
[[nodiscard]] double weight_of(const Scored& s, double model);

}  // namespace plumb::infer

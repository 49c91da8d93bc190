// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/finding.h"

namespace plumb {

/// How an experiment is to be spread out into cases.
struct Request {
  bool quick = false;  ///< fewer sizes and samples: a first look, not a number to publish
};

/// A named question, the cases that answer it, and the way from their samples to findings.
struct Experiment {
  std::string name;           ///< "dsm/pair"
  std::string question;       ///< one sentence
  double seconds_a_case = 0;  ///< on a card, for the estimate in `plumb list`
  std::function<std::vector<Case>(const Request&)> cases;
  std::function<std::vector<Finding>(std::span<const Measurement>)> analyze;
  /// For an experiment that asks as it learns: the cases to run next, given all that were measured of it so
  /// far; none when it has its answer or gives up. What it returns depends on the arguments alone, so that a
  /// run which was interrupted goes on as well as any. Empty function: `cases` is all there is.
  std::function<std::vector<Case>(const Request&, std::span<const Measurement>)> more = {};
};

}  // namespace plumb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/fabric/parameters.h"

namespace plumb::infer {

/// A variant of the fabric: what it claims about the hardware, and what to change in a machine for it.
struct Hypothesis {
  std::string name;                                          ///< "shaper=tdm", "flit-64"
  std::string claim;                                         ///< one sentence without its full stop
  std::vector<std::pair<std::string, std::string>> changes;  ///< parameters and their values
};

/// All that differ from `machine`: every other value of each choice and switch that the fabric registers, and
/// those that take several parameters or a number.
[[nodiscard]] std::vector<Hypothesis> hypotheses(const fabric::Parameters& machine);

/// One by its name, "machine" for no change, or "KEY=VALUE,KEY=VALUE". Throws Error (caller) that lists the
/// names.
[[nodiscard]] Hypothesis hypothesis(std::string_view name, const fabric::Parameters& machine);

/// Throws Error (caller) where the fabric refuses the changes.
[[nodiscard]] fabric::Parameters applied(const Hypothesis& h, fabric::Parameters machine);

}  // namespace plumb::infer

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "dsm/predictions.h"

namespace plumb::report {

/// Measured beside predicted: a row for each finding that is not of a single flow, on the better of its two
/// estimators; below, how far single flows are off, how far all are, and of what no closed form says
/// anything, by reason.
[[nodiscard]] std::string predicted_table(std::string_view experiment,
                                          std::span<const dsm::Prediction> predictions, bool colours);

/// {"finding", "predicted": {"value", "low", "high"}, "deviation", "agrees", "limit"}, or "does_not_apply"
/// with the reason in place of the last four.
[[nodiscard]] nlohmann::ordered_json to_json(const dsm::Prediction& prediction);

}  // namespace plumb::report

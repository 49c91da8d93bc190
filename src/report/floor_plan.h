// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "topology/map.h"

namespace plumb::report {

/// GPCs as boxes, two beside each other: a line for each CPC with its TPCs as [SM SM], lone ones as (SM SM).
/// Below, TPCs whose GPC is undetermined, why lone TPCs are where they are, and how well the methods agree.
[[nodiscard]] std::string floor_plan(const topology::Map& map, bool colours);

/// The same for machines: {"gpcs", "sms", "tpcs": [{"sms", "gpc", "cpc", "partition", "lone", "probability",
/// "evidence"}], "partition_difference_cycles", "methods", "agreements"}; null for what is undetermined.
[[nodiscard]] nlohmann::ordered_json to_json(const topology::Map& map);

}  // namespace plumb::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/case.h"
#include "core/finding.h"
#include "core/provenance.h"

namespace plumb::record {

/// How each type of the vocabulary stands in a recording. from_json throws std::invalid_argument that names
/// the key, what it holds and what it must hold; a key that is not known is passed over, so that a recording
/// of a newer program with the same schema can be read.
[[nodiscard]] nlohmann::ordered_json to_json(const Traffic& traffic);
[[nodiscard]] nlohmann::ordered_json to_json(const Case& point);
[[nodiscard]] nlohmann::ordered_json to_json(const Measurement& measurement);
[[nodiscard]] nlohmann::ordered_json to_json(const Provenance& provenance);
[[nodiscard]] nlohmann::ordered_json to_json(const Finding& finding);

[[nodiscard]] Measurement measurement_from(const nlohmann::ordered_json& json);
[[nodiscard]] Provenance provenance_from(const nlohmann::ordered_json& json);

}  // namespace plumb::record
